package search

import "golang.org/x/sys/cpu"

// vectorSize is how many places findBytes tests at once, and the least it takes.
const vectorSize = 32

func hasVectors() bool { return cpu.X86.HasAVX2 }

// findBytes returns the first i below n where the halves of p[i], p[i+1] and p[i+2] have a
// bit in common in the masks, or -1. It needs AVX2, n of at least vectorSize, and n+2 bytes at p.
//
//go:noescape
func findBytes(p *byte, n int, masks *[width][2][32]byte) int
