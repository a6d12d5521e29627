package mew

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"candor/web/mew/wire"
)

// Codes of refusals of messages that change the space.
const (
	codeNoParticipant wire.Code = "participant_not_found"
	codeTaken         wire.Code = "participant_exists"
	codeNoGrant       wire.Code = "grant_not_found"
	codeTooMany       wire.Code = "too_many"
	codeUnauthorized  wire.Code = "unauthorized"
)

var (
	noParticipant = &wire.Refusal{Code: codeNoParticipant,
		Message: "The space has no such participant. GET /mew/participants lists them."}
	nameTaken = &wire.Refusal{Code: codeTaken, Message: "The space has a participant of this name. Choose another."}
	badName   = &wire.Refusal{Code: wire.CodeInvalid, Message: "The name of a participant " + nameRule + "."}
	noGrant   = &wire.Refusal{Code: codeNoGrant,
		Message: "The recipient has no such grant. Name it by grant_id, or by its capabilities."}
	beyondOwn = &wire.Refusal{Code: wire.CodeCapability,
		Message: "You cannot give a capability that you lack yourself."}
	tooManyCapabilities = &wire.Refusal{Code: codeTooMany,
		Message: "The participant has as many capabilities as one may have. Revoke one first."}
	tooManyParticipants = &wire.Refusal{Code: codeTooMany,
		Message: "The space has as many participants as it may have. Remove one first."}
	tooManyEver = &wire.Refusal{Code: codeTooMany,
		Message: "The space has had as many participants as invitations may make. Its owner can add more."}
	notTheOwner = &wire.Refusal{Code: codeUnauthorized, Message: "The owner of the space cannot be removed from it."}
	badShape    = &wire.Refusal{Code: wire.CodeInvalid,
		Message: "A member of the payload is missing or of another type."}
)

// effect checks a message that changes the space and returns what it changes once it has been
// broadcast. The caller holds mu.
type effect func(s *space, m *member, e wire.Envelope, r *receipt) (apply func(), err error)

// effects are the kinds that the gateway acts upon.
var effects = map[string]effect{
	"capability/grant":          (*space).grantTo,
	"capability/revoke":         (*space).revokeFrom,
	"space/invite":              (*space).invite,
	"space/kick":                (*space).kick,
	"participant/shutdown":      (*space).shutDown,
	"stream/request":            (*space).openStream,
	"stream/close":              (*space).closeStream,
	"stream/grant-write":        (*space).grantWrite,
	"stream/revoke-write":       (*space).revokeWrite,
	"stream/transfer-ownership": (*space).transferStream,
}

// prepare looks up and runs the effect of a message. apply is nil if it has none.
func (s *space) prepare(m *member, e wire.Envelope, r *receipt) (apply func(), err error) {
	if f := effects[e.Kind]; f != nil {
		return f(s, m, e, r)
	}
	return nil, nil
}

// decode reads the payload of a message that the gateway acts upon. encoding/json would take "Recipient"
// for "recipient", which a capability's pattern does not.
func decode(e wire.Envelope, into any) error {
	if e.Payload == nil {
		return badShape
	}
	m, err := wire.Members(e.Payload)
	if err != nil {
		return err
	}
	maps.DeleteFunc(m, func(name string, _ json.RawMessage) bool { return strings.Trim(name, plainName) != "" })
	exact, err := json.Marshal(m)
	if err != nil || json.Unmarshal(exact, into) != nil {
		return badShape
	}
	return nil
}

// plainName has the characters of the names of members that the gateway reads.
const plainName = "abcdefghijklmnopqrstuvwxyz_"

// grantTo handles capability/grant {recipient, capabilities}. The recipient gets a new welcome.
func (s *space) grantTo(m *member, e wire.Envelope, _ *receipt) (func(), error) {
	var in struct {
		Recipient    string          `json:"recipient"`
		Capabilities json.RawMessage `json:"capabilities"`
	}
	if err := decode(e, &in); err != nil {
		return nil, err
	}
	to := s.members[in.Recipient]
	if to == nil {
		return nil, noParticipant
	}
	given, err := covered(m, in.Capabilities)
	if err != nil {
		return nil, err
	}
	if len(to.fixed)+len(to.granted)+len(given) > maxCapabilities || lengthOf(to.all(), given) > maxCapabilityBytes {
		return nil, tooManyCapabilities
	}
	return func() {
		for _, c := range given {
			to.granted = append(to.granted, grant{e.ID, c})
		}
		s.tell(to, s.welcome(to, e.ID))
		s.note("capabilities granted", "by", m.id, "to", to.id, "count", len(given))
	}, nil
}

// covered parses capabilities of which the participant has each.
func covered(m *member, raw json.RawMessage) ([]wire.Capability, error) {
	given, err := parseCapabilities(raw)
	if err != nil {
		return nil, &wire.Refusal{Code: wire.CodeInvalid,
			Message: "The capabilities are not valid: " + err.Error() + "."}
	}
	held := m.capabilities()
	for _, c := range given {
		if !wire.Covers(held, c) {
			return nil, beyondOwn
		}
	}
	return given, nil
}

// revokeFrom handles capability/revoke {recipient, grant_id or capabilities}. Only what was
// granted can be revoked; what the owner defined stays.
func (s *space) revokeFrom(m *member, e wire.Envelope, _ *receipt) (func(), error) {
	var in struct {
		Recipient    string          `json:"recipient"`
		Grant        string          `json:"grant_id"`
		Capabilities json.RawMessage `json:"capabilities"`
	}
	if err := decode(e, &in); err != nil {
		return nil, err
	}
	from := s.members[in.Recipient]
	if from == nil {
		return nil, noParticipant
	}
	var patterns []wire.Capability
	if in.Grant == "" {
		var err error
		if patterns, err = parseCapabilities(in.Capabilities); err != nil {
			return nil, badShape
		}
	}
	isRevoked := func(g grant) bool { return g.id == in.Grant || wire.Covers(patterns, g.capability) }
	if !slices.ContainsFunc(from.granted, isRevoked) {
		return nil, noGrant
	}
	return func() {
		from.granted = slices.DeleteFunc(from.granted, isRevoked)
		s.tell(from, s.welcome(from, e.ID))
		s.note("capabilities revoked", "by", m.id, "from", from.id)
	}, nil
}

// invited is what an inviter alone is told.
type invited struct {
	Participant string `json:"participant_id"`
	Token       string `json:"token"`
}

// invite handles space/invite {participant_id, initial_capabilities}. The token goes to the
// inviter only, in a space/invite-ack.
func (s *space) invite(m *member, e wire.Envelope, r *receipt) (func(), error) {
	var in struct {
		Participant string          `json:"participant_id"`
		Initial     json.RawMessage `json:"initial_capabilities"`
	}
	if err := decode(e, &in); err != nil {
		return nil, err
	}
	if in.Initial == nil {
		in.Initial = json.RawMessage(`[]`)
	}
	given, err := covered(m, in.Initial)
	if err != nil {
		return nil, err
	}
	switch {
	case in.Participant == participantOf(s.owner):
		return nil, nameTaken // the owner may join at any time, and nobody else speaks under that name
	case s.numbered >= maxEver:
		return nil, tooManyEver
	}
	if err := s.checkNew(in.Participant); err != nil {
		return nil, err
	}
	token := s.freshToken()
	r.invite = &invited{in.Participant, token}
	return func() {
		added := s.newMember(in.Participant, given)
		s.members[in.Participant] = added
		s.server.tokens.add(token, s, in.Participant)
		s.announcePresence("invited", added)
		s.tell(m, newNotice("space/invite-ack", m.id, e.ID, r.invite))
		s.note("participant invited", "by", m.id, "participant", in.Participant)
	}, nil
}

// checkNew reports whether a participant of this name may be added. The caller holds mu.
func (s *space) checkNew(id string) error {
	switch {
	case !validName(id):
		return badName
	case s.members[id] != nil:
		return nameTaken
	case len(s.members) >= maxParticipants:
		return tooManyParticipants
	}
	return nil
}

// freshToken makes a token. The owner's session masks it from now on wherever it appears; a token
// that the safety layer would take for a word is not used.
func (s *space) freshToken() string {
	token := newToken()
	own, err := s.own()
	if err != nil {
		return token
	}
	layer := s.server.options.Safety.Remember(own.Seen()).By("")
	for range 10 {
		layer.Mask("token=" + token)
		if alone, _ := layer.Mask(token); alone.String() != token {
			break
		}
		token = newToken()
	}
	return token
}

// kick handles space/kick {participant_id}: the participant's tokens are void.
func (s *space) kick(m *member, e wire.Envelope, _ *receipt) (func(), error) {
	var in struct {
		Participant string `json:"participant_id"`
	}
	if err := decode(e, &in); err != nil {
		return nil, err
	}
	gone := s.members[in.Participant]
	switch {
	case gone == nil:
		return nil, noParticipant
	case gone.id == participantOf(s.owner):
		return nil, notTheOwner
	}
	return func() {
		s.remove(gone)
		s.note("participant removed", "by", m.id, "participant", gone.id)
	}, nil
}

// remove ends a participant's part in the space. The caller holds mu.
func (s *space) remove(gone *member) {
	s.server.tokens.remove(s, gone.id)
	for l := range s.links {
		if l.member == gone {
			l.end(closeRemoved)
		}
	}
	delete(s.members, gone.id)
	s.refresh()
	s.history.wake() // event streams of the participant end
	s.dropStreams(gone)
	s.announcePresence("leave", gone)
}

// shutDown handles participant/shutdown: messages of those that it is addressed to are refused
// until they join again.
func (s *space) shutDown(_ *member, e wire.Envelope, _ *receipt) (func(), error) {
	return func() {
		for _, to := range e.To {
			if target := s.members[to]; target != nil {
				target.shut = true
			}
		}
	}, nil
}

// masked returns a text without its secrets.
func (s *space) masked(text string) string {
	layer := s.server.options.Safety
	if own, err := s.own(); err == nil {
		layer = layer.Remember(own.Seen()).By("") // nobody sees it but the operator
	}
	clean, _ := layer.Mask(text)
	return clean.String()
}

// note writes an action of a space into the server's log. Names of participants are texts of others.
func (s *space) note(what string, args ...any) {
	for i, arg := range args {
		if text, ok := arg.(string); ok {
			args[i] = s.masked(text)
		}
	}
	s.server.options.Log.Info("mew: "+what, append([]any{"space", s.name}, args...)...)
}
