package transcript_test

import (
	"fmt"
	"os"

	"github.com/agentbash/agentbash/chat/transcript"
)

func ExampleStore() {
	dir, err := os.MkdirTemp("", "sessions-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	store := &transcript.Store{Path: dir}

	w, err := store.Create("/home/ada/work", "example 1.0")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(w.Append(transcript.Record{Type: transcript.TypeUser, Text: "What is new?"}), w.Sync(), w.Close())

	latest, err := store.Latest("/home/ada/work")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, records, err := store.Read(latest.ID)
	fmt.Println(len(records), transcript.Title(records), err)
	// Output:
	// <nil> <nil> <nil>
	// 2 What is new? <nil>
}
