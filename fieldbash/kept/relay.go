package kept

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// The requests that open a session with a server: it gets each once, and later clients
// the answer that it gave.
const (
	initialize = "initialize"
	discover   = "server/discover"
)

// relay knows which message is whose. Whoever has the keeper's lock uses it.
type relay struct {
	toServer *queue
	clients  map[int]*client
	last     int // the number of the last client
	requests int // of all clients that were passed on

	shakes      map[string]*handshake // by method, and what else makes them another question
	initialized bool                  // the server was told so
	asked       map[string]*client    // requests of the server, by their ids
}

// client is one that is connected.
type client struct {
	number int
	out    *queue
	calls  map[string]int // its requests that have no answer, by their ids, and when each was sent
}

// handshake is one opening request.
type handshake struct {
	id      string          // under which the server was asked
	answer  json.RawMessage // the members of its answer without braces: "result":...; nil: it has not come
	waiting []waiter
}

type waiter struct {
	c  *client
	id json.RawMessage
}

// message is what is looked at of a message.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

func (r *relay) init() {
	r.toServer = newQueue()
	r.clients, r.shakes, r.asked = map[int]*client{}, map[string]*handshake{}, map[string]*client{}
}

func (r *relay) join() *client {
	r.last++
	c := &client{number: r.last, out: newQueue(), calls: map[string]int{}}
	r.clients[c.number] = c
	return c
}

// leave cancels what a client that is gone has asked, and answers what it was asked.
func (r *relay) leave(c *client) {
	delete(r.clients, c.number)
	for id := range c.calls {
		r.toServer.add(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"the client has left"}}`+"\n", id))
	}
	for id, to := range r.asked {
		if to == c {
			r.decline(id)
		}
	}
}

// decline answers a request of the server that nobody can answer.
func (r *relay) decline(id string) {
	delete(r.asked, id)
	r.toServer.add(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"no client is there to answer"}}`+"\n", id))
}

// fromServer passes a message on; it keeps the line. It reports whether it was one.
func (r *relay) fromServer(line []byte) bool {
	var m message
	if line[0] != '{' || json.Unmarshal(line, &m) != nil || m.Method == "" && m.ID == nil {
		return false
	}
	id := string(m.ID)
	switch {
	case m.ID == nil:
		for _, c := range r.clients {
			c.out.add(line)
		}
	case m.Method != "":
		if c := r.active(); c != nil {
			r.asked[id] = c
			c.out.add(line)
		} else {
			r.decline(id)
		}
	case !r.shakeAnswered(id, m):
		n, _ := strconv.ParseInt(id, 10, 64)
		if c := r.clients[int(n/ids)]; c != nil {
			delete(c.calls, id)
			c.out.add(line)
		}
	}
	return true
}

// active is the client for whom the server is most likely at work.
func (r *relay) active() (found *client) {
	newest := -1
	for _, c := range r.clients {
		when := 0
		for _, call := range c.calls {
			when = max(when, call)
		}
		if when > newest || when == newest && c.number > found.number {
			found, newest = c, when
		}
	}
	return found
}

// fromClient passes a message on; it keeps the line.
func (r *relay) fromClient(c *client, line []byte) {
	var m message
	if json.Unmarshal(line, &m) != nil {
		return
	}
	id := string(m.ID)
	switch {
	case m.ID == nil:
		if m.Method == "notifications/initialized" {
			if r.initialized {
				return
			}
			r.initialized = true
		}
	case m.Method == initialize || m.Method == discover:
		if !r.shake(c, m) {
			return
		}
	case m.Method == "":
		if r.asked[id] != c {
			return
		}
		delete(r.asked, id)
	default:
		r.requests++
		c.calls[id] = r.requests
	}
	r.toServer.add(line)
}

// shake answers an opening request, now or when the server has, and reports whether it
// is to be sent. Servers answer server/discover in the way that they speak, some of them
// never: then the client went on with initialize, and so does every other.
func (r *relay) shake(c *client, m message) (send bool) {
	key := m.Method
	if m.Method == discover {
		key += string(m.Params) // asked once more if it names a revision that the server does not speak
	} else {
		for method, s := range r.shakes {
			if strings.HasPrefix(method, discover) && s.answer == nil {
				r.settle(s, noSuchMethod)
			}
		}
	}
	s := r.shakes[key]
	if s == nil && m.Method == discover && r.shakes[initialize] != nil {
		s = &handshake{answer: noSuchMethod}
	}
	switch {
	case s == nil:
		r.shakes[key] = &handshake{id: string(m.ID), waiting: []waiter{{c, m.ID}}}
		return true
	case s.answer == nil:
		s.waiting = append(s.waiting, waiter{c, m.ID})
	default:
		reply(waiter{c, m.ID}, s.answer)
	}
	return false
}

var noSuchMethod = json.RawMessage(`"error":{"code":-32601,"message":"no answer to server/discover"}`)

// shakeAnswered takes a response to an opening request. An initialize that failed is
// tried again by the next client.
func (r *relay) shakeAnswered(id string, m message) bool {
	for key, s := range r.shakes {
		if s.id != id {
			continue
		}
		if s.answer != nil {
			return true // too late
		}
		name, value := `"result":`, m.Result
		if m.Result == nil {
			name, value = `"error":`, m.Error
		}
		r.settle(s, append([]byte(name), value...))
		if key == initialize && m.Result == nil {
			delete(r.shakes, key)
		}
		return true
	}
	return false
}

func (r *relay) settle(s *handshake, answer json.RawMessage) {
	s.answer = answer
	for _, w := range s.waiting {
		reply(w, answer)
	}
	s.waiting = nil
}

func reply(w waiter, answer []byte) {
	w.c.out.add(bytes.Join([][]byte{[]byte(`{"jsonrpc":"2.0","id":`), w.id, []byte(","), answer, []byte("}\n")}, nil))
}
