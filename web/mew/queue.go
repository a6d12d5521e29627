package mew

import "sync"

// outgoing is a message on its way to a socket.
type outgoing struct {
	bytes  []byte // shared by all readers
	binary bool   // it is a frame that came as binary data
}

// queue holds what waits for one socket. Adding never blocks: a queue that is full stays
// full, and its socket is closed.
type queue struct {
	mu    sync.Mutex
	items []outgoing
	size  int
	ready chan struct{} // has an element if something may wait
}

// newQueue returns a queue in which nothing waits.
func newQueue() *queue { return &queue{ready: make(chan struct{}, 1)} }

// push adds a message. It returns false if there is no room; a queue that is empty has room
// for any.
func (q *queue) push(m outgoing) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) > 0 && (len(q.items) >= maxQueued || q.size+len(m.bytes) > maxQueuedBytes) {
		return false
	}
	q.items = append(q.items, m)
	q.size += len(m.bytes)
	q.wake()
	return true
}

// wake tells the writer that something waits. One element is enough, since it takes all.
func (q *queue) wake() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// pop returns what waits.
func (q *queue) pop() (items []outgoing) {
	q.mu.Lock()
	defer q.mu.Unlock()
	items, q.items, q.size = q.items, nil, 0
	return items
}
