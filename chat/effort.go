package chat

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// Efforts are how much a model can be asked to think, from the least; which of them a model
// knows is its server's to say.
func Efforts() []string {
	return []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}
}

// SetEffort is Options.Effort from the next request.
func (c *Conversation) SetEffort(effort string) {
	c.opts.Effort, c.quirks.effort = effort, false
}

// effort is what the server is told; "": nothing.
func (c *Conversation) effort() string {
	if c.quirks.effort {
		return ""
	}
	return c.opts.Effort
}

var effortWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)effort|adaptive|output_config|budget_tokens|support.{0,30}(thinking|reasoning)\b|(thinking|reasoning) is not`)
})

// leaveOutEffort writes the effort otherwise, or leaves it out and says so, where the server's
// refusal names it.
func (c *Conversation) leaveOutEffort(text string) bool {
	switch {
	case c.effort() == "" || !effortWords().MatchString(text):
		return false
	case c.api == APIMessages && !c.quirks.budget && !strings.Contains(text, "level"):
		c.quirks.budget = true
	default:
		c.quirks.effort = true
		c.emitEvent(Notice{Text: fmt.Sprintf("%s does not take the effort %s, so none is asked for: %s", c.opts.Model, c.opts.Effort, oneLine(text))})
	}
	return true
}
