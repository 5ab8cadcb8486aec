package main

import (
	"testing"

	"github.com/agentbash/agentbash/internal/modelserver"
)

func TestScreenClarify(t *testing.T) {
	p := newPane(t, screenTest{height: 40, replies: []modelserver.Reply{
		{ToolCalls: calls(`clarify --question 'Which database?' --choices '["postgres", "sqlite"]' --default sqlite`)},
		{Expect: expect("postgres\n"), ToolCalls: calls(`echo "named $(clarify 'What name?')"`)},
		{Expect: expect("named orders"), Text: "Made it."},
	}})
	p.ready()
	p.say("make a database")
	p.want("Which database?")
	p.want("[1] postgres  [2] sqlite")
	p.want("answer 1, 2 or your own words (Enter: 2):")
	p.say("1")
	p.want("What name?")
	p.want("answer:\n")
	p.say("orders")
	p.want("Made it.")
}
