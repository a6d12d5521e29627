package session

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"candor/safety"
)

// MaxSightings bounds the facts of one turn. Further facts are refused.
const MaxSightings = 20_000

// MaxAttachedTurns bounds the turns of an attached agent's thread, whose keys stay in memory.
const MaxAttachedTurns = 10_000

// ErrManySightings means that a turn has MaxSightings facts, or a thread MaxAttachedTurns turns.
var ErrManySightings = errors.New("too many sightings")

// sightedFact is a sighting with the channel that it came by.
type sightedFact struct {
	Sighting
	channel Channel
}

// sightings are the facts about a turn, ordered by their place. They are a value: joining makes a new list, which
// shares the facts with the old one. Nobody changes a fact that is in a list.
type sightings []*sightedFact

// raw returns the fact without its time as it is stored, by which facts of one place are ordered.
func (x *sightedFact) raw() []byte {
	timeless := x.Sighting
	timeless.At = time.Time{}
	return encode(nil, reflect.ValueOf(timeless))
}

// comparePlace compares the places of two facts. The time is no part of a place: a hook that is delivered twice has
// another one each time. Nor is the content, since one channel may first have the beginning of a text and later all of
// it.
func (x *sightedFact) comparePlace(y *sightedFact) int {
	return cmp.Or(
		cmp.Compare(x.channel, y.channel), cmp.Compare(x.Sub, y.Sub), cmp.Compare(x.Group, y.Group),
		cmp.Compare(x.Index, y.Index), cmp.Compare(x.Call, y.Call), cmp.Compare(x.kind(), y.kind()),
	)
}

// joined returns the fact that two of one place make: the longer of them, with the earlier time. So the
// order in which they come does not matter, nor how often.
func (x *sightedFact) joined(y *sightedFact) *sightedFact {
	both, ours, theirs := *x, x.raw(), y.raw()
	if cmp.Or(cmp.Compare(len(ours), len(theirs)), bytes.Compare(ours, theirs)) < 0 {
		both = *y
	}
	both.At = earlier(x.At, y.At)
	return &both
}

// earlier returns the earlier of two times, of which zero is none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || (!b.IsZero() && b.Before(a)) {
		return b
	}
	return a
}

// changes reports whether a fact would tell anything new beside the others. What tells nothing new is not recorded, so
// that a file that is read again, or a hook that is delivered twice, costs nothing.
func (all sightings) changes(s *sightedFact) bool {
	at, known := slices.BinarySearchFunc(all, s, (*sightedFact).comparePlace)
	if !known {
		return true
	}
	both := all[at].joined(s)
	return !both.At.Equal(all[at].At) || !bytes.Equal(both.raw(), all[at].raw())
}

// join returns the facts together with those of an event, in a new list: earlier snapshots of the turn share the old
// one.
func (all sightings) join(b Sighted) sightings {
	news := make(sightings, 0, len(b.Sightings))
	for _, s := range b.Sightings {
		news = append(news, &sightedFact{s, b.Channel})
	}
	slices.SortFunc(news, (*sightedFact).comparePlace)
	merged := make(sightings, 0, len(all)+len(news))
	for _, s := range news {
		at, known := slices.BinarySearchFunc(all, s, (*sightedFact).comparePlace)
		merged, all = append(merged, all[:at]...), all[at:]
		if known {
			merged, all = append(merged, all[0]), all[1:]
		}
		// What stands at the place of s is the last of merged, be it known or of this event.
		if last := len(merged) - 1; last >= 0 && merged[last].comparePlace(s) == 0 {
			merged[last] = merged[last].joined(s)
		} else {
			merged = append(merged, s)
		}
	}
	return append(merged, all...)
}

// Attached describes an attached agent's session, and when each channel last reported something new.
type Attached struct {
	Version, Model, Folder, Title safety.Text

	Heard   []HeardAt // by channel
	ActedAt time.Time // of the latest fact, by the agent's clock
}

// HeardAt says when a channel last reported something new, by the server's clock.
type HeardAt struct {
	Channel Channel
	At      time.Time
}

// hear returns what is known once an event has come. Of two texts for a field the longer one holds.
func (a Attached) hear(e Event, b Sighted) Attached {
	a.Heard = slices.Clone(a.Heard)
	at, known := slices.BinarySearchFunc(a.Heard, b.Channel, func(h HeardAt, c Channel) int {
		return cmp.Compare(h.Channel, c)
	})
	if !known {
		a.Heard = slices.Insert(a.Heard, at, HeardAt{Channel: b.Channel})
	}
	a.Heard[at].At = e.At
	for _, s := range b.Sightings {
		if s.At.After(a.ActedAt) {
			a.ActedAt = s.At
		}
		if s.About != nil {
			a = a.about(*s.About)
		}
	}
	return a
}

// about returns what is known together with what a channel says.
func (a Attached) about(b SightedAbout) Attached {
	a.Version, a.Model = longer(a.Version, b.Version), longer(a.Model, b.Model)
	a.Folder, a.Title = longer(a.Folder, b.Folder), longer(a.Title, b.Title)
	return a
}

// longer returns the longer of two texts, and of equally long ones the later in the alphabet.
func longer(a, b safety.Text) safety.Text {
	x, y := a.String(), b.String()
	if cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)) < 0 {
		return b
	}
	return a
}

// Sight records the facts that a channel reports about the turn with the key b.Key, or with an empty key about the
// agent's session as a whole, and returns how many of them were new. It leaves out known facts, and records nothing if
// none is new. An unknown key begins the next turn. It fails with ErrNoThread, with ErrObserved if the thread is not an
// attached agent's, with ErrManySightings, and with ErrFull or ErrServerFull.
func (s *Session) Sight(threadID string, b Sighted) (news int, err error) {
	return s.SightAs(threadID, b.Key, b)
}

// SightAs is like Sight, but first renames the turn with the key oldKey to b.Key. It does not rename if there is no
// such turn, or if b.Key already names one.
func (s *Session) SightAs(threadID, oldKey string, b Sighted) (news int, err error) {
	number, isKnown, err := s.sightedTurn(threadID, oldKey, b.Key)
	if err != nil {
		return 0, err
	}
	if b.Sightings, err = s.unknown(threadID, number, isKnown, b); err != nil || len(b.Sightings) == 0 {
		return 0, err
	}
	cost := costOf(b)
	err = s.charged(cost, func() (int, error) {
		th, err := s.lookup(threadID)
		if err != nil {
			return 0, err
		}
		ref := Ref{Thread: threadID}
		if b.Key != "" {
			ref.Turn = th.numberOf(oldKey, b.Key)
		}
		_, err = s.add(ref, b)
		return cost, err
	})
	return len(b.Sightings), err
}

// sightedTurn returns the number of the turn with a key, or with the one that it was known by, and whether there is
// such a turn yet.
func (s *Session) sightedTurn(threadID, oldKey, key string) (number int, known bool, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	th, err := s.lookup(threadID)
	switch {
	case err != nil:
		return 0, false, err
	case !th.origin.Attached():
		return 0, false, fmt.Errorf("thread %s: %w", threadID, ErrObserved)
	case key == "":
		return 0, false, nil
	}
	number = th.numberOf(oldKey, key)
	known = number <= th.total()
	if !known && number > MaxAttachedTurns {
		return 0, false, fmt.Errorf("%w: %d turns", ErrManySightings, MaxAttachedTurns)
	}
	return number, known, nil
}

// unknown returns those facts that would change the turn. Nothing of a turn that was dropped is news.
func (s *Session) unknown(threadID string, number int, known bool, b Sighted) (news []Sighting, err error) {
	if number == 0 {
		return s.unknownAbout(threadID, b)
	}
	var all sightings
	if known {
		f, err := s.folded(threadID, number)
		if errors.Is(err, ErrDropped) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		all = f.head.facts
	}
	for _, fact := range b.Sightings {
		if all.changes(&sightedFact{fact, b.Channel}) {
			news = append(news, fact)
		}
	}
	if len(all)+len(news) > MaxSightings {
		return nil, fmt.Errorf("turn %d: %w: %d", number, ErrManySightings, MaxSightings)
	}
	return news, nil
}

// unknownAbout returns the facts if they tell anything new of the agent's session.
func (s *Session) unknownAbout(threadID string, b Sighted) ([]Sighting, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	th, err := s.lookup(threadID)
	if err != nil {
		return nil, err
	}
	with := th.attached.hear(Event{}, b)
	a := th.attached
	if len(with.Heard) == len(a.Heard) && with.Version == a.Version && with.Model == a.Model &&
		with.Folder == a.Folder && with.Title == a.Title {
		return nil, nil
	}
	return b.Sightings, nil
}

// numberOf returns the number of the turn with a key, or with the one that it was known by: the next one if there is
// none.
func (th *thread) numberOf(oldKey, key string) int {
	for _, k := range []string{key, oldKey} {
		if at := slices.Index(th.keys, k); at >= 0 {
			return at + 1
		}
	}
	return th.total() + 1
}

// keep remembers the key of a turn.
func (th *thread) keep(number int, key string) {
	for len(th.keys) < number {
		th.keys = append(th.keys, "")
	}
	th.keys[number-1] = key
}
