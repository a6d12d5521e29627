package agent

import (
	"strconv"
	"sync"
)

// The bounds of the opaque reasoning that is held, in bytes. What does not fit any more is
// dropped, and its provider then answers without it, at some cost in quality.
const (
	maxUserOpaque = 16 << 20 // of a user's threads
	maxOpaque     = 64 << 20 // of all users' threads
)

// itemCost is the overhead counted for each item in addition to its bytes, so that many
// small items are bounded too.
const itemCost = 256

// opaqueStore holds opaque reasoning outside of the log, which contains only cleaned
// text. The items are never shown, logged or cleaned. A user who exceeds maxUserOpaque loses
// the items of the own thread that was written to least recently. Where all users together
// exceed maxOpaque, the one who holds the most does, so nobody displaces the items of a user
// who holds less. The zero value is ready to use, and safe for concurrent use.
type opaqueStore struct {
	mu      sync.Mutex
	threads map[string]*opaqueThread
	users   map[string]int // bytes of each user's threads; never zero
	bytes   int            // of all threads
	clock   uint64         // counts writes
}

// opaqueThread holds the items of one thread, all of one provider.
type opaqueThread struct {
	user      string
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
func (s *opaqueStore) put(user, thread string, turn int, call string, items []Opaque) {
	s.mu.Lock()
	defer s.mu.Unlock()
	th := s.threads[thread]
	if th == nil || th.provider != items[0].Provider {
		s.drop(thread)
		th = &opaqueThread{user: user, provider: items[0].Provider, items: map[string][]Opaque{}}
		if s.threads == nil {
			s.threads, s.users = map[string]*opaqueThread{}, map[string]int{}
		}
		s.threads[thread] = th
	}
	key := stepKey(turn, call)
	s.charge(th, costOfItems(items)-costOfItems(th.items[key]))
	th.items[key] = items
	s.clock++
	th.lastWrite = s.clock
	for s.users[user] > maxUserOpaque {
		s.drop(s.oldest(user))
	}
	for s.bytes > maxOpaque {
		s.drop(s.oldest(s.largest()))
	}
}

// costOfItems returns the bytes counted for items.
func costOfItems(items []Opaque) (bytes int) {
	for _, o := range items {
		bytes += len(o.Data) + itemCost
	}
	return bytes
}

// charge adds bytes to a thread's and its user's. The caller holds mu.
func (s *opaqueStore) charge(th *opaqueThread, bytes int) {
	th.bytes += bytes
	s.bytes += bytes
	if s.users[th.user] += bytes; s.users[th.user] == 0 {
		delete(s.users, th.user)
	}
}

// restore stores a step's items, unless the step has items already or the thread has
// continued with another provider.
func (s *opaqueStore) restore(user, thread string, turn int, call string, items []Opaque) {
	s.mu.Lock()
	th := s.threads[thread]
	known := th != nil && (th.provider != items[0].Provider || th.items[stepKey(turn, call)] != nil)
	s.mu.Unlock()
	if !known {
		s.put(user, thread, turn, call, items)
	}
}

// drop forgets a thread. The caller holds mu.
func (s *opaqueStore) drop(thread string) {
	if th := s.threads[thread]; th != nil {
		s.charge(th, -th.bytes)
		delete(s.threads, thread)
	}
}

// forget drops a thread's items.
func (s *opaqueStore) forget(thread string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(thread)
}

// oldest returns the user's thread that was written to least recently. The caller holds mu.
func (s *opaqueStore) oldest(user string) (thread string) {
	lastWrite := s.clock + 1
	for id, th := range s.threads {
		if th.user == user && th.lastWrite < lastWrite {
			thread, lastWrite = id, th.lastWrite
		}
	}
	return thread
}

// largest returns the user whose threads hold the most. The caller holds mu.
func (s *opaqueStore) largest() (user string) {
	most := 0
	for one, bytes := range s.users {
		if bytes > most || bytes == most && one < user {
			user, most = one, bytes
		}
	}
	return user
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
