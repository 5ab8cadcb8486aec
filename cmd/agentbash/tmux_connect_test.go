package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

func TestScreenConnectsAModelAtTheFirstStart(t *testing.T) {
	p := newPane(t, screenTest{width: 100, height: 40, shell: true, firstRun: true, env: []string{"DEEPSEEK_API_KEY=dk"}, replies: []modelserver.Reply{
		{Text: "Fixed.", Expect: expect("fix this")}, {Text: "Still here.", NewConversation: true, Expect: expect("again")}}})
	p.want("shell>")
	p.say("clear; " + os.Args[0] + " --dir " + p.dir + " 'fix this'")
	p.matches(`No model is connected\. Who is to answer\?(.|\n)*\n  > deepseek +https://api\.deepseek\.com/v1, with the key in DEEPSEEK_API_KEY\n`)
	p.typed("compatible")
	p.want("1 of ")
	p.keys("Enter")
	p.matches(`What is the server's address\?(.|\n)*\nanswer:`)
	p.say(p.server.BaseURL[len("http://"):])
	p.matches(`What is the key\?(.|\n)*\nanswer:`)
	p.typed("s3cret")
	p.want("answer: ******")
	p.keys("Enter")
	p.matches(`\n> fix this\nFixed\.`)
	require.NotContains(t, p.raw(), "s3cret")
	p.ready()
	data, err := os.ReadFile(filepath.Join(p.home, ".config/agentbash/config.json"))
	require.NoError(t, err)
	require.Contains(t, string(data), `"baseURL": "`+p.server.BaseURL+`"`)
	require.Contains(t, string(data), `"apiKey": "s3cret"`)
	p.say("/model other-model")
	p.want("other-model at " + p.server.BaseURL + " answers from here on, also after the next start")
	p.keys("C-d")
	p.want("go on with: agentbash -r")
	p.say("clear; " + os.Args[0] + " --dir " + p.dir)
	p.want(" - other-model at 127.0.0.1")
	p.ready()
	p.say("again")
	p.want("Still here.")
}

func TestScreenWithoutAModelKnowsAQuestion(t *testing.T) {
	p := newPane(t, screenTest{width: 100, height: 40, firstRun: true})
	p.want("Who is to answer?")
	p.typed("none")
	p.want("1 of ")
	p.keys("Enter")
	p.want("no model: what you type runs as a command. /connect asks again.")
	p.ready()
	p.say("what can you do?")
	p.want("that reads as a question, and no model is here to answer it: /connect connects one")
	p.ready()
	p.say("gti add file")
	p.want("gti: command not found")
	p.ready()
	require.Equal(t, 1, strings.Count(p.raw(), "that reads as a question"))
	p.say("help")
	p.want("asks for a provider and a model")
	p.say("echo one two")
	p.matches(`\none two\n\$`)
	p.keys("C-d")
	p.want("ended: 0")
	require.FileExists(t, filepath.Join(p.home, ".local/state/agentbash/no-model"))
}
