package attached

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"candor/attach"
	"candor/safety"
	"candor/session"
)

// maxShown bounds a name that is shown, in bytes.
const maxShown = 200

// agentNames are the names of agents' programs as people write them.
var agentNames = map[string]safety.Text{
	"claude": safety.Literal("Claude Code"), "codex": safety.Literal("Codex"),
	"gemini": safety.Literal("Gemini CLI"), "opencode": safety.Literal("OpenCode"), "qwen": safety.Literal("Qwen Code"),
	"copilot": safety.Literal("GitHub Copilot CLI"), "pi": safety.Literal("Pi"),
}

// channels are those that a sighting may come by.
var channels = map[attach.Channel]session.Channel{
	attach.File: session.FromFile, attach.Hooks: session.FromHooks,
	attach.Telemetry: session.FromTelemetry, attach.Wrapper: session.FromWrapper,
}

// ourID makes an id of ours of a stranger's. It is empty for an empty one. It depends on nothing but the id, so that
// every channel makes the same one, and is long enough that no two ids of a user's agents meet by chance.
func ourID(kind, id string) string {
	if id == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(kind + "\x00" + id))
	return kind + "_" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:12])
}

// noTurn is the key of facts that no prompt is known of.
const noTurn = "none"

// batch is a run of sightings of one turn and channel.
type batch struct {
	thread, key string
	was         string // the key that the turn is known by until then, if it is another one
	channel     session.Channel
	facts       []session.Sighting
}

// taking folds the sightings of one request into a user's session.
type taking struct {
	*Server
	user    string
	own     *session.Session
	layer   *safety.Layer
	threads map[string]string // by agent and session
	all     []attach.Sighting // of the request
	was     map[string]string // by thread and key, what a turn is known by
	batch   batch
	before  safety.Text // what the log has of the text whose next piece is taken
	taken   Taken
	// called is the last call that was told of, with the id that it was recorded with, and calledIn the key of its
	// turn.
	called   attach.Sighting
	calledIn string
}

// take records sightings in a user's session.
func (s *Server) take(ctx context.Context, user string, all []attach.Sighting) (t taking, err error) {
	t = taking{Server: s, user: user, threads: map[string]string{}, all: all, was: map[string]string{}}
	if t.own, err = s.Store.Open(ctx, user); err != nil {
		return t, err
	}
	t.layer = s.Safety.Remember(t.own.Seen())
	for _, one := range t.placed(all) {
		if err := t.one(one); err != nil {
			return t, err
		}
	}
	return t, t.flush()
}

// Record records sightings that another package read. It returns how many it refused because of invalid members: ids
// and texts that are too long, or an invalid name.
func (s *Server) Record(ctx context.Context, user string, all []attach.Sighting) (refused int, err error) {
	good := slices.DeleteFunc(slices.Clone(all), func(one attach.Sighting) bool { return invalid(one) != "" })
	_, err = s.take(ctx, user, good)
	return len(all) - len(good), err
}

// one records a sighting, with what was said before it. Sightings of a request may be of many sessions of many agents;
// they keep their order.
func (t *taking) one(s attach.Sighting) error {
	thread, err := t.thread(s)
	if err != nil {
		return err
	}
	for _, fact := range t.settle(thread, s) {
		if err := t.add(thread, fact); err != nil {
			return err
		}
		if fact.Called != nil {
			t.called, t.calledIn = fact, t.batch.key
		}
	}
	return nil
}

// add adds a sighting to the batch, which it flushes first if the sighting belongs to another. A file is thus recorded
// in few events, and what hooks tell in one event each.
func (t *taking) add(thread string, s attach.Sighting) error {
	to := batch{thread: thread, channel: channels[s.Channel]}
	if s.About == nil {
		var err error
		if to.key, to.was, err = t.keyOf(thread, s); err != nil {
			return err
		}
	}
	t.before = safety.Text{}
	if isLoose(s) {
		before, fits, err := t.saidBefore(thread, to.key, s)
		if err != nil || !fits {
			return err
		}
		t.before = before
	}
	if b := t.batch; b.thread != to.thread || b.key != to.key || b.channel != to.channel {
		if err := t.flush(); err != nil {
			return err
		}
		t.batch = to
	}
	t.batch.facts = append(t.batch.facts, t.clean(s))
	return nil
}

// flush records the batch.
func (t *taking) flush() error {
	b := t.batch
	t.batch = batch{}
	if len(b.facts) == 0 {
		return nil
	}
	news, err := t.own.SightAs(b.thread, b.was, session.Sighted{
		Key: b.key, Channel: b.channel, Sightings: b.facts,
	})
	t.taken.Taken += news
	t.taken.Known += len(b.facts) - news
	return err
}

// threadName returns the name of the thread of an agent's session.
func threadName(s attach.Sighting) string { return "attached\x00" + s.Agent + "\x00" + s.Session }

// thread returns the id of the thread of an agent's session, which it opens.
func (t *taking) thread(s attach.Sighting) (id string, err error) {
	name := threadName(s)
	if id := t.threads[name]; id != "" {
		return id, nil
	}
	participant, ok := agentNames[s.Agent]
	if !ok {
		participant = t.short(s.Agent)
	}
	origin := session.Origin{Protocol: session.AttachedProtocol, Participant: participant}
	if s.About != nil && s.About.Folder != "" {
		// The whole path is cleaned: its last part alone may be half of a secret.
		folder, _ := t.layer.Mask(s.About.Folder)
		origin.Space = t.short(path.Base(strings.ReplaceAll(folder.String(), `\`, "/")))
	}
	if id, err = t.own.OpenObserved(name, origin); err == nil {
		t.threads[name] = id
	}
	return id, err
}

// maxAgain bounds the turns in which a call is looked for that a hook asks about again: a sub-agent in the background
// may belong to an earlier one.
const maxAgain = 20

// approved reports whether a person approved a call, which has not ended, and saw the same arguments.
func (t *taking) approved(agent string, q attach.Question) bool {
	of := attach.Sighting{Agent: agent, Session: q.Session}
	if !t.own.HasObserved(threadName(of)) {
		return false // and none is opened for a question
	}
	id, err := t.thread(of)
	if err != nil {
		return false
	}
	thread, err := t.own.Thread(id)
	if err != nil {
		return false
	}
	// Arguments that are not shown as they were approve nothing: a model may use an id again.
	asked, err := t.layer.Question(q.Arguments)
	if err != nil {
		return false
	}
	for turn, err := range t.own.Turns(id, thread.Turns, max(1, thread.Turns-maxAgain)) {
		if err != nil {
			return false
		}
		if call, ok := turn.Call(ourID("call", q.Call)); ok {
			a := call.Approval
			return a != nil && a.Answer == session.Approve && call.Outcome == session.Pending &&
				a.Hidden == asked.Hidden && bytes.Equal(a.Shown.Raw(), asked.Shown.Raw())
		}
	}
	return false
}

// maxText bounds a text that comes in pieces, in bytes.
const maxText = 64 << 10

// isLoose reports whether a sighting is a text, or a piece of one, of which the hook does not say to which answer of
// the model it belongs. Package session finds the call.
func isLoose(s attach.Sighting) bool {
	return s.Said != nil && s.Channel == attach.Hooks && s.Group == "" && s.Call == ""
}

// looseGroup returns the group that the pieces of a text share.
func looseGroup(s attach.Sighting) string {
	if s.Said.Message != "" {
		return ourID(session.SaidMessage, s.Said.Message)
	}
	return ourID(session.SaidUnnamed, s.At.UTC().Format(time.RFC3339Nano)+"\x00"+s.Said.Text)
}

// saidBefore returns what the log has of a text ahead of a piece. The piece is cleaned together with it, since a secret
// may stand across pieces. ok is false for a piece that makes the text too long, which is dropped whole, so that no
// text is cut where it may hold half a secret.
func (t *taking) saidBefore(thread, key string, s attach.Sighting) (before safety.Text, ok bool, err error) {
	if s.Said.Message != "" {
		if err := t.flush(); err != nil {
			return before, false, err
		}
		before, err = t.own.SaidBefore(thread, key,
			session.Sighting{Sub: ourID("agent", s.Sub), Group: looseGroup(s), Index: s.Index})
	}
	return before, len(before.String())+len(s.Said.Text) <= maxText, err
}

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
