package search

import "golang.org/x/sys/cpu"

// vectorSize is how many places indexPair tests at once, and the least it takes.
const vectorSize = 32

func hasVectors() bool { return cpu.X86.HasAVX2 }

// indexPair returns the first i below n where p[i] is a or a2 and p[i+apart] is
// b or b2, or -1. It needs AVX2, n of at least vectorSize, and n+apart bytes at p.
//
//go:noescape
func indexPair(p *byte, n, apart int, a, a2, b, b2 byte) int

// countLines counts newlines in n bytes at p, a multiple of vectorSize above
// 0; least is 0 when one of them is a NUL byte, else 1. It needs AVX2.
//
//go:noescape
func countLines(p *byte, n int) (newlines int, least uint8)
