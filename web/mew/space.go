package mew

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"candor/session"
	"candor/web/mew/wire"
)

// gateway is the sender of the gateway's own messages.
const gateway = "system:gateway"

// space is a space and everybody in it.
type space struct {
	server      *Server
	owner, name string
	clean       bool
	id          string // random, so that positions of another life of the space are known as such

	shown atomic.Pointer[attendance] // as of the latest change of it
	said  atomic.Uint64              // messages since the space was opened

	counting sync.Mutex
	requests map[string]int // under way, by participant; never zero; counting guards it

	mu        sync.Mutex
	closed    bool
	collector Collector
	members   map[string]*member
	numbered  uint64 // participants so far
	links     map[*link]bool
	readers   int // event streams
	streams   map[string]*stream
	ids       *idSet
	history   *history
}

// member is a participant of a space. The space's lock guards it.
type member struct {
	id      string
	number  uint64 // of all that the space has had, so that a namesake is another one
	fixed   []wire.Capability
	granted []grant
	pace    *pace
	visits  int  // how often it has joined after it was away
	present int  // sockets; the owner counts as one while joined from the page
	reading int  // event streams
	shut    bool // by participant/shutdown, until it joins again
	joined  bool // the owner takes part from the page
}

// grant is a capability that another participant gave.
type grant struct {
	id         string // of the message
	capability wire.Capability
}

// newSpace returns a space as it was defined, in which nobody is.
func newSpace(s *Server, defined Space) *space {
	return &space{
		server: s, owner: defined.Owner, name: defined.Name, clean: defined.Clean, id: uuid.NewString(),
		collector: s.options.Collect(defined.Owner, defined.Name),
		members:   map[string]*member{}, links: map[*link]bool{}, streams: map[string]*stream{},
		requests: map[string]int{}, ids: newIDSet(), history: newHistory(),
	}
}

// newMember returns a participant that is not there yet, with what the owner lets it send. The caller
// holds mu, unless nobody else knows the space yet.
func (s *space) newMember(id string, fixed []wire.Capability) *member {
	o := s.server.options
	s.numbered++
	return &member{id: id, number: s.numbered, fixed: fixed, pace: newPace(o.Rate, o.ContextRate)}
}

// implied are the kinds that everybody may send: answers to what others asked of them.
var implied = []wire.Capability{
	wire.KindCapability("mcp/response"), wire.KindCapability("capability/grant-ack"),
}

// capabilities returns all that the participant may send.
func (m *member) capabilities() []wire.Capability {
	all := m.all()
	for _, c := range implied {
		if !wire.Covers(all, c) {
			all = append(all, c)
		}
	}
	return all
}

// all returns what the owner lets the participant send and what was granted.
func (m *member) all() []wire.Capability {
	all := slices.Clone(m.fixed)
	for _, g := range m.granted {
		all = append(all, g.capability)
	}
	return all
}

// person describes a participant to others.
type person struct {
	ID           string            `json:"id"`
	Connected    bool              `json:"connected"`
	Capabilities []wire.Capability `json:"capabilities"`
}

// describe returns what others see of a participant.
func (m *member) describe() person { return person{m.id, m.present > 0, m.capabilities()} }

// attendance is who takes part in a space, for readers who do not wait for the space's lock: it is held while what
// somebody said is folded, which may take long.
type attendance struct {
	joined       bool // the owner, from the page
	participants []person
}

// refresh shows who takes part now. Whoever changes that calls it. The caller holds mu, unless nobody else knows the
// space yet.
func (s *space) refresh() {
	me := s.members[participantOf(s.owner)]
	s.shown.Store(&attendance{me != nil && me.joined, s.describeAll(func(*member) bool { return true })})
}

// describeAll describes the participants, by name. The caller holds mu.
func (s *space) describeAll(wanted func(*member) bool) []person {
	all := []person{}
	for _, m := range s.members {
		if wanted(m) {
			all = append(all, m.describe())
		}
	}
	slices.SortFunc(all, func(a, b person) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// own returns the session of the space's owner.
func (s *space) own() (*session.Session, error) {
	return s.server.options.Store.Open(context.Background(), s.owner)
}

// notice is a message of the gateway's own.
type notice struct {
	Protocol    string   `json:"protocol"`
	ID          string   `json:"id"`
	TS          string   `json:"ts"`
	From        string   `json:"from"`
	To          []string `json:"to,omitempty"`
	Kind        string   `json:"kind"`
	Correlation []string `json:"correlation_id,omitempty"`
	Payload     any      `json:"payload"`
}

// newNotice encodes a message of the gateway's own. about is the message that it is about, or "".
func newNotice(kind, to, about string, payload any) wire.Envelope {
	n := notice{
		Protocol: wire.Protocol, ID: uuid.NewString(), TS: time.Now().UTC().Format(time.RFC3339Nano),
		From: gateway, Kind: kind, Payload: payload,
	}
	if to != "" {
		n.To = []string{to}
	}
	if about != "" {
		n.Correlation = []string{about}
	}
	raw, _ := json.Marshal(n)               // texts, numbers and raw JSON that was valid encode
	e, _ := wire.Parse(raw, wire.Options{}) // and it is an envelope
	return e
}

// announce broadcasts a message of the gateway's own and keeps it. The caller holds mu.
func (s *space) announce(kind, about string, payload any) wire.Envelope {
	e := newNotice(kind, "", about, payload)
	release := func() {}
	if own, err := s.own(); err == nil {
		if hold, err := own.Hold(sizeOf(e)); err == nil {
			release = hold
		}
	}
	s.broadcast(entry{message: e, release: release})
	return e
}

// broadcast keeps a message and sends it to every reader whose filter lets it pass. The caller
// holds mu.
func (s *space) broadcast(e entry) {
	s.history.add(e)
	s.said.Store(s.history.last)
	for l := range s.links {
		if l.filter.passes(e, l.member.id) {
			l.send(outgoing{bytes: e.message.Raw})
		}
	}
}

// tell sends a message to the sockets of one participant, past all filters, and does not keep
// it. The caller holds mu.
func (s *space) tell(m *member, e wire.Envelope) {
	for l := range s.links {
		if l.member == m {
			l.send(outgoing{bytes: e.Raw})
		}
	}
}

// expire lets the collector look for contexts that have gone idle.
func (s *space) expire(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.collector.Expire(now)
	}
}

// close ends the space: its tokens are void, sockets and event streams end.
func (s *space) close() {
	s.server.tokens.remove(s, "")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for l := range s.links {
		l.end(closeGone)
	}
	for _, st := range s.streams {
		st.release()
	}
	s.streams = map[string]*stream{}
	s.history.clear()
	s.history.wake()
}
