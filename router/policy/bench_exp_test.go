package policy

import (
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"
	"time"
)

func BenchmarkLines(b *testing.B) {
	data, _ := os.ReadFile("/tmp/exp/lines")
	a := New()
	w := expWorld()
	var lines []string
	for _, l := range strings.Split(string(data), "\n") {
		if l != "" {
			lines = append(lines, strings.ReplaceAll(l, "⏎", "\n"))
		}
	}
	var all []time.Duration
	for _, l := range lines {
		for range 20 {
			a.Judge(l, nil, w)
		}
		t0 := time.Now()
		for range 50 {
			a.Judge(l, nil, w)
		}
		all = append(all, time.Since(t0)/50)
	}
	type p struct {
		d time.Duration
		l string
	}
	var ps []p
	for i := range all {
		ps = append(ps, p{all[i], lines[i]})
	}
	sort.Slice(ps, func(i, j int) bool { return ps[i].d < ps[j].d })
	fmt.Println("median", ps[len(ps)/2].d, "p90", ps[len(ps)*9/10].d)
	for _, x := range ps[len(ps)-8:] {
		fmt.Println(x.d, x.l)
	}
	for _, x := range ps[:5] {
		fmt.Println(x.d, x.l)
	}
}
