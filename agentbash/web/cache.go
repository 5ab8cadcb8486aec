package web

import (
	"strings"
	"sync"
	"time"
)

const (
	keepPages = 15 * time.Minute
	maxKept   = 64 << 20 // bytes of all bodies
)

// cache holds the pages that this program has got, in memory, for a while. What may be fetched is
// judged before it is asked.
type cache struct {
	mu    sync.Mutex
	pages map[string]keptPage
	size  int
}

type keptPage struct {
	page
	at time.Time
}

// find is the page of an address, if it is not longer than what is wanted of it.
func (c *cache) find(address string, most int64) (p page, at time.Time, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.prune()
	k, ok := c.pages[address]
	return k.page, k.at, ok && int64(len(k.body)) <= most
}

// keep takes a page that came whole. Data is asked for each time, and what its server does not
// want to be kept.
func (c *cache) keep(address string, p page) {
	isPage := p.isHTML() || p.kind() == "application/pdf"
	if p.status != 200 || p.more || p.problem != nil || !isPage || strings.Contains(p.header.Get("Cache-Control"), "no-store") {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.prune()
	if c.size+len(p.body) > maxKept {
		c.pages, c.size = nil, 0
	}
	if c.pages == nil {
		c.pages = map[string]keptPage{}
	}
	c.size += len(p.body) - len(c.pages[address].body)
	c.pages[address] = keptPage{p, time.Now()}
}

// prune forgets what is too old; the caller holds mu.
func (c *cache) prune() {
	for address, k := range c.pages {
		if time.Since(k.at) > keepPages {
			c.size -= len(k.body)
			delete(c.pages, address)
		}
	}
}
