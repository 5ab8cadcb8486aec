package main

import (
	"fmt"
	"net/http"
	"os"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/chat/transcript"
	"github.com/agentbash/agentbash/registry"
)

// readRecording reads a session's file, or its export as JSON.
func readRecording(path string) ([]transcript.Record, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, &registry.UsageError{Problems: []string{fmt.Sprintf("--replay: %v: give a file that agentbash sessions export --json wrote", err)}}
	}
	records, err := transcript.ReadExport(data)
	if err != nil {
		return nil, &registry.UsageError{Problems: []string{fmt.Sprintf("--replay %s: %v", path, err)}}
	}
	return transcript.Settled(records), nil
}

// replayClient answers requests with the recorded replies, in their order.
func replayClient(path string) (*http.Client, error) {
	records, err := readRecording(path)
	if err != nil {
		return nil, err
	}
	return &http.Client{Transport: chat.NewReplay(records)}, nil
}

// replayPrompts are the prompts of a recording.
func replayPrompts(path string) ([]string, error) {
	records, err := readRecording(path)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, r := range records {
		if r.Type == transcript.TypeUser {
			out = append(out, r.Text)
		}
	}
	if len(out) == 0 {
		return nil, &registry.UsageError{Problems: []string{"--replay " + path + ": there is no prompt in it"}}
	}
	return out, nil
}
