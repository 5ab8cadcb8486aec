package session

import "bytes"

// A stream is one output stream of a running command.
type stream struct {
	pipe    *outPipe
	kept    collector
	tee     *tee
	toErr   bool
	renamed bool // bash's messages name the session's own eval, which is -c in bash -c
	closed  bool // nobody held a write end at the last look
	ended   bool // nobody held one after the report
}

// passOn passes on what was read.
func (s *stream) passOn(p []byte) {
	if s.renamed && bytes.Contains(p, evalPlace) {
		p = bytes.ReplaceAll(p, evalPlace, []byte("bash: -c: "))
	}
	if len(p) > 0 {
		s.kept.Write(p)
		s.tee.queueChunk(s.toErr, p)
	}
}

// evalPlace is the place of a syntax error; bash writes such a message at once.
var evalPlace = []byte("bash: eval: ")

// pollFD is the descriptor to poll, -1 when there is no use in it: nobody holds
// the stream (exec >&-), or the writers of RunOptions are behind.
func (s *stream) pollFD() int {
	if s.closed || s.tee.full() {
		return -1
	}
	return s.pipe.fd
}

// maxReads is how often drain reads before it lets the caller look at the
// clock.
const maxReads = 16

// readWaiting reads what is there while the writers of RunOptions can take it.
func (s *stream) readWaiting(buf *[]byte) {
	for range maxReads {
		if s.tee.full() {
			return
		}
		n, end := readFD(s.pipe.fd, *buf)
		s.closed = end
		if n == 0 {
			return
		}
		s.passOn((*buf)[:n])
		if s.kept.total > longStream {
			s.pipe.growPipe()
			if len(*buf) < bigBuffer {
				*buf = make([]byte, bigBuffer)
			}
		}
	}
}

// readRest reads what is in the pipe after the report, which is no more than the
// pipe holds, and notes whether the last writer is gone.
func (s *stream) readRest(buf []byte) {
	for got := 0; !s.ended && got <= bigBuffer; {
		n, end := readFD(s.pipe.fd, buf)
		if n == 0 {
			s.ended = end
			return
		}
		s.passOn(buf[:n])
		got += n
	}
}
