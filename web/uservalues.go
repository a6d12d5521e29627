package web

import (
	"maps"
	"sync"
)

// fewUsers is how many users userValues holds before it looks for those that are idle.
const fewUsers = 64

// userValues holds a value for each user. It forgets users whose values are idle, that is, as good
// as new ones, so its size is bounded by twice as many users as were active at once. The zero value
// is empty and ready to use. It is safe for concurrent use; the values have to be so themselves.
type userValues[T any] struct {
	mu    sync.Mutex
	all   map[string]T
	sweep int // how many users are held before those that are idle are forgotten
}

// get returns a user's value, which begin makes if there is none. idle is asked about the values
// of all users when there are many.
func (p *userValues[T]) get(user string, begin func() T, idle func(T) bool) T {
	p.mu.Lock()
	defer p.mu.Unlock()
	if v, ok := p.all[user]; ok {
		return v
	}
	if p.all == nil {
		p.all, p.sweep = map[string]T{}, fewUsers
	}
	if len(p.all) >= p.sweep {
		maps.DeleteFunc(p.all, func(_ string, v T) bool { return idle(v) })
		p.sweep = max(fewUsers, 2*len(p.all))
	}
	v := begin()
	p.all[user] = v
	return v
}
