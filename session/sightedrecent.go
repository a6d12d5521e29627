package session

import (
	"errors"
	"hash/maphash"
	"iter"
	"slices"
	"sync"
	"time"
)

// The bounds of what is kept to find the turn of a fact.
const (
	maxRecentTurns = 50      // of a thread's turns, the latest
	maxOutlined    = 1 << 17 // ids in the outlines of a session
)

// outline has what says which facts belong to a turn of an attached agent.
type outline struct {
	last    uint64 // the latest event folded in
	began   time.Time
	prompts []time.Time
	ids     []uint64 // hashes of those of its calls and sub-agents, in order
}

// The seeds of the hashes, which nobody outside can know: two ids have one hash by chance alone, and never do.
var (
	callSeed = maphash.MakeSeed()
	subSeed  = maphash.MakeSeed()
)

// outline returns the outline of the turn.
func (t Turn) outline() outline {
	o := outline{last: t.LastSeq, began: t.StartedAt}
	for _, x := range t.facts {
		if x.Call != "" {
			o.ids = append(o.ids, maphash.String(callSeed, x.Call))
		}
		if x.Sub != "" {
			o.ids = append(o.ids, maphash.String(subSeed, x.Sub))
		}
		if x.Prompted != nil {
			o.prompts = append(o.prompts, x.At)
		}
	}
	slices.Sort(o.ids)
	o.ids = slices.Clip(slices.Compact(o.ids))
	return o
}

// has reports whether a fact of the turn has an id, of which there is the hash.
func (o outline) has(id uint64) bool {
	_, found := slices.BinarySearch(o.ids, id)
	return found
}

// outlines are those of a session's turns that were looked at last, so that not each fact folds turns anew that are not
// in memory. It is safe for concurrent use.
type outlines struct {
	mu   sync.Mutex
	of   map[Ref]outline
	size int // ids of all
}

// get returns the outline of a turn whose latest event has a number.
func (all *outlines) get(of Ref, last uint64) (o outline, ok bool) {
	all.mu.Lock()
	defer all.mu.Unlock()
	o, ok = all.of[of]
	return o, ok && o.last == last
}

// put keeps an outline. If there is no room it forgets all others.
func (all *outlines) put(of Ref, o outline) {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.size += 1 + len(o.ids) + len(o.prompts)
	if before, known := all.of[of]; known {
		all.size -= 1 + len(before.ids) + len(before.prompts)
	}
	if all.of == nil || all.size > maxOutlined {
		all.of, all.size = map[Ref]outline{}, 1+len(o.ids)+len(o.prompts)
	}
	all.of[of] = o
}

// forget forgets a thread that was erased.
func (all *outlines) forget(threadID string) {
	all.mu.Lock()
	defer all.mu.Unlock()
	for of, o := range all.of {
		if of.Thread == threadID {
			all.size -= 1 + len(o.ids) + len(o.prompts)
			delete(all.of, of)
		}
	}
}

// recentTurn is one of the latest turns of a thread.
type recentTurn struct {
	outline
	number int
	key    string
}

// eachRecent returns the latest turns of a thread that have keys, the last one first.
func (s *Session) eachRecent(threadID string) iter.Seq2[recentTurn, error] {
	return func(yield func(recentTurn, error) bool) {
		for _, r := range s.recentTurns(threadID) {
			of := Ref{Thread: threadID, Turn: r.number}
			known, ok := s.outlines.get(of, r.last)
			if !ok {
				f, err := s.folded(threadID, r.number)
				if errors.Is(err, ErrDropped) {
					return
				}
				if err != nil {
					yield(r, err)
					return
				}
				known = f.head.outline()
				s.outlines.put(of, known)
			}
			r.outline = known
			if !yield(r, nil) {
				return
			}
		}
	}
}

// recentTurns returns the latest turns of a thread that have keys, the last one first, with the numbers of their latest
// events alone. A thread that is not known has none.
func (s *Session) recentTurns(threadID string) (all []recentTurn) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	th, err := s.lookup(threadID)
	if err != nil {
		return nil
	}
	for n := len(th.keys); n > max(0, len(th.keys)-maxRecentTurns); n-- {
		m := th.mark(n)
		if m == nil {
			break // it was dropped
		}
		if key := th.keys[n-1]; key != "" {
			all = append(all, recentTurn{outline: outline{last: m.last}, number: n, key: key})
		}
	}
	return all
}
