package mew

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"candor/safety"
	"candor/session"
	"candor/web/mew/wire"
)

// Codes of the gateway's own refusals.
const (
	codeSender   wire.Code = "from_mismatch"
	codeReserved wire.Code = "reserved_kind"
	codeShut     wire.Code = "shut_down"
	codeClosed   wire.Code = "space_closed"
)

var (
	tooLarge = &wire.Refusal{Code: wire.CodeTooLarge,
		Message: "The message has more than 256 KiB. Send less, or use a stream."}
	wrongSender = &wire.Refusal{Code: codeSender,
		Message: "from is not the participant that your token belongs to. Leave it out, and it is added."}
	manyGuesses = &wire.Refusal{Code: wire.CodeRate,
		Message: "Your latest messages had many secrets of this server that are not yours, as guesses have. They " +
			"were masked and counted. Wait up to a minute and send again."}
	reserved = &wire.Refusal{Code: codeReserved,
		Message: "Only the gateway sends messages of this kind."}
	isShut = &wire.Refusal{Code: codeShut,
		Message: "This participant was shut down. Join the space again to go on."}
	isClosed = &wire.Refusal{Code: codeClosed, Message: "The space was closed."}
	lacking  = &wire.Refusal{Code: wire.CodeCapability,
		Message: "None of your capabilities allows this message. Somebody who has more may grant it."}
	cannotClean = &wire.Refusal{Code: wire.CodeInvalid,
		Message: "The space cleans what is said in it, and a part of this that has to stay as it is looks " +
			"like a secret. Choose other ids and names; a frame has to be text."}
	duplicate = &wire.Refusal{Code: wire.CodeDuplicate,
		Message: "The space has seen a message with this id. Send each with an id of its own, such as a UUID."}
)

// receipt tells a sender what became of a message.
type receipt struct {
	ID     string
	TS     time.Time
	Stream string // that the message opened
	invite *invited
}

// say takes a message of a participant through everything that it has to pass, and broadcasts
// it. It is the one way in, of sockets and of HTTP. The envelope is what could be read of a
// message that is refused.
func (s *space) say(m *member, raw []byte) (receipt, wire.Envelope, error) {
	if len(raw) > MaxMessage {
		return receipt{}, wire.Envelope{}, tooLarge
	}
	now := time.Now()
	s.mu.Lock()
	err := take(m.pace.all, len(raw), now) // before the work that reading it takes
	s.mu.Unlock()
	if err == nil {
		err = s.refuseGuesses(m, now)
	}
	if err != nil {
		return receipt{}, wire.Envelope{}, err
	}
	e, err := wire.Parse(raw, wire.Options{Drafts: s.server.options.Drafts})
	if err != nil {
		return receipt{}, e, err
	}
	if err := checkSender(m, e); err != nil {
		return receipt{}, e, err
	}
	e = e.Complete(uuid.NewString(), m.id, now.UTC())
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := m.pace.takeContext(e.Context.Path, len(e.Raw), now); err != nil {
		return receipt{}, e, err
	}
	if s.clean {
		if err := s.check(m, e); err != nil {
			return receipt{}, e, err
		}
		s.mu.Unlock() // nobody waits for what takes as long as the text is
		clean, err := s.cleaned(m, e)
		s.mu.Lock()
		if err != nil {
			return receipt{}, e, err
		}
		e = clean
	}
	r, err := s.pass(m, e)
	return r, e, err
}

// guest names a participant for the safety layer.
func (s *space) guest(m *member) string { return wire.Guest(s.owner, s.name, m.id) }

// refuseGuesses refuses what a participant sends whose texts had many secrets of others lately.
func (s *space) refuseGuesses(m *member, now time.Time) error {
	if s.server.options.Guesses.Wait(s.guest(m), now) > 0 {
		return manyGuesses
	}
	return nil
}

// checkSender refuses messages in the name of others and of the gateway.
func checkSender(m *member, e wire.Envelope) error {
	if e.From != "" && e.From != m.id {
		return wrongSender
	}
	kind := strings.TrimPrefix(e.Kind, "/")
	if kind == "system" || strings.HasPrefix(kind, "system/") || gatewayKinds[e.Kind] {
		return reserved
	}
	return nil
}

// gatewayKinds are the answers of a gateway outside of system/. From anybody else they would
// be forged.
var gatewayKinds = map[string]bool{
	"stream/open": true, "stream/write-granted": true, "stream/write-revoked": true,
	"stream/ownership-transferred": true, "space/invite-ack": true,
}

// check refuses a message that is complete if its sender may not send it now. The caller holds mu.
func (s *space) check(m *member, e wire.Envelope) error {
	switch {
	case s.closed || s.members[m.id] != m:
		return isClosed
	case m.shut:
		return isShut
	case !wire.Allowed(m.capabilities(), e):
		return lacking
	case s.ids.taken(e.ID, m):
		return duplicate
	}
	return nil
}

// pass checks a message and broadcasts it. The caller holds mu.
func (s *space) pass(m *member, e wire.Envelope) (receipt, error) {
	if err := s.check(m, e); err != nil {
		return receipt{}, err
	}
	r := receipt{ID: e.ID, TS: e.TS}
	apply, err := s.prepare(m, e, &r)
	if err != nil {
		return receipt{}, err
	}
	path, err := s.collector.Admit(e)
	if err != nil {
		return receipt{}, err
	}
	if err := s.keep(m, e, path); err != nil {
		return receipt{}, err
	}
	if apply != nil {
		apply()
		s.refresh()
	}
	return r, nil
}

// keep remembers, observes and broadcasts an admitted message of a participant. It fails, and has broadcast nothing,
// if the owner's session has no room or its storage does not keep the message. The caller holds mu.
func (s *space) keep(m *member, e wire.Envelope, path string) error {
	own, err := s.own()
	if err != nil {
		return err
	}
	release, err := own.Hold(sizeOf(e))
	if errors.Is(err, session.ErrFull) && len(s.history.entries) > 0 {
		for range (len(s.history.entries) + 1) / 2 { // older messages make room
			s.history.drop()
		}
		release, err = own.Hold(sizeOf(e))
	}
	if err != nil {
		return err
	}
	if err := s.collector.Observe(e, path); err != nil {
		release()
		return err
	}
	s.ids.add(e.ID, m)
	s.broadcast(entry{message: e, path: path, starts: startOf(e, path), release: release})
	return nil
}

// startOf returns the context that a message begins, or "".
func startOf(e wire.Envelope, path string) string {
	switch {
	case e.Kind != "reasoning/start":
		return ""
	case path == "":
		return e.ID
	}
	return path + "/" + e.ID
}

// cleaned returns the message after all of it has passed the safety layer. It fails if that would change a member by
// which others know the message or answer it.
func (s *space) cleaned(m *member, e wire.Envelope) (wire.Envelope, error) {
	own, err := s.own()
	if err != nil {
		return e, err
	}
	options := wire.Options{Drafts: s.server.options.Drafts}
	layer := s.server.options.Safety.Remember(own.Seen()).By(s.guest(m))
	payload := safety.JSON{}
	if e.Payload != nil {
		payload, _ = layer.CleanJSON(e.Payload)
		e.Raw = e.WithPayload(json.RawMessage(`{}`))
	}
	if around, _ := layer.CleanJSON(e.Raw); !sameJSON(around.Raw(), e.Raw) {
		e.Raw = around.Raw()
	}
	if e.Payload != nil {
		e.Raw = e.WithPayload(payload.Raw())
	}
	again, err := wire.Parse(e.Raw, options)
	if err != nil || again.Kind != e.Kind || again.Context.Path != e.Context.Path ||
		again.Context.Parent != e.Context.Parent || again.ID != e.ID || again.From != e.From ||
		!again.TS.Equal(e.TS) || !slices.Equal(again.To, e.To) || !slices.Equal(again.CorrelationID, e.CorrelationID) {
		return e, cannotClean
	}
	return again, nil
}

// sameJSON reports whether two JSON values say the same.
func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// complaint returns the system/error that tells a sender why a message was refused.
func (s *space) complaint(m *member, e wire.Envelope, refusal *wire.Refusal) wire.Envelope {
	payload := map[string]any{"error": refusal.Code, "message": refusal.Message}
	if refusal.Code == wire.CodeCapability {
		s.mu.Lock()
		payload["attempted_kind"], payload["your_capabilities"] = e.Kind, m.capabilities()
		s.mu.Unlock()
	}
	return newNotice("system/error", m.id, e.ID, payload)
}
