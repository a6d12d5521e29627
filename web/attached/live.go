package attached

import (
	"time"

	"candor/attach"
)

// The bounds of what is remembered of agents that report by hooks.
const (
	maxLive = 1000    // sessions
	maxSaid = 4 << 20 // of all texts of a user that come in pieces, in bytes
	maxSubs = 100     // sub-agents of a session whose turn is remembered
)

// live is what hooks of an agent's session left open.
type live struct {
	user, thread string

	turn     string              // id of the latest prompt
	speakers map[string]*speaker // by the sub-agent's id
	subs     map[string]string   // the turn that a sub-agent was begun in, of those whose hooks do not name it
	heard    time.Time

	unnamed []unnamedCall // of the turn, as they began
}

// settle returns a sighting in the form in which it is recorded, together with what came before it and can be
// recorded only now. A text that hooks told in pieces belongs to the next call of the same agent. It is cleaned as one,
// since a secret may stand across two pieces, and told again as a whole when a piece comes late. A prompt ends the turn
// before it, of whose end no hook may have told: the person may have stopped it. What was said and is followed by
// neither a call nor an end is lost with the server; the session file has it.
func (t *taking) settle(thread string, s attach.Sighting) (all []attach.Sighting) {
	if s.Channel != attach.Hooks || s.About != nil {
		return []attach.Sighting{s}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.liveOf(thread)
	if s.Turn == "" {
		s.Turn = l.turnOf(s.Sub)
	}
	if !l.name(&s) {
		return nil
	}
	all = l.over(s)
	// A sub-agent in the background may belong to an earlier turn, which its hooks must not bring back.
	if s.Sub == "" || l.turn == "" {
		l.turn = s.Turn
	}
	k := l.speaker(s.Sub)
	switch {
	case s.Said != nil && s.Group == "" && s.Call == "":
		all = append(all, k.say(s)...)
		t.boundTexts(l.user)
		return all
	case s.Called != nil:
		all = append(all, k.begin(s)...)
	case s.Batched != nil:
		k.end(s.Batched.Calls)
	case s.Ended != nil:
		delete(l.speakers, s.Sub) // its last words are the answer, which the end has
	}
	return append(all, s)
}

// over returns the end of the turn before a prompt that begins another.
func (l *live) over(s attach.Sighting) []attach.Sighting {
	if s.Prompted == nil || l.turn == "" || l.turn == s.Turn {
		return nil
	}
	clear(l.speakers)
	return []attach.Sighting{{
		Agent: s.Agent, Session: s.Session, Channel: s.Channel, At: s.At, Turn: l.turn, Ended: &attach.Ended{},
	}}
}

// turnOf returns the turn of a hook that names none: the latest, or for a sub-agent that in which it was first heard,
// since it may go on when the person has asked for something else. It is empty if the server began after that turn.
func (l *live) turnOf(sub string) string {
	turn := l.turn
	switch first, known := l.subs[sub]; {
	case known:
		turn = first
	case sub != "" && len(l.subs) < maxSubs:
		l.subs[sub] = turn
	}
	return turn
}

// speaker returns an agent of the session. One beyond the bound is not remembered.
func (l *live) speaker(sub string) *speaker {
	k := l.speakers[sub]
	if k == nil {
		if k = new(speaker); len(l.speakers) < maxSpeakers {
			l.speakers[sub] = k
		}
	}
	return k
}

// boundTexts drops texts of a user where they are too long together, first those of the thread that was silent the
// longest: no call may ever come after them. The caller holds mu.
func (s *Server) boundTexts(user string) {
	for s.saidBy(user) > maxSaid {
		clear(s.silentest(func(l *live) bool { return l.user == user && l.said() > 0 }).speakers)
	}
}

// saidBy returns how many bytes the texts of a user have. The caller holds mu.
func (s *Server) saidBy(user string) (n int) {
	for _, l := range s.open {
		if l.user == user {
			n += l.said()
		}
	}
	return n
}

// said returns how many bytes the texts of the thread have.
func (l *live) said() (n int) {
	for _, k := range l.speakers {
		n += len(k.text())
	}
	return n
}

// liveOf returns what is remembered of a thread, for which it forgets the one that was silent the longest. The caller
// holds mu.
func (t *taking) liveOf(thread string) *live {
	l := t.open[thread]
	if l == nil {
		if len(t.open) >= maxLive {
			delete(t.open, t.silentest(func(*live) bool { return true }).thread)
		}
		l = &live{user: t.user, thread: thread, speakers: map[string]*speaker{}, subs: map[string]string{}}
		t.open[thread] = l
	}
	l.heard = t.Now()
	return l
}

// silentest returns the thread that was silent the longest, of those for which among holds. The caller holds mu.
func (s *Server) silentest(among func(l *live) bool) (oldest *live) {
	for _, l := range s.open {
		if among(l) && (oldest == nil || l.heard.Before(oldest.heard)) {
			oldest = l
		}
	}
	return oldest
}
