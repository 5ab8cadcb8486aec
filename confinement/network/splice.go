package network

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// maxClients bounds the connections of one listener; more wait until one ends.
const maxClients = 256

// limited is a listener with a bound of its connections. That of golang.org/x/net
// hides CloseWrite.
type limited struct {
	net.Listener
	slots chan struct{}
	ended <-chan struct{}
}

func (p *Proxy) limit(l net.Listener) net.Listener {
	return &limited{l, make(chan struct{}, maxClients), p.life.Done()}
}

func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.ended:
		return nil, net.ErrClosed
	}
	release := sync.OnceFunc(func() { <-l.slots })
	c, err := l.Listener.Accept()
	if err != nil {
		release()
		return nil, err
	}
	return &client{c.(*net.TCPConn), release}, nil
}

// client is a connection that was accepted.
type client struct {
	*net.TCPConn
	release func()
}

func (c *client) Close() error {
	c.release()
	return c.TCPConn.Close()
}

// upstream is a connection to a host, which closes itself with the proxy, or when
// nothing came or went for a time. All that is sent through the proxy passes one.
type upstream struct {
	net.Conn // not *net.TCPConn, whose ReadFrom and WriteTo would pass by Read and Write
	idle     time.Duration
	timer    *time.Timer
	stop     func() bool
}

func (p *Proxy) newUpstream(c net.Conn) *upstream {
	end := func() { c.Close() }
	return &upstream{c, p.opts.Idle, time.AfterFunc(p.opts.Idle, end), context.AfterFunc(p.life, end)}
}

func (u *upstream) Read(b []byte) (int, error) {
	n, err := u.Conn.Read(b)
	u.timer.Reset(u.idle)
	return n, err
}

func (u *upstream) Write(b []byte) (int, error) {
	n, err := u.Conn.Write(b)
	u.timer.Reset(u.idle)
	return n, err
}

func (u *upstream) CloseWrite() error { return u.Conn.(*net.TCPConn).CloseWrite() }

func (u *upstream) Close() error {
	u.timer.Stop()
	u.stop()
	return u.Conn.Close()
}

// splice copies between a client and a host until both have ended, one of them breaks
// off, or the proxy is closed. from is client, with what was read of it before.
func (p *Proxy) splice(client net.Conn, from io.Reader, up net.Conn) {
	closeBoth := func() { client.Close(); up.Close() }
	defer closeBoth()
	defer context.AfterFunc(p.life, closeBoth)()
	back := make(chan struct{})
	go func() {
		defer close(back)
		copyHalf(client, up, closeBoth)
	}()
	copyHalf(up, from, closeBoth)
	<-back
}

// copyHalf copies one direction and passes its end on.
func copyHalf(to io.Writer, from io.Reader, breakOff func()) {
	if _, err := io.Copy(to, from); err != nil {
		breakOff()
	} else if half, ok := to.(interface{ CloseWrite() error }); ok {
		half.CloseWrite()
	}
}

// serveTransparent serves connections to the addresses that stand for names.
func (p *Proxy) serveTransparent(l net.Listener) {
	for {
		c, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(10 * time.Millisecond) // no descriptors are left, say
			continue
		}
		if !p.start(func() { p.connectTransparent(c) }) {
			c.Close()
		}
	}
}

func (p *Proxy) connectTransparent(c net.Conn) {
	defer c.Close()
	at := c.LocalAddr().(*net.TCPAddr).AddrPort()
	if !fakeRange.Contains(at.Addr().Unmap()) {
		return // to this namespace itself, where nothing listens there
	}
	to, err := p.admit(p.life, at.Addr().String(), int(at.Port()))
	if err != nil {
		return
	}
	if up, err := p.dial(p.life, to); err == nil {
		p.splice(c, c, up)
	}
}
