package mew

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"candor/safety"
	"candor/web/access"
	"candor/web/mew/wire"
)

// Space is a space as its owner defines it.
type Space struct {
	Name, Owner  string
	Clean        bool // payloads pass the safety layer before they are broadcast
	Participants []Participant
}

// Participant is who may take part in a space, known by a token.
type Participant struct {
	ID, Token    string
	Capabilities []wire.Capability
}

// Spaces are the spaces of a file.
type Spaces []Space

// maxFile bounds a file of spaces, in bytes.
const maxFile = 4 << 20

// Secrets returns the tokens of all participants, so that a safety layer can mask them.
// Nothing else may use it.
func (all Spaces) Secrets() (tokens []safety.Secret) {
	for _, sp := range all {
		for _, p := range sp.Participants {
			tokens = append(tokens, safety.Secret{
				Value: p.Token, From: "the token of " + p.ID + " in the space " + sp.Name,
				Owners: []string{sp.Owner, wire.Guest(sp.Owner, sp.Name, p.ID)},
			})
		}
	}
	return tokens
}

// ReadSpaces reads {"spaces": {NAME: {"owner": USER, "clean": BOOL, "participants": {ID:
// {"token": …, "capabilities": […]}}}}}. Every owner has to be one of the users, and no
// token may stand twice or be a user's. Errors name the place in the file and never quote
// a token.
func ReadSpaces(r io.Reader, users access.Tokens) (Spaces, error) {
	raw, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(raw) > maxFile {
		return nil, fmt.Errorf("the file is larger than %d bytes", maxFile)
	}
	top, err := membersOf(raw, "the file", "spaces")
	if err != nil {
		return nil, err
	}
	named, err := membersOf(top["spaces"], "spaces")
	if err != nil {
		return nil, err
	}
	reader := fileReader{users: users, tokens: map[string]bool{}}
	var all Spaces
	for _, name := range slices.Sorted(maps.Keys(named)) {
		sp, err := reader.readSpace(name, named[name])
		if err != nil {
			return nil, err
		}
		all = append(all, sp)
	}
	return all, nil
}

// fileReader remembers what must not stand twice.
type fileReader struct {
	users  access.Tokens
	tokens map[string]bool
}

// readSpace reads one space of the file, with all who may take part in it. Errors name the place and quote no token.
func (f *fileReader) readSpace(name string, raw json.RawMessage) (Space, error) {
	place := "spaces." + name
	if !validName(name) {
		return Space{}, fmt.Errorf("spaces: a name %s", nameRule)
	}
	m, err := membersOf(raw, place, "owner", "clean", "participants")
	if err != nil {
		return Space{}, err
	}
	sp := Space{Name: name}
	if json.Unmarshal(m["owner"], &sp.Owner) != nil || !f.users.Knows(sp.Owner) {
		return sp, fmt.Errorf("%s.owner: it has to be a user of this server, such as %q", place, access.LocalUser)
	}
	if clean, ok := m["clean"]; ok && json.Unmarshal(clean, &sp.Clean) != nil {
		return sp, fmt.Errorf("%s.clean: it has to be true or false", place)
	}
	named, err := membersOf(m["participants"], place+".participants")
	if err != nil {
		return sp, err
	}
	if len(named) > maxParticipants {
		return sp, fmt.Errorf("%s.participants: a space has at most %d", place, maxParticipants)
	}
	for _, id := range slices.Sorted(maps.Keys(named)) {
		p, err := f.readParticipant(place+".participants", id, named[id])
		if err != nil {
			return sp, err
		}
		sp.Participants = append(sp.Participants, p)
	}
	return sp, nil
}

// readParticipant reads one who may take part: the token, and what it may say.
func (f *fileReader) readParticipant(place, id string, raw json.RawMessage) (Participant, error) {
	if !validName(id) {
		return Participant{}, fmt.Errorf("%s: a name %s", place, nameRule)
	}
	place += "." + id
	m, err := membersOf(raw, place, "token", "capabilities")
	if err != nil {
		return Participant{}, err
	}
	p := Participant{ID: id}
	if json.Unmarshal(m["token"], &p.Token) != nil || len(p.Token) < access.MinToken {
		return p, fmt.Errorf("%s.token: it has to be a text of at least %d characters", place, access.MinToken)
	}
	if _, isUsers := f.users.Lookup(p.Token); isUsers || f.tokens[p.Token] {
		return p, fmt.Errorf("%s.token: it stands twice; everybody needs a token of their own", place)
	}
	f.tokens[p.Token] = true
	if p.Capabilities, err = parseCapabilities(m["capabilities"]); err != nil {
		return p, fmt.Errorf("%s.capabilities: %w", place, err)
	}
	return p, nil
}

// parseCapabilities reads an array of capabilities.
func parseCapabilities(raw json.RawMessage) ([]wire.Capability, error) {
	var all []json.RawMessage
	if json.Unmarshal(raw, &all) != nil || all == nil {
		return nil, fmt.Errorf("they have to be an array such as [{\"kind\":\"chat\"}]")
	}
	if len(all) > maxCapabilities {
		return nil, fmt.Errorf("a participant has at most %d", maxCapabilities)
	}
	out := make([]wire.Capability, len(all))
	for i, one := range all {
		c, err := wire.ParseCapability(one)
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", i+1, err)
		}
		out[i] = c
	}
	if lengthOf(out) > maxCapabilityBytes {
		return nil, fmt.Errorf("a participant's capabilities have at most %d bytes", maxCapabilityBytes)
	}
	return out, nil
}

// lengthOf returns how many bytes the JSON of capabilities has.
func lengthOf(lists ...[]wire.Capability) (n int) {
	for _, list := range lists {
		for _, c := range list {
			n += c.Len()
		}
	}
	return n
}

// membersOf splits an object of the file. Without known names, any is accepted.
func membersOf(raw json.RawMessage, place string, known ...string) (map[string]json.RawMessage, error) {
	m, err := wire.Members(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: it has to be a JSON object that names nothing twice", place)
	}
	for name := range m {
		if len(known) > 0 && !slices.Contains(known, name) {
			return nil, fmt.Errorf("%s: it has a member that is not known; there are %s",
				place, strings.Join(known, ", "))
		}
	}
	return m, nil
}

// nameRule is what validName asks for.
const nameRule = "has 1 to 64 letters, digits, dots, dashes and underscores, and does not begin with \"system\""

// validName reports whether a text may name a space or a participant.
func validName(name string) bool {
	for _, r := range name {
		if !isNameRune(r) {
			return false
		}
	}
	return name != "" && len(name) <= maxName && !strings.HasPrefix(name, "system") && name != "gateway"
}

// isNameRune reports whether a character may stand in the name of a space or a participant.
func isNameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.'
}

// participantOf returns the name under which a user takes part in their own space.
func participantOf(user string) string {
	name := strings.Map(func(r rune) rune {
		if isNameRune(r) {
			return r
		}
		return '-'
	}, user)
	if name = name[:min(len(name), maxName)]; !validName(name) {
		return "owner"
	}
	return name
}
