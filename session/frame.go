package session

import "bytes"

// A frame is the shell's report of the end of one command on the control pipe:
//
//	\1ID STATUS PWD\0
//
// Anything else on that pipe (the output of a DEBUG trap that runs before the
// report, of a function that took the name of a builtin) is skipped.
type frame struct {
	id     int64  // number of the command
	status int    // its $?
	pwd    string // its $PWD, which nobody vouches for
}

const frameFormat = `'\1%d %d %s\0'`

// frameReader cuts frames out of what the control pipe delivers. It keeps the
// last pwd, so that a command that stays where it is allocates nothing.
type frameReader struct {
	buf     []byte
	pwd     string
	skipped []byte // what was no frame, since the owner last looked
}

// maxFrame bounds what is kept while waiting for the end of a frame: a path
// cannot be longer than 4,096 bytes, but $PWD can be set to anything; and about
// how much of what is no frame.
const maxFrame = 1 << 16

func (r *frameReader) add(p []byte) { r.buf = append(r.buf, p...) }

// next returns the next whole frame, or false when there is none yet.
func (r *frameReader) next() (frame, bool) {
	for {
		start := bytes.IndexByte(r.buf, 1)
		if start < 0 {
			if len(r.skipped) < maxFrame {
				r.skipped = append(r.skipped, r.buf...)
			}
			r.buf = r.buf[:0]
			return frame{}, false
		}
		body := r.buf[start+1:]
		end := bytes.IndexByte(body, 0)
		if end < 0 {
			if late := len(r.buf) - maxFrame; start < late { // no frame starts before it
				r.buf = append(r.buf[:0], r.buf[late:]...)
				continue
			}
			r.buf = append(r.buf[:0], r.buf[start:]...)
			return frame{}, false
		}
		f, ok := r.parse(body[:end])
		if ok {
			r.buf = append(r.buf[:0], body[end+1:]...)
			return f, true
		}
		r.buf = body
	}
}

func (r *frameReader) parse(b []byte) (frame, bool) {
	var num [2]int64
	for i := range num {
		n := 0
		for ; n < len(b) && n < 18 && b[n] >= '0' && b[n] <= '9'; n++ {
			num[i] = num[i]*10 + int64(b[n]-'0')
		}
		if n == 0 || n == len(b) || b[n] != ' ' {
			return frame{}, false
		}
		b = b[n+1:]
	}
	if string(b) != r.pwd {
		r.pwd = string(b)
	}
	return frame{id: num[0], status: int(num[1]), pwd: r.pwd}, true
}
