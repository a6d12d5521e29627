package agent

import (
	"strconv"
	"sync"
)

// maxOpaque bounds the opaque reasoning held for all threads, in bytes. When it is
// exceeded, the thread that was written to least recently loses its items. Its provider
// then answers without them, at some cost in quality.
const maxOpaque = 64 << 20

// itemCost is the overhead counted for each item in addition to its bytes, so that many
// small items are bounded too.
const itemCost = 256

// opaqueStore holds opaque reasoning outside of the log, which contains only cleaned
// text. The items are never shown, logged or cleaned. The zero value is ready to use,
// and safe for concurrent use.
type opaqueStore struct {
	mu      sync.Mutex
	threads map[string]*opaqueThread
	bytes   int    // of all threads
	clock   uint64 // counts writes
}

// opaqueThread holds the items of one thread, all of one provider.
type opaqueThread struct {
	provider  string
	items     map[string][]Opaque // by stepKey
	bytes     int
	lastWrite uint64
}

// stepKey identifies a step within a thread, by its turn and its first call. A turn has at
// most one step of the lead agent without calls, the one that answers; its call is empty.
func stepKey(turn int, call string) string { return strconv.Itoa(turn) + "/" + call }

// put stores a step's items, which must not be empty. Items of a different provider in
// the same thread are dropped: no provider may receive what another one wrote.
func (s *opaqueStore) put(thread string, turn int, call string, items []Opaque) {
	s.mu.Lock()
	defer s.mu.Unlock()
	th := s.threads[thread]
	if th == nil || th.provider != items[0].Provider {
		s.drop(thread)
		th = &opaqueThread{provider: items[0].Provider, items: map[string][]Opaque{}}
		if s.threads == nil {
			s.threads = map[string]*opaqueThread{}
		}
		s.threads[thread] = th
	}
	th.items[stepKey(turn, call)] = items
	for _, o := range items {
		th.bytes += len(o.Data) + itemCost
		s.bytes += len(o.Data) + itemCost
	}
	s.clock++
	th.lastWrite = s.clock
	for s.bytes > maxOpaque {
		s.drop(s.oldest())
	}
}

// restore stores a step's items, unless the step has items already or the thread has
// continued with another provider.
func (s *opaqueStore) restore(thread string, turn int, call string, items []Opaque) {
	s.mu.Lock()
	th := s.threads[thread]
	known := th != nil && (th.provider != items[0].Provider || th.items[stepKey(turn, call)] != nil)
	s.mu.Unlock()
	if !known {
		s.put(thread, turn, call, items)
	}
}

// drop forgets a thread. The caller holds mu.
func (s *opaqueStore) drop(thread string) {
	if th := s.threads[thread]; th != nil {
		s.bytes -= th.bytes
		delete(s.threads, thread)
	}
}

// oldest returns the thread that was written to least recently. The caller holds mu.
func (s *opaqueStore) oldest() (thread string) {
	lastWrite := s.clock + 1
	for id, th := range s.threads {
		if th.lastWrite < lastWrite {
			thread, lastWrite = id, th.lastWrite
		}
	}
	return thread
}

// get returns a step's items, or nil if there are none.
func (s *opaqueStore) get(thread string, turn int, call string) []Opaque {
	s.mu.Lock()
	defer s.mu.Unlock()
	if th := s.threads[thread]; th != nil {
		return th.items[stepKey(turn, call)]
	}
	return nil
}
