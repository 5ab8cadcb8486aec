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
	proxy *Proxy
	slots chan struct{}
}

func (p *Proxy) limit(l net.Listener) net.Listener {
	return &limited{l, p, make(chan struct{}, maxClients)}
}

func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.proxy.life.Done():
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return l.proxy.newConn(c, func() { <-l.slots }), nil
}

// conn is a connection to a client or to a host, which ends with the proxy, or when
// nothing came or went for a time.
type conn struct {
	net.Conn // not *net.TCPConn, whose ReadFrom and WriteTo would pass by Read and Write
	idle     time.Duration
	timer    *time.Timer
	release  func()
}

// newConn makes one of a TCP connection; release is called when it is closed.
func (p *Proxy) newConn(c net.Conn, release func()) *conn {
	end := func() { c.Close() }
	stop := context.AfterFunc(p.life, end)
	return &conn{c, p.opts.Idle, time.AfterFunc(p.opts.Idle, end), sync.OnceFunc(func() { stop(); release() })}
}

func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.timer.Reset(c.idle)
	return n, err
}

func (c *conn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.timer.Reset(c.idle)
	return n, err
}

func (c *conn) CloseWrite() error { return c.Conn.(*net.TCPConn).CloseWrite() }

func (c *conn) Close() error {
	c.timer.Stop()
	c.release()
	return c.Conn.Close()
}

// splice copies between a client and a host until both have ended or one of them
// breaks off. from is client, with what was read of it before.
func splice(client net.Conn, from io.Reader, up net.Conn) {
	closeBoth := func() { client.Close(); up.Close() }
	defer closeBoth()
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
		splice(c, c, up)
	}
}
