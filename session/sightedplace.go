package session

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"
)

// Telemetry of some programs names no turn. Its facts are placed by what they share with those of other channels, or
// by their time; a turn that only such a channel told of gets its key when another one names it.

// The bounds of the search for a turn.
const (
	maxBeside = 50          // of a thread's turns, the latest
	sameTime  = time.Minute // between the times that two channels have of one prompt: a server may have another clock
)

// KeyOf returns the key of the turn that a fact belongs to by its content: the latest that knows its call, else its
// sub-agent; or the one whose prompt another channel told at about the same time. A prompt whose text is empty was kept
// back, and fits every text. The key is empty if there is none among the thread's latest turns.
func (s *Session) KeyOf(threadID string, c Channel, fact Sighting) (key string, err error) {
	if fact.Prompted != nil {
		return s.keyOfPrompt(threadID, sightedFact{fact, c})
	}
	for _, same := range []func(x Sighting) bool{
		func(x Sighting) bool { return x.Call != "" && x.Call == fact.Call },
		func(x Sighting) bool { return x.Sub != "" && x.Sub == fact.Sub },
	} {
		err := s.eachLately(threadID, func(of string, t Turn) bool {
			if slices.ContainsFunc(t.facts, func(x sightedFact) bool { return same(x.Sighting) }) {
				key = of
			}
			return key == ""
		})
		if key != "" || err != nil {
			return key, err
		}
	}
	return "", nil
}

// keyOfPrompt returns the key of the turn that a prompt belongs to. One that the same channel told at another time is
// another prompt.
func (s *Session) keyOfPrompt(threadID string, fact sightedFact) (key string, err error) {
	nearest := sameTime
	err = s.eachLately(threadID, func(of string, t Turn) bool {
		for _, x := range t.facts {
			if x.Prompted == nil || x.channel == fact.channel && !x.At.Equal(fact.At) {
				continue
			}
			ours, theirs := fact.Prompted.Text, x.Prompted.Text
			apart := x.At.Sub(fact.At).Abs()
			if apart <= nearest && (ours.Empty() || theirs.Empty() || ours == theirs) && !t.toldBy(fact) {
				key, nearest = of, apart
			}
		}
		return true
	})
	return key, err
}

// toldBy reports whether the channel of a prompt told another prompt of the turn.
func (t Turn) toldBy(fact sightedFact) bool {
	return slices.ContainsFunc(t.facts, func(x sightedFact) bool {
		return x.Prompted != nil && x.channel == fact.channel && !x.At.Equal(fact.At)
	})
}

// KeyAt returns the key of the turn of a thread that began last before a time, or "".
func (s *Session) KeyAt(threadID string, at time.Time) (key string, err error) {
	var began time.Time
	err = s.eachLately(threadID, func(of string, t Turn) bool {
		if !t.StartedAt.After(at) && t.StartedAt.After(began) {
			key, began = of, t.StartedAt
		}
		return true
	})
	return key, err
}

// eachLately calls f with the latest turns of a thread that have keys, the last one first, until it returns false.
func (s *Session) eachLately(threadID string, f func(key string, t Turn) bool) error {
	keys := s.keysOf(threadID)
	for n := len(keys); n > max(0, len(keys)-maxBeside); n-- {
		if keys[n-1] == "" {
			continue
		}
		t, err := s.Turn(threadID, n)
		if errors.Is(err, ErrDropped) {
			return nil
		}
		if err != nil || !f(keys[n-1], t) {
			return err
		}
	}
	return nil
}

// keysOf returns the keys of a thread's turns; a thread that is not known has none.
func (s *Session) keysOf(threadID string) []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	th, err := s.lookup(threadID)
	if err != nil {
		return nil
	}
	return slices.Clone(th.keys)
}

// LatestKey returns the key of the latest turn of a thread, or "".
func (s *Session) LatestKey(threadID string) (key string) {
	for _, k := range s.keysOf(threadID) {
		key = cmp.Or(k, key)
	}
	return key
}

// KeyedBy reports whether a thread has a turn with a key that begins so.
func (s *Session) KeyedBy(threadID, prefix string) bool {
	return slices.ContainsFunc(s.keysOf(threadID), func(k string) bool { return strings.HasPrefix(k, prefix) })
}

// HasObserved reports whether the observed thread with this name is open.
func (s *Session) HasObserved(name string) bool {
	id := s.NamedID("observed/" + name)
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, err := s.lookup(id)
	return err == nil
}
