package router

import (
	"slices"
	"sync"

	"github.com/agentbash/agentbash/registry"
)

// maxPictures bounds what one command shows: a model pays for each with every request.
const maxPictures = 8

// pictures are what the calls of one command show.
type pictures struct {
	mu   sync.Mutex
	list []registry.Image
}

// shower is what a call shows pictures with; nil: nobody takes them.
func (p *pictures) shower() func(registry.Image) bool {
	if p == nil {
		return nil
	}
	return func(img registry.Image) bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		if len(p.list) == maxPictures {
			return false
		}
		p.list = append(p.list, img)
		return true
	}
}

// taken are the pictures so far.
func (p *pictures) taken() []registry.Image {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.list)
}
