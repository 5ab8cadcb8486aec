//go:build !amd64

package search

const vectorSize = 1

func hasVectors() bool { return false }

func indexPair(p *byte, n, apart int, a, a2, b, b2 byte) int { panic("search: no vectors") }

func countLines(p *byte, n int) (newlines int, least uint8) { panic("search: no vectors") }
