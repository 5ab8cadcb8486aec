package session

// A stream is one output stream of a running command.
type stream struct {
	pipe   *outPipe
	kept   collector
	filter *noteFilter // of stderr
	tee    *tee
	toErr  bool
	closed bool // nobody held a write end at the last look
	ended  bool // nobody held one after the report
}

// deliver passes on what was read.
func (s *stream) deliver(p []byte) {
	if s.filter != nil {
		p = s.filter.add(p)
	}
	s.pass(p)
}

func (s *stream) pass(p []byte) {
	if len(p) > 0 {
		s.kept.Write(p)
		s.tee.add(s.toErr, p)
	}
}

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

// drain reads what is there while the writers of RunOptions can take it.
func (s *stream) drain(buf *[]byte) {
	for range maxReads {
		if s.tee.full() {
			return
		}
		n, end := readFD(s.pipe.fd, *buf)
		s.closed = end
		if n == 0 {
			return
		}
		s.deliver((*buf)[:n])
		if s.kept.total > longStream {
			s.pipe.grow()
			if len(*buf) < bigBuffer {
				*buf = make([]byte, bigBuffer)
			}
		}
	}
}

// finish reads what is in the pipe after the report, which is no more than the
// pipe holds, and notes whether the last writer is gone.
func (s *stream) finish(buf []byte) {
	for got := 0; !s.ended && got <= bigBuffer; {
		n, end := readFD(s.pipe.fd, buf)
		if n == 0 {
			s.ended = end
			return
		}
		s.deliver(buf[:n])
		got += n
	}
}
