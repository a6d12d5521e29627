package mew

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"

	"candor/web"
	"candor/web/access"
	"candor/web/mew/wire"
	"candor/web/problem"
)

var (
	errNoSpace = problem.New(http.StatusNotFound, "no_space",
		"You have no such space. List yours with GET /api/mew/spaces.")
	errSpaceExists = problem.New(http.StatusConflict, "space_exists",
		"You have a space of this name. Choose another.")
	errTooManySpaces = problem.New(http.StatusTooManyRequests, "too_many_spaces",
		"You have as many spaces as the server allows. Delete one first.").With("max", maxSpaces)
	errBadName   = problem.New(http.StatusBadRequest, "bad_name", "A name "+nameRule+".")
	errNotJoined = problem.New(http.StatusConflict, "not_joined",
		"You do not take part in this space. Join it with POST /api/mew/spaces/{space}/join.")
	errBadCapabilities = problem.New(http.StatusBadRequest, "bad_capabilities",
		"capabilities have to be an array of patterns such as [{\"kind\":\"chat\"},{\"kind\":\"mcp/*\"}].")
)

// ownerRoutes returns the routes with which users manage their spaces.
func (s *Server) ownerRoutes() []web.Route {
	const one = "/api/mew/spaces/:space"
	return []web.Route{
		{Method: http.MethodGet, Path: "/api/mew/spaces", Serve: s.listSpaces},
		{Method: http.MethodPost, Path: "/api/mew/spaces", Serve: s.createSpace},
		{Method: http.MethodDelete, Path: one, Serve: s.forOwner(s.deleteSpace)},
		{Method: http.MethodPost, Path: one + "/participants", Serve: s.forOwner(s.addParticipant)},
		{Method: http.MethodDelete, Path: one + "/participants/:id", Serve: s.forOwner(s.removeParticipant)},
		{Method: http.MethodPost, Path: one + "/join", Serve: s.forOwner(s.joinFromPage)},
		{Method: http.MethodPost, Path: one + "/leave", Serve: s.forOwner(s.leaveFromPage)},
	}
}

// forOwner finds the caller's space for h, whose result is the answer.
func (s *Server) forOwner(
	h func(r *http.Request, sp *space) (status int, answer any, err error),
) func(http.ResponseWriter, *http.Request, access.Caller) error {
	return func(w http.ResponseWriter, r *http.Request, who access.Caller) error {
		sp, err := s.find(who.User, r.PathValue("space"))
		if err != nil {
			return err
		}
		status, answer, err := h(r, sp)
		if err != nil {
			return err
		}
		return problem.WriteJSON(w, r, status, answer)
	}
}

// spaceInfo describes a space to its owner.
type spaceInfo struct {
	Name         string   `json:"name"`
	Clean        bool     `json:"clean"`
	You          string   `json:"you"` // the name under which the owner takes part
	Joined       bool     `json:"joined"`
	Messages     uint64   `json:"messages"` // since the space was opened
	Participants []person `json:"participants"`
}

// info describes the space as it is now. It does not wait for the space's lock.
func (s *space) info() spaceInfo {
	now := s.shown.Load()
	return spaceInfo{
		Name: s.name, Clean: s.clean, You: participantOf(s.owner), Joined: now.joined, Messages: s.said.Load(),
		Participants: now.participants,
	}
}

// listSpaces handles GET /api/mew/spaces.
func (s *Server) listSpaces(w http.ResponseWriter, r *http.Request, who access.Caller) error {
	all := []spaceInfo{}
	for _, sp := range s.list(who.User) {
		all = append(all, sp.info())
	}
	slices.SortFunc(all, func(a, b spaceInfo) int { return strings.Compare(a.Name, b.Name) })
	return problem.WriteJSON(w, r, http.StatusOK, spaceList{all})
}

// newSpaceRequest is the body of POST /api/mew/spaces.
type newSpaceRequest struct {
	Name  string `json:"name"`
	Clean bool   `json:"clean"`
}

// newParticipantRequest is the body of POST /api/mew/spaces/{space}/participants.
type newParticipantRequest struct {
	ID           string          `json:"id"`
	Capabilities json.RawMessage `json:"capabilities"`
}

// createSpace handles POST /api/mew/spaces {name, clean}.
func (s *Server) createSpace(w http.ResponseWriter, r *http.Request, who access.Caller) error {
	var in newSpaceRequest
	if err := problem.Decode(r, &in); err != nil {
		return err
	}
	if !validName(in.Name) {
		return errBadName
	}
	sp, err := s.addSpace(Space{Name: in.Name, Owner: who.User, Clean: in.Clean})
	if err != nil {
		return err
	}
	return problem.WriteJSON(w, r, http.StatusCreated, sp.info())
}

// deleteSpace handles DELETE /api/mew/spaces/{space}.
func (s *Server) deleteSpace(_ *http.Request, sp *space) (int, any, error) {
	s.mu.Lock()
	delete(s.spaces, spaceKey(sp.owner, sp.name))
	s.mu.Unlock()
	sp.close()
	return http.StatusOK, stated{"deleted"}, nil
}

// addParticipant handles POST /api/mew/spaces/{space}/participants {id, capabilities}. The
// answer shows the participant's token; it is shown once.
func (s *Server) addParticipant(r *http.Request, sp *space) (int, any, error) {
	var in newParticipantRequest
	if err := problem.Decode(r, &in); err != nil {
		return 0, nil, err
	}
	given, err := parseCapabilities(in.Capabilities)
	if err != nil {
		return 0, nil, errBadCapabilities
	}
	sp.mu.Lock()
	defer sp.mu.Unlock()
	if sp.closed {
		return 0, nil, errNoSpace
	}
	if err := sp.checkNew(in.ID); err != nil {
		refusal := asRefusal(err)
		return 0, nil, problem.New(statusOf(refusal.Code), string(refusal.Code), refusal.Message)
	}
	m := sp.newMember(in.ID, given)
	sp.members[in.ID] = m
	sp.refresh()
	token := sp.freshToken()
	s.tokens.add(token, sp, in.ID)
	sp.announcePresence("invited", m)
	return http.StatusCreated, invitation{in.ID, token}, nil
}

// removeParticipant handles DELETE /api/mew/spaces/{space}/participants/{id}.
func (s *Server) removeParticipant(r *http.Request, sp *space) (int, any, error) {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	m := sp.members[r.PathValue("id")]
	if m == nil {
		return 0, nil, problem.New(http.StatusNotFound, string(codeNoParticipant), noParticipant.Message)
	}
	sp.remove(m)
	return http.StatusOK, stated{"removed"}, nil
}

// joinFromPage handles POST /api/mew/spaces/{space}/join: the owner takes part.
func (s *Server) joinFromPage(_ *http.Request, sp *space) (int, any, error) {
	sp.mu.Lock()
	_, err := sp.joinOwner()
	sp.mu.Unlock()
	return http.StatusOK, sp.info(), err
}

// leaveFromPage handles POST /api/mew/spaces/{space}/leave.
func (s *Server) leaveFromPage(_ *http.Request, sp *space) (int, any, error) {
	sp.mu.Lock()
	if m := sp.members[participantOf(sp.owner)]; m != nil && m.joined {
		m.joined = false
		if m.present--; m.present == 0 {
			sp.announcePresence("leave", m)
		}
		sp.refresh()
	}
	sp.mu.Unlock()
	return http.StatusOK, sp.info(), nil
}

// ownersCapabilities are those of an owner whom the space does not define as a participant.
var ownersCapabilities = []wire.Capability{wire.KindCapability("*")}

// joinOwner returns the owner as a participant, who joins with the first word. The caller holds
// mu.
func (s *space) joinOwner() (*member, error) {
	if s.closed {
		return nil, errNoSpace
	}
	you := participantOf(s.owner)
	m := s.members[you]
	if m == nil {
		if len(s.members) >= maxParticipants {
			return nil, problem.New(http.StatusTooManyRequests, string(codeTooMany), tooManyParticipants.Message)
		}
		m = s.newMember(you, ownersCapabilities)
		s.members[you] = m
	}
	m.shut = false
	if !m.joined {
		m.joined = true
		if m.present++; m.present == 1 {
			s.announcePresence("join", m)
		}
		s.refresh()
	}
	return m, nil
}

// tokenTable tells whose a token is. It keeps hashes only. The zero value is empty and ready
// to use. Its lock is a leaf: nothing else is locked while it is held.
type tokenTable struct {
	mu     sync.Mutex
	owners map[[sha256.Size]byte]tokenOwner
}

type tokenOwner struct {
	space       *space
	participant string
}

// add lets a token speak for a participant.
func (t *tokenTable) add(token string, sp *space, participant string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.owners == nil {
		t.owners = map[[sha256.Size]byte]tokenOwner{}
	}
	t.owners[sha256.Sum256([]byte(token))] = tokenOwner{sp, participant}
}

// lookup returns whose a token is. A guess is compared by its hash, so the time that it takes
// tells nothing.
func (t *tokenTable) lookup(token string) (owner tokenOwner, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	owner, ok = t.owners[sha256.Sum256([]byte(token))]
	return owner, ok && token != ""
}

// remove forgets the tokens of a participant, or of a whole space if it is "".
func (t *tokenTable) remove(sp *space, participant string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for hash, owner := range t.owners {
		if owner.space == sp && (participant == "" || owner.participant == participant) {
			delete(t.owners, hash)
		}
	}
}

// newToken returns a token that nobody can guess and that looks like no word.
func newToken() string {
	var random [24]byte
	_, _ = rand.Read(random[:]) // it never fails
	return base64.RawURLEncoding.EncodeToString(random[:])
}
