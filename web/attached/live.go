package attached

import (
	"time"

	"candor/attach"
)

// The bounds of what is remembered of agents that report by hooks.
const (
	maxLive = 1000 // sessions
	maxSubs = 100  // sub-agents of a session whose turn is remembered
)

// live is what hooks of an agent's session left open.
type live struct {
	thread string

	turn  string            // id of the latest prompt
	subs  map[string]string // the turn that a sub-agent was begun in, of those whose hooks do not name it
	heard time.Time

	unnamed []unnamedCall // of the turn, as they began
}

// settle returns a sighting in the form in which it is recorded, together with what only now is known to have happened
// before it. A prompt ends the turn before it, of whose end no hook may have told: the person may have stopped it.
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
	return append(all, s)
}

// over returns the end of the turn before a prompt that begins another.
func (l *live) over(s attach.Sighting) []attach.Sighting {
	if s.Prompted == nil || l.turn == "" || l.turn == s.Turn {
		return nil
	}
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

// liveOf returns what is remembered of a thread, for which it forgets the one that was silent the longest. The caller
// holds mu.
func (t *taking) liveOf(thread string) *live {
	l := t.open[thread]
	if l == nil {
		if len(t.open) >= maxLive {
			delete(t.open, t.silentest().thread)
		}
		l = &live{thread: thread, subs: map[string]string{}}
		t.open[thread] = l
	}
	l.heard = t.Now()
	return l
}

// silentest returns the thread that was silent the longest. The caller holds mu.
func (s *Server) silentest() (oldest *live) {
	for _, l := range s.open {
		if oldest == nil || l.heard.Before(oldest.heard) {
			oldest = l
		}
	}
	return oldest
}
