package agent

import (
	"strconv"
	"sync"
)

// maxOpaque bounds the opaque reasoning kept for all threads, in bytes; the thread
// that was written to longest ago goes first. A provider does without it across
// turns, at some cost in quality.
const maxOpaque = 64 << 20

// itemCost is what an item costs beside its bytes, so that many small ones count.
const itemCost = 256

// opaqueStore keeps opaque reasoning beside the log, which holds cleaned text only.
// The zero value is ready. Nothing in it is ever shown, logged or cleaned.
type opaqueStore struct {
	mu      sync.Mutex
	threads map[string]*opaqueThread
	bytes   int
	clock   uint64
}

type opaqueThread struct {
	provider string
	items    map[string][]Opaque // by turn and call
	bytes    int
	used     uint64
}

func place(turn int, call string) string { return strconv.Itoa(turn) + "/" + call }

// put keeps a step's items. Those that another provider left in the thread are
// dropped: no provider is given what a different one wrote.
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
	th.items[place(turn, call)] = items
	for _, o := range items {
		th.bytes += len(o.Data) + itemCost
		s.bytes += len(o.Data) + itemCost
	}
	s.clock++
	th.used = s.clock
	for s.bytes > maxOpaque {
		s.drop(s.oldest())
	}
}

// restore keeps a step's items unless there are some, or the thread has gone on with
// another provider.
func (s *opaqueStore) restore(thread string, turn int, call string, items []Opaque) {
	s.mu.Lock()
	th := s.threads[thread]
	known := th != nil && (th.provider != items[0].Provider || th.items[place(turn, call)] != nil)
	s.mu.Unlock()
	if !known {
		s.put(thread, turn, call, items)
	}
}

func (s *opaqueStore) drop(thread string) {
	if th := s.threads[thread]; th != nil {
		s.bytes -= th.bytes
		delete(s.threads, thread)
	}
}

func (s *opaqueStore) oldest() (thread string) {
	used := s.clock + 1
	for id, th := range s.threads {
		if th.used < used {
			thread, used = id, th.used
		}
	}
	return thread
}

// get gives a step's items, nil when there are none.
func (s *opaqueStore) get(thread string, turn int, call string) []Opaque {
	s.mu.Lock()
	defer s.mu.Unlock()
	if th := s.threads[thread]; th != nil {
		return th.items[place(turn, call)]
	}
	return nil
}
