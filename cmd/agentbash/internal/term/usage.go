package term

import (
	"fmt"
	"time"

	"github.com/agentbash/agentbash/chat"
)

// usageText is a usage in words: tokens, and what they cost if that is known.
func usageText(u chat.Usage) string {
	cached := ""
	if u.Cached > 0 {
		cached = fmt.Sprintf(" (%s cached)", groupThousands(u.Cached))
	}
	about := ""
	if u.Estimated {
		about = "about " // the server gave no numbers
	}
	text := fmt.Sprintf("%s%s tokens in%s, %s out", about, groupThousands(u.Prompt), cached, groupThousands(u.Completion))
	if u.Cost > 0 {
		text += fmt.Sprintf(", $%.4f", u.Cost)
	}
	return text
}

// costs is the answer to /cost.
func (s *screen) costs() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := "last turn: " + usageText(s.usage) + "\nsession: " + usageText(s.total)
	if s.total.Cost == 0 {
		text += "\nprices of this model are not known, so tokens are all there is"
	}
	return text
}

func elapsedText(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}
