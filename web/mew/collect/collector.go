package collect

import (
	"cmp"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"time"

	"candor/safety"
	"candor/session"
	"candor/web/mew/wire"
)

// Protocol is the name of the protocol in a thread's origin.
const Protocol = "mew"

// The kinds of messages that are folded.
const (
	kindStart      = "reasoning/start"
	kindThought    = "reasoning/thought"
	kindConclusion = "reasoning/conclusion"
	kindCancel     = "reasoning/cancel"
	kindChat       = "chat"
	kindRequest    = "mcp/request"
	kindResponse   = "mcp/response"
	kindProposal   = "mcp/proposal"
	kindWithdraw   = "mcp/withdraw"
	kindReject     = "mcp/reject"
	kindShutdown   = "participant/shutdown"
)

// The defaults of those limits that have a flag.
const (
	DefaultDepth  = 5
	DefaultLength = 255
	DefaultIdle   = 5 * time.Minute
)

// Limits bounds what a space may have open. The zero value of a field means its default.
type Limits struct {
	Depth    int // levels of a context's path; DefaultDepth
	Length   int // bytes of a context's path; DefaultLength
	Open     int // contexts of a space that are open at once; 1,000
	OpenEach int // of one participant; 100
	Messages int // in one context; 1,000

	Idle        time.Duration // how long a reasoning may be silent before it has ended; DefaultIdle
	AnswerGrace time.Duration // how long it may be silent once it was answered; 30 seconds
}

// withDefaults returns the limits with every default filled in.
func (l Limits) withDefaults() Limits {
	l.Depth, l.Length = cmp.Or(l.Depth, DefaultDepth), cmp.Or(l.Length, DefaultLength)
	l.Open, l.OpenEach, l.Messages = cmp.Or(l.Open, 1000), cmp.Or(l.OpenEach, 100), cmp.Or(l.Messages, 1000)
	l.Idle, l.AnswerGrace = cmp.Or(l.Idle, DefaultIdle), cmp.Or(l.AnswerGrace, 30*time.Second)
	return l
}

// Options says where a space is folded to. All fields but Limits and Now are required.
type Options struct {
	Space  string                           // its name, which its owner chose
	Open   func() (*session.Session, error) // returns the owner's session
	Safety *safety.Layer
	Log    *slog.Logger // gets no text of a participant
	Limits Limits
	Now    func() time.Time // nil means time.Now
}

// Collector folds one space. It is not safe for concurrent use.
type Collector struct {
	space  string
	opened func() (*session.Session, error)
	safety *safety.Layer
	log    *slog.Logger
	limits Limits
	now    func() time.Time
	state
}

// state is what is known of the space as it is folded into one session.
type state struct {
	own        *session.Session // nil before the first message
	layer      *safety.Layer
	name       safety.Text
	speakers   map[string]*speaker
	contexts   map[string]*reasoning // by path; those that have ended stay for a while
	paths      map[string]string     // path by the id that a context ends with
	ended      []*reasoning          // oldest first
	open       int                   // contexts that have not ended
	askedBytes int                   // of proposals that wait for the page
	memory     memory
	unkept     []unkept // facts that the storage has not kept yet, in order
	folded     string   // the id of the message that they are of, if all of it was folded
	failed     error    // why a turn or a thread could not be begun for the latest message
}

// unkept is a fact that the storage did not keep.
type unkept struct {
	ref  session.Ref
	body session.Body
}

// New returns a collector of a space of which nothing has been said yet.
func New(o Options) *Collector {
	now := o.Now
	if now == nil {
		now = time.Now
	}
	return &Collector{
		space: o.Space, opened: o.Open, safety: o.Safety, log: o.Log, limits: o.Limits.withDefaults(), now: now,
	}
}

// ready makes sure that the space is folded into the owner's present session. If that was
// evicted, nothing of the space is known any more.
func (c *Collector) ready() (bool, error) {
	own, err := c.opened()
	if errors.Is(err, session.ErrStorage) {
		return false, err
	}
	if err != nil {
		c.log.Warn("a message of a space was not recorded", "space", c.space, "error", err)
		return false, nil
	}
	if own == c.own {
		return true, c.keepRest()
	}
	layer := c.safety.Remember(own.Seen())
	name, _ := layer.Limit(maxName).Mask(oneLine(c.space))
	c.state = state{
		own: own, layer: layer, name: name, speakers: map[string]*speaker{}, contexts: map[string]*reasoning{},
		paths: map[string]string{}, memory: memory{known: map[string]*message{}},
	}
	return true, nil
}

// keepRest appends what the storage has not kept yet. It fails while the storage does.
func (c *Collector) keepRest() error {
	for len(c.unkept) > 0 {
		_, err := c.own.Append(c.unkept[0].ref, c.unkept[0].body)
		if errors.Is(err, session.ErrStorage) {
			return err
		}
		c.lost(err)
		c.unkept = c.unkept[1:]
	}
	return nil
}

// lost logs that something was not recorded.
func (c *Collector) lost(err error) {
	if err != nil {
		c.log.Warn("a message of a space was not recorded", "space", c.space, "error", err)
	}
}

// speaker is a participant with its thread.
type speaker struct {
	id     string
	name   safety.Text
	thread string
	turns  []*turn   // that are open, oldest first
	past   []*turn   // that ended last, oldest first; at most maxPast
	open   int       // contexts that have not ended
	left   time.Time // when it went, zero while it is there
	visits int       // how often it has come back
	gone   bool      // it went and has not come back
}

// speaker returns the participant with this id, and opens its thread if it has none. It is nil
// if the session has no room for a thread.
func (c *Collector) speaker(id string) *speaker {
	if s := c.speakers[id]; s != nil {
		return s
	}
	name, _ := c.layer.Limit(maxName).Mask(oneLine(id))
	s := &speaker{id: id, name: name}
	if !c.openThread(s) {
		return nil
	}
	if len(c.speakers) >= maxSpeakers {
		c.forgetSpeakers()
	}
	c.speakers[id] = s
	return s
}

// openThread opens a participant's thread, and reports whether the session has room for it.
func (c *Collector) openThread(s *speaker) bool {
	thread, err := c.own.OpenObserved(c.space+"\x00"+s.id, session.Origin{
		Protocol: Protocol, Space: c.name, Participant: s.name,
	})
	if err != nil {
		c.fail(err)
		c.log.Warn("a participant of a space has no thread", "space", c.space, "error", err)
		return false
	}
	s.thread = thread
	return true
}

// reopenThread opens a participant's thread anew after the owner has deleted it. Nothing is added to the
// turns that it had: their numbers are those of other turns from now on.
func (c *Collector) reopenThread(s *speaker) bool {
	forget := func(t *turn) {
		if t != nil && t.owner == s {
			t.ref = session.Ref{}
		}
	}
	for _, r := range c.contexts {
		forget(r.turn)
	}
	for _, m := range c.memory.known {
		forget(m.where.turn)
	}
	for _, t := range s.past {
		forget(t)
	}
	s.past = nil
	return c.openThread(s)
}

// forgetSpeakers forgets the participants that are gone and have nothing open. Their threads stay, and
// are found again by their names.
func (c *Collector) forgetSpeakers() {
	maps.DeleteFunc(c.speakers, func(_ string, s *speaker) bool {
		return s.gone && len(s.turns) == 0 && s.open == 0
	})
}

// Author returns the participant whose thread this is, and whether it is one of the space.
func (c *Collector) Author(thread string) (participant string, ok bool) {
	for _, s := range c.speakers {
		if s.thread == thread {
			return s.id, true
		}
	}
	return "", false
}

// Running returns the path of the context that the participant of a thread began last and that
// is open, and the turn that it belongs to.
func (c *Collector) Running(thread string) (path string, ref session.Ref, ok bool) {
	participant, ok := c.Author(thread)
	if !ok {
		return "", session.Ref{}, false
	}
	s := c.speakers[participant]
	for _, t := range slices.Backward(s.turns) {
		if t.root != nil {
			return t.root.path, t.ref, true
		}
	}
	return "", session.Ref{}, false
}

// Observe folds a message that Admit has admitted with this path. It fails with session.ErrStorage if the storage
// did not keep all of it, and then keeps the rest as soon as it can; the message may be observed again.
func (c *Collector) Observe(e wire.Envelope, path string) error {
	ready, err := c.ready()
	if !ready || err != nil {
		return err
	}
	again := c.folded == e.From+" "+e.ID
	if c.folded = ""; again {
		return nil
	}
	c.failed = nil
	c.layer = c.layer.By(wire.Guest(c.own.User(), c.space, e.From))
	c.observe(e, path)
	switch {
	case c.failed != nil:
		return c.failed
	case len(c.unkept) > 0:
		c.folded = e.From + " " + e.ID
		return session.ErrStorage
	}
	return nil
}

// fail notes that something could not be begun since the storage failed.
func (c *Collector) fail(err error) {
	if errors.Is(err, session.ErrStorage) {
		c.failed = err
	}
}

// observe folds a message.
func (c *Collector) observe(e wire.Envelope, path string) {
	from := c.speaker(e.From)
	if from == nil {
		return
	}
	m := &message{id: e.ID, from: from, kind: e.Kind}
	if r := c.contexts[path]; r != nil && path != "" {
		c.noteMetadata(r.turn, m, e)
	}
	switch e.Kind {
	case kindStart:
		c.start(m, e, path)
	case kindThought:
		c.think(m, e, path)
	case kindConclusion:
		c.conclude(from, e, path)
	case kindCancel:
		c.cancel(from, e, path)
	case kindChat:
		c.chat(m, e, path)
	case kindRequest:
		c.request(m, e, path)
	case kindResponse:
		c.response(from, e, path)
	case kindProposal:
		c.propose(m, e, path)
	case kindReject, kindWithdraw:
		c.refuse(from, e)
	case kindShutdown:
		c.shutdown(from, e)
	default:
		c.other(from, e, path)
	}
	if m.where.turn != nil {
		c.memory.add(m)
		c.noteMetadata(m.where.turn, m, e)
	}
}

// noteMetadata records what a message and its context say of themselves beside their text, once while it stays
// the same.
func (c *Collector) noteMetadata(t *turn, m *message, e wire.Envelope) {
	inPayload := members(e.Payload)["metadata"]
	for i, raw := range []json.RawMessage{e.Context.Metadata, inPayload} {
		if len(raw) == 0 || raw[0] != '{' || string(raw) == t.metadata[i] {
			continue
		}
		t.metadata[i] = string(raw)
		clean, found := c.value(raw)
		text, _ := c.mask("metadata: " + string(clean.Raw()))
		c.record(t.ref, session.Noted{From: m.from.name, Kind: session.NoteOther, Text: text, Findings: found})
	}
}

// record appends an event to a turn, and reports whether there was room for it.
func (c *Collector) record(ref session.Ref, b session.Body) bool {
	var err error
	if len(c.unkept) == 0 {
		_, err = c.own.Append(ref, b)
	}
	if len(c.unkept) > 0 || errors.Is(err, session.ErrStorage) {
		c.unkept = append(c.unkept, unkept{ref, b})
		return true
	}
	c.lost(err)
	return err == nil
}
