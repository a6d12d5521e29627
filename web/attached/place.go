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

// Codex's telemetry names no turn, and reports a sub-agent as a conversation of its own. This file finds the turn and
// the session of such facts.

// turnless are the programs with such telemetry.
var turnless = []string{"codex"}

// The bounds of what is remembered for it of a user.
const (
	maxRoots     = 4096    // sub-agents
	maxHeld      = 100     // conversations of which something is held
	maxHeldBytes = 1 << 20 // of all that is held, as JSON
)

// unplaced holds what is needed to place one user's telemetry that names no turn, by thread name. It is lost with the
// server.
type unplaced struct {
	roots map[string]string            // the session of a sub-agent
	begun []string                     // names of roots, the one that was begun first first
	held  map[string][]attach.Sighting // of conversations whose place is not known
	order []string                     // names of held, the one that waits longest first
	bytes int                          // of all that is held
}

// toldKey prefixes the keys of turns known only from such telemetry.
const toldKey = "told"

// placed moves a sub-agent's telemetry into its session, and holds back what cannot be placed yet.
func (t *taking) placed(all []attach.Sighting) (out []attach.Sighting) {
	open := map[string]bool{} // not asked for under mu, since Forget is called under the session's lock
	for _, s := range all {
		if s.Prompted != nil && isTurnless(s) {
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
		if isTurnless(s) {
			out = append(out, u.place(s, open)...)
		} else {
			out = append(out, s)
		}
		if s.Spawned != nil && s.Sub != "" && s.Sub != s.Session && slices.Contains(turnless, s.Agent) {
			out = append(out, u.begin(s)...)
		}
	}
	return out
}

// isTurnless reports whether a sighting is of such telemetry.
func isTurnless(s attach.Sighting) bool {
	return s.Channel == attach.Telemetry && s.Turn == "" && slices.Contains(turnless, s.Agent)
}

// Forget drops the waiting texts of a user who deleted a thread: telemetry without a known place, which may belong to
// one of the thread's sub-agents. It keeps ids, so that later calls of the agent are still asked about and shown where
// they belong. It may be called while the session is locked.
func (s *Server) Forget(user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u := s.unplaced[user]; u != nil {
		clear(u.held)
		u.order, u.bytes = nil, 0
	}
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
		return u.hold(name, s)
	}
	open[name] = true
	return append(u.release(name), s)
}

// hold keeps a sighting. It returns what was held longest if there is no room for all: that is then shown as a
// conversation of its own.
func (u *unplaced) hold(name string, s attach.Sighting) (out []attach.Sighting) {
	n := sizeOf(s)
	for len(u.order) > 0 && (u.bytes+n > maxHeldBytes || u.held[name] == nil && len(u.held) >= maxHeld) {
		out = append(out, u.release(u.order[0])...)
	}
	if n > maxHeldBytes {
		return append(out, s)
	}
	if u.held[name] == nil {
		u.order = append(u.order, name)
	}
	u.held[name] = append(u.held[name], s)
	u.bytes += n
	return out
}

// release returns what was held of a conversation.
func (u *unplaced) release(name string) []attach.Sighting {
	held := u.held[name]
	if held == nil {
		return nil
	}
	delete(u.held, name)
	u.order = slices.DeleteFunc(u.order, func(n string) bool { return n == name })
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

// begin remembers the session of a sub-agent that was begun, and returns what was held of it.
func (u *unplaced) begin(s attach.Sighting) (out []attach.Sighting) {
	session := strings.Clone(s.Session)
	if root := u.roots[threadName(s)]; root != "" {
		session = root
	}
	s.Session = s.Sub
	name := threadName(s)
	if u.roots[name] == "" {
		u.begun = append(u.begun, name)
	}
	if len(u.begun) > maxRoots {
		delete(u.roots, u.begun[0])
		u.begun = u.begun[1:]
	}
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
