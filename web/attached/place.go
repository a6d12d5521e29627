package attached

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"candor/attach"
	"candor/session"
)

// Codex's telemetry names no turn, and has a sub-agent as a conversation of its own. This file finds where such facts
// belong.

// The bounds of what is remembered for it of a user.
const (
	maxRoots     = 4096    // sub-agents
	maxHeld      = 100     // conversations of which something is held
	maxHeldBytes = 1 << 20 // of all that is held, as JSON
)

// unplaced is what is remembered of a user for it, by the names of threads. It is lost with the server.
type unplaced struct {
	roots map[string]string            // the session of a sub-agent
	held  map[string][]attach.Sighting // of conversations whose place is not known
	bytes int                          // of all that is held
}

// toldKey begins the keys of turns of which only telemetry has told that names none.
const toldKey = "told"

// placed returns the sightings of a request with those of sub-agents in the sessions that these belong to. What nobody
// knows the place of, yet, is held until something tells it.
func (t *taking) placed(all []attach.Sighting) (out []attach.Sighting) {
	open := map[string]bool{} // not asked for under mu, since Forget is called under the session's lock
	for _, s := range all {
		if s.Prompted != nil && s.Channel == attach.Telemetry && s.Turn == "" {
			open[threadName(s)] = t.own.HasObserved(threadName(s))
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	u := t.unplaced[t.user]
	if u == nil {
		u = &unplaced{roots: map[string]string{}, held: map[string][]attach.Sighting{}}
		t.unplaced[t.user] = u
	}
	for _, s := range all {
		if s.Channel == attach.Telemetry && s.Turn == "" {
			out = append(out, u.place(s, open)...)
		} else {
			out = append(out, s)
		}
		if s.Spawned != nil && s.Sub != "" && s.Sub != s.Session {
			out = append(out, u.begun(s)...)
		}
	}
	return out
}

// Forget drops what waits of a user, of whose session a part is gone. It may be called while the session is locked.
func (s *Server) Forget(user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.unplaced, user)
}

// place returns a sighting where it belongs, and what was held until then. A conversation that begins with a prompt may
// turn out to be a sub-agent's, so that the prompt waits for a call, of which telemetry says whether a sub-agent made
// it: then the sub-agent is the session's own id. The task of a sub-agent is dropped, since it is among the parameters
// of the call that began it.
func (u *unplaced) place(s attach.Sighting, open map[string]bool) []attach.Sighting {
	name := threadName(s)
	isSub := func(s attach.Sighting) bool { return s.Sub == s.Session }
	switch {
	case u.roots[name] != "":
		return u.inRoot(s)
	case isSub(s), slices.ContainsFunc(u.held[name], isSub), s.Prompted != nil && !open[name]:
		u.hold(name, s)
		return nil
	}
	open[name] = true
	return append(u.release(name), s)
}

// hold keeps a sighting, if there is room.
func (u *unplaced) hold(name string, s attach.Sighting) {
	if n := sizeOf(s); u.bytes+n <= maxHeldBytes && (u.held[name] != nil || len(u.held) < maxHeld) {
		u.held[name] = append(u.held[name], s)
		u.bytes += n
	}
}

// release returns what was held of a conversation.
func (u *unplaced) release(name string) []attach.Sighting {
	held := u.held[name]
	delete(u.held, name)
	for _, s := range held {
		u.bytes -= sizeOf(s)
	}
	return held
}

// sizeOf returns how large a sighting is as JSON.
func sizeOf(s attach.Sighting) int {
	raw, err := json.Marshal(s)
	if err != nil {
		return maxHeldBytes // it came as JSON, or is one that we made
	}
	return len(raw)
}

// inRoot returns a sub-agent's sighting as one of the session that it belongs to.
func (u *unplaced) inRoot(s attach.Sighting) []attach.Sighting {
	if s.Prompted != nil || s.About != nil {
		return nil
	}
	root := u.roots[threadName(s)]
	if s.Sub == "" {
		s.Sub = s.Session
	}
	s.Session = root
	return []attach.Sighting{s}
}

// begun remembers the session of a sub-agent that was begun, and returns what was held of it.
func (u *unplaced) begun(s attach.Sighting) (out []attach.Sighting) {
	session := strings.Clone(s.Session)
	if root := u.roots[threadName(s)]; root != "" {
		session = root
	}
	if len(u.roots) >= maxRoots {
		clear(u.roots)
	}
	s.Session = s.Sub
	name := threadName(s)
	u.roots[name] = session
	for _, one := range u.release(name) {
		out = append(out, u.inRoot(one)...)
	}
	return out
}

// keyOf returns the key of the turn that a fact belongs to, and the key that this turn is known by until now.
func (t *taking) keyOf(thread string, s attach.Sighting) (key, was string, err error) {
	switch {
	case s.Turn != "":
		key = ourID("prompt", s.Turn)
		was, err = t.toldAs(thread, key, s)
		return key, was, err
	case s.Channel == attach.Hooks && s.Sub != "":
		key, err = t.begunIn(thread, s)
		return key, key, err
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

// begunIn returns the key of the turn of a sub-agent whose hooks do not name it, and which was not heard since the
// server began: that in which the log has it, else the latest.
func (t *taking) begunIn(thread string, s attach.Sighting) (key string, err error) {
	if err := t.flush(); err != nil {
		return "", err
	}
	if key, err = t.own.KeyOf(thread, session.FromHooks, t.probe(s)); key == "" && err == nil {
		key = cmp.Or(t.own.LatestKey(thread), noTurn)
	}
	return key, err
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
