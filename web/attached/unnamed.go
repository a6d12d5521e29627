package attached

import (
	"strconv"
	"strings"
	"time"

	"candor/attach"
)

// maxUnnamed bounds the calls of a turn that are told apart though their channel has no ids of them.
const maxUnnamed = 1000

// unnamedCall is a call of which no id is known. It is remembered until its turn is over, and lost with the server;
// then its end is not heard, and the session file tells how it ended.
type unnamedCall struct {
	alike string // what equal calls share
	at    time.Time
	id    string // ours
	ended bool
}

// name gives a call without an id one of ours, by which its beginning and its end are one call; ok is false for an end
// whose beginning was not heard, and for calls beyond the bound. The id is made of the turn and the time, and of
// nothing that stands in the call's parameters. Of equal calls that run side by side the one that began first is taken
// to end first: which it was nobody can know, and where the session file tells it, its word counts.
func (l *live) name(s *attach.Sighting) (ok bool) {
	if s.Turn != l.turn {
		l.unnamed = nil
	}
	if !s.Unnamed {
		return true
	}
	if s.Returned != nil {
		for i := range l.unnamed {
			if c := &l.unnamed[i]; c.alike == s.Call && !c.ended {
				s.Call, c.ended = c.id, true
				return true
			}
		}
		return false
	}
	// Two hooks may have one time, which is of whole milliseconds.
	same := 0 // that began at the same time
	for _, c := range l.unnamed {
		if !c.at.Equal(s.At) {
			continue
		}
		if c.alike == s.Call { // the hook came twice
			s.Call = c.id
			return true
		}
		same++
	}
	if len(l.unnamed) >= maxUnnamed {
		return false
	}
	id := strings.Join([]string{s.Turn, s.At.UTC().Format(time.RFC3339Nano), strconv.Itoa(same)}, "\x00")
	l.unnamed = append(l.unnamed, unnamedCall{alike: strings.Clone(s.Call), at: s.At, id: id})
	s.Call = id
	return true
}
