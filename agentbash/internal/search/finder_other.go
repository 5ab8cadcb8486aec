//go:build !amd64

package search

const vectorSize = 1

func hasVectors() bool { return false }

func findBytes(p *byte, n int, masks *[width][2][32]byte) int { panic("search: no vectors") }
