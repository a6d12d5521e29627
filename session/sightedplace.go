package session

import (
	"cmp"
	"errors"
	"hash/maphash"
	"slices"
	"strings"
	"time"
)

// Telemetry of some programs names no turn. This file finds the turn of its facts by a call, sub-agent or prompt that
// another channel reported, or by their time. A turn known only from telemetry gets its key when another channel
// names it.

// sameTime bounds the time between those that two channels have of one prompt: a server may have another clock.
const sameTime = time.Minute

// KeyOf returns the key of the turn that a fact belongs to by its content: the latest turn with its call, else with its
// sub-agent, or the turn whose prompt another channel reported at about the same time. A prompt with an empty text was
// withheld by its channel and matches every text. The key is empty if none of the thread's latest turns matches.
func (s *Session) KeyOf(threadID string, c Channel, fact Sighting) (key string, err error) {
	if fact.Prompted != nil {
		return s.keyOfPrompt(threadID, sightedFact{fact, c})
	}
	var ids []uint64
	if fact.Call != "" {
		ids = append(ids, maphash.String(callSeed, fact.Call))
	}
	if fact.Sub != "" {
		ids = append(ids, maphash.String(subSeed, fact.Sub))
	}
	for _, id := range ids {
		for r, err := range s.eachRecent(threadID) {
			if err != nil {
				return "", err
			}
			if r.has(id) {
				return r.key, nil
			}
		}
	}
	return "", nil
}

// keyOfPrompt returns the key of the turn that a prompt belongs to. One that the same channel told at another time is
// another prompt.
func (s *Session) keyOfPrompt(threadID string, fact sightedFact) (key string, err error) {
	nearest := sameTime
	for r, err := range s.eachRecent(threadID) {
		if err != nil {
			return "", err
		}
		if !slices.ContainsFunc(r.prompts, func(at time.Time) bool { return at.Sub(fact.At).Abs() <= nearest }) {
			continue
		}
		f, err := s.folded(threadID, r.number)
		if errors.Is(err, ErrDropped) {
			break
		}
		if err != nil {
			return "", err
		}
		if apart, ok := f.head.apart(fact); ok && apart <= nearest {
			key, nearest = r.key, apart
		}
	}
	return key, nil
}

// apart returns the least time between a prompt and one of the turn that may be the same; ok is false if none may be.
func (t Turn) apart(fact sightedFact) (least time.Duration, ok bool) {
	if t.toldBy(fact) {
		return 0, false
	}
	for _, x := range t.facts {
		if x.Prompted == nil {
			continue
		}
		ours, theirs := fact.Prompted.Text, x.Prompted.Text
		if ours.Empty() || theirs.Empty() || ours == theirs {
			if d := x.At.Sub(fact.At).Abs(); !ok || d < least {
				least, ok = d, true
			}
		}
	}
	return least, ok
}

// toldBy reports whether the channel of a prompt told another prompt of the turn.
func (t Turn) toldBy(fact sightedFact) bool {
	return slices.ContainsFunc(t.facts, func(x *sightedFact) bool {
		return x.Prompted != nil && x.channel == fact.channel && !x.At.Equal(fact.At)
	})
}

// KeyAt returns the key of the one of a thread's latest turns that began last at or before a time, or "".
func (s *Session) KeyAt(threadID string, at time.Time) (key string, err error) {
	var began time.Time
	for r, err := range s.eachRecent(threadID) {
		if err != nil {
			return "", err
		}
		if !r.began.After(at) && r.began.After(began) {
			key, began = r.key, r.began
		}
	}
	return key, nil
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

// LatestKey returns the key of the thread's latest turn that has one, or "".
func (s *Session) LatestKey(threadID string) (key string) {
	for _, k := range s.keysOf(threadID) {
		key = cmp.Or(k, key)
	}
	return key
}

// KeyedBy reports whether a thread has a turn whose key begins with prefix.
func (s *Session) KeyedBy(threadID, prefix string) bool {
	return slices.ContainsFunc(s.keysOf(threadID), func(k string) bool { return strings.HasPrefix(k, prefix) })
}

// HasObserved reports whether there is an observed thread with this name.
func (s *Session) HasObserved(name string) bool {
	id := s.NamedID("observed/" + name)
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, err := s.lookup(id)
	return err == nil
}
