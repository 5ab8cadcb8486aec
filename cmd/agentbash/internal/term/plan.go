package term

import (
	"context"
	"strings"
)

// planQuestion is asked when a turn in mode plan has said what it would do.
var planQuestion = Question{Title: "Approve this plan?", Choices: []Choice{
	{Key: "y", Label: "yes, in mode ask"}, {Key: "a", Label: "yes, in mode auto"}, {Key: "f", Label: "yes, in mode full"},
	{Key: "n", Label: "no, go on planning"}, {Key: "b", Label: "no, because", Text: true}}}

// approvePlan asks what becomes of the plan that the model's last words are, and
// returns the prompt that comes of it; "" leaves it to the person.
func (s *chatUI) approvePlan(ctx context.Context) string {
	if s.Mode == nil || s.SetMode == nil || s.Mode() != "plan" || !s.Asker.Present() || !s.in.terminal || len(s.in.queue) > 0 {
		return ""
	}
	var reply Reply
	var err error
	s.runInterruptible(ctx, "", func(ctx context.Context) { reply, err = s.Asker.Ask(ctx, &planQuestion) })
	mode := map[string]string{"y": "ask", "a": "auto", "f": "full"}[reply.Key]
	if err != nil || mode == "" {
		return strings.TrimSpace(reply.Text)
	}
	if err := s.SetMode(ctx, mode); err != nil {
		s.screen.note(err.Error())
		return ""
	}
	return "The plan is approved: carry it out."
}
