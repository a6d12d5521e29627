package attached

import (
	"slices"
	"strings"
	"time"

	"candor/attach"
	"candor/session"
)

// Codex's telemetry names no turn, and has a sub-agent as a conversation of its own. This file finds where such facts
// belong.

// The bounds of what is remembered for it.
const (
	maxRoots = 4096 // sub-agents
	maxHeld  = 100  // conversations of which something is held, and facts of one
)

// toldKey begins the keys of turns of which only telemetry has told that names none.
const toldKey = "told"

// placed returns the sightings of a request with those of sub-agents in the sessions that these belong to. What nobody
// knows the place of, yet, is held until something tells it, and lost with the server.
func (t *taking) placed(all []attach.Sighting) (out []attach.Sighting) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range all {
		if s.Channel == attach.Telemetry && s.Turn == "" {
			out = append(out, t.place(s)...)
		} else {
			out = append(out, s)
		}
		if s.Spawned != nil && s.Sub != "" && s.Sub != s.Session {
			out = append(out, t.begun(s)...)
		}
	}
	return out
}

// place returns a sighting where it belongs, and what was held until then. A conversation that begins with a prompt may
// turn out to be a sub-agent's, so that the prompt waits for a call, of which telemetry says whether a sub-agent made
// it: then the sub-agent is the session's own id. The task of a sub-agent is dropped, since it is among the parameters
// of the call that began it. The caller holds mu.
func (t *taking) place(s attach.Sighting) []attach.Sighting {
	name := t.user + "\x00" + threadName(s)
	held := t.held[name]
	isSub := func(s attach.Sighting) bool { return s.Sub == s.Session }
	switch {
	case t.root(s) != "":
		return t.inRoot(s)
	case isSub(s), slices.ContainsFunc(held, isSub), s.Prompted != nil && !t.own.HasObserved(threadName(s)):
		if len(held) < maxHeld && (held != nil || len(t.held) < maxHeld) {
			t.held[name] = append(held, s)
		}
		return nil
	}
	delete(t.held, name)
	return append(held, s)
}

// inRoot returns a sub-agent's sighting as one of the session that it belongs to. The caller holds mu.
func (t *taking) inRoot(s attach.Sighting) []attach.Sighting {
	if s.Prompted != nil || s.About != nil {
		return nil
	}
	if s.Sub == "" {
		s.Sub = s.Session
	}
	s.Session = t.root(s)
	return []attach.Sighting{s}
}

// begun remembers the session of a sub-agent that was begun, and returns what was held of it. The caller holds mu.
func (t *taking) begun(s attach.Sighting) (out []attach.Sighting) {
	session := strings.Clone(s.Session)
	if root := t.root(s); root != "" {
		session = root
	}
	if len(t.roots) >= maxRoots {
		clear(t.roots)
	}
	s.Session = s.Sub
	name := t.user + "\x00" + threadName(s)
	t.roots[name] = session
	for _, one := range t.held[name] {
		out = append(out, t.inRoot(one)...)
	}
	delete(t.held, name)
	return out
}

// root returns the session that a conversation is a sub-agent's of, or "". The caller holds mu.
func (t *taking) root(s attach.Sighting) string { return t.roots[t.user+"\x00"+threadName(s)] }

// keyOf returns the key of the turn that a fact belongs to, and the key that this turn is known by until now.
func (t *taking) keyOf(thread string, s attach.Sighting) (key, was string, err error) {
	switch {
	case s.Turn != "":
		key = ourID("prompt", s.Turn)
		was, err = t.toldAs(thread, key, s)
		return key, was, err
	case s.Channel != attach.Telemetry:
		return noTurn, noTurn, nil
	}
	// What came before it in this request may say where it belongs.
	if b := t.batch; b.thread == thread && s.Call != "" && len(b.facts) > 0 &&
		b.facts[len(b.facts)-1].Call == ourID("call", s.Call) {
		return b.key, b.was, nil
	}
	if err := t.flush(); err != nil {
		return "", "", err
	}
	fact := t.probe(s)
	key, err = t.own.KeyOf(thread, session.FromTelemetry, fact)
	switch {
	case key != "" || err != nil:
	case s.Prompted != nil:
		key = ourID(toldKey, s.Session+"\x00"+s.At.UTC().Format(time.RFC3339Nano))
	default:
		key, err = t.own.KeyAt(thread, fact.At)
	}
	if key == "" {
		key = noTurn
	}
	return key, key, err
}

// probe returns as much of a sighting as says where it belongs.
func (t *taking) probe(s attach.Sighting) session.Sighting {
	if s.Prompted != nil {
		return t.clean(s)
	}
	return session.Sighting{At: s.At.UTC().Truncate(time.Microsecond), Sub: ourID("agent", s.Sub),
		Call: ourID("call", s.Call)}
}

// toldAs returns the key by which the turn of a sighting is known, if so far only telemetry has told of it, by whatever
// the request tells of the turn; else the turn's own key.
func (t *taking) toldAs(thread, key string, s attach.Sighting) (was string, err error) {
	name := thread + "\x00" + key
	if was, ok := t.was[name]; ok {
		return was, nil
	}
	t.was[name] = key
	if !t.own.KeyedBy(thread, toldKey) || t.own.KeyedBy(thread, key) {
		return key, nil
	}
	for _, one := range slices.Concat([]attach.Sighting{s}, t.all) {
		if one.Agent != s.Agent || one.Session != s.Session || one.Turn != s.Turn ||
			one.Called == nil && one.Prompted == nil {
			continue
		}
		as, err := t.own.KeyOf(thread, channels[s.Channel], t.probe(one))
		if err != nil {
			return "", err
		}
		if strings.HasPrefix(as, toldKey) {
			t.was[name] = as
			return as, nil
		}
	}
	return key, nil
}
