package attached

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"path"
	"slices"
	"strings"

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
