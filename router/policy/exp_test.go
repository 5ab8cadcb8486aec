package policy

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
)

func expWorld() *World {
	return &World{Dir: "/home/u/proj", Home: "/home/u", Roots: []string{"/home/u/proj"}, Scratch: []string{"/tmp"}}
}

func TestExp(t *testing.T) {
	f, err := os.Open("/tmp/exp/lines")
	if err != nil {
		t.Skip()
	}
	a := New()
	s := bufio.NewScanner(f)
	for s.Scan() {
		line := s.Text()
		if line == "" {
			continue
		}
		line = strings.ReplaceAll(line, "⏎", "\n")
		v := a.Judge(line, nil, expWorld())
		fmt.Printf("%-60q %v %q\n", line, v.Effects, v.Danger)
		if os.Getenv("V") != "" {
			for _, r := range v.Reasons {
				fmt.Printf("      %s/%s %s [%s]\n", r.Danger, r.Effect, r.Text, line[min(r.Start, len(line)):min(r.End, len(line))])
			}
			for _, p := range v.Parts {
				fmt.Printf("      - %s %q %v %s via=%q %v\n", p.Kind, p.String(), p.Effects, p.Danger, p.Via, p.Paths)
			}
		}
	}
}
