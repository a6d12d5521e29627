package mew

import (
	"context"
	"net/http"
	"time"

	"candor/web/access"
	"candor/web/mew/wire"
	"candor/web/problem"
)

// caller is who a request speaks for: a participant, or the owner of a space with a token of
// the server's own.
type caller struct {
	tokenOwner
	member *member // of an event stream; nil for an owner who has not joined
	owner  string  // the user, if it is the owner; participant is then the owner's name
}

type readerKey struct{}

var (
	wrongParticipant = problem.New(http.StatusForbidden, "wrong_participant",
		"Invalid token for participant: it belongs to another one. Use the path of your own participant.")
	errTooManyRequests = problem.New(http.StatusTooManyRequests, "too_many_requests",
		"You have as many requests in progress in this space as allowed. Wait until one ends.").
		With("max", maxRequestsEach)
	errTooFast = problem.New(http.StatusTooManyRequests, string(wire.CodeRate), tooFast.Message)
	badSince   = problem.New(http.StatusBadRequest, "bad_since",
		"since has to be the id of a message that the space still has, or a time such as 2026-01-02T15:04:05Z.")
)

// beginRequest counts a request of a reader until endRequest. It returns false if the reader has
// as many under way as one may have.
func (s *space) beginRequest(name string) bool {
	s.counting.Lock()
	defer s.counting.Unlock()
	if s.requests[name] >= maxRequestsEach {
		return false
	}
	s.requests[name]++
	return true
}

// endRequest notes that a request of somebody over HTTP has ended.
func (s *space) endRequest(name string) {
	s.counting.Lock()
	defer s.counting.Unlock()
	if s.requests[name]--; s.requests[name] == 0 {
		delete(s.requests, name)
	}
}

// takeRequest charges a participant for a request before it is charged to the space's owner.
func (s *space) takeRequest(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := s.members[id]; m != nil && take(m.pace.requests, 0, time.Now()) != nil {
		return errTooFast
	}
	return nil
}

// admitReader authenticates a request by the token of a participant or of the space's owner.
func (s *Server) admitReader(r *http.Request) (context.Context, string, error) {
	query := r.URL.Query()
	if query.Has("token") {
		return nil, "", problem.TokenInQuery
	}
	token, name := access.Bearer(r), query.Get("space")
	who, ok := s.tokens.lookup(token)
	in := caller{tokenOwner: who}
	if ok {
		if isOther(name, who.space) {
			return nil, "", wrongSpace
		}
		err := who.space.takeRequest(who.participant)
		return context.WithValue(r.Context(), readerKey{}, in), who.space.owner, err
	}
	user, ok := s.options.Tokens.Lookup(token)
	if !ok || user.Reasoning != "" {
		return nil, "", problem.Unauthorized
	}
	sp, err := s.find(user.User, name)
	if err != nil {
		return nil, "", err
	}
	in = caller{tokenOwner: tokenOwner{sp, participantOf(user.User)}, owner: user.User}
	return context.WithValue(r.Context(), readerKey{}, in), user.User, nil
}

// readerOf returns who admitReader let in.
func readerOf(r *http.Request) caller {
	who, _ := r.Context().Value(readerKey{}).(caller)
	return who
}

// participants handles GET /mew/participants?space=.
func (s *Server) participants(w http.ResponseWriter, r *http.Request, _ access.Caller) error {
	return problem.WriteJSON(w, r, http.StatusOK, participantList{readerOf(r).space.info().Participants})
}

// sent answers POST /mew/participants/{id}/messages.
type sent struct {
	ID        string    `json:"id"`
	Status    string    `json:"status"` // accepted or stream_opened
	Timestamp time.Time `json:"timestamp"`
	Stream    string    `json:"stream_id,omitempty"`
	Invited   *invited  `json:"invite_ack,omitempty"` // for the inviter alone
}

// postMessage handles POST /mew/participants/{id}/messages. What a socket may send, it takes,
// under the same rules.
func (s *Server) postMessage(w http.ResponseWriter, r *http.Request, _ access.Caller) error {
	sp, m, err := senderOf(r)
	if err != nil {
		return err
	}
	body, err := problem.ReadBody(r)
	if err != nil {
		return err
	}
	got, e, err := sp.say(m, body)
	if err != nil {
		return sp.asProblem(m, e, asRefusal(err))
	}
	out := sent{ID: got.ID, Status: "accepted", Timestamp: got.TS, Stream: got.Stream, Invited: got.invite}
	if got.Stream != "" {
		out.Status = "stream_opened"
	}
	return problem.WriteJSON(w, r, http.StatusOK, out)
}

// senderOf returns the participant that a request speaks for, whose name has to be that of the
// path.
func senderOf(r *http.Request) (*space, *member, error) {
	who := readerOf(r)
	if who.participant != r.PathValue("id") {
		return nil, nil, wrongParticipant
	}
	who.space.mu.Lock()
	defer who.space.mu.Unlock()
	if m := who.space.members[who.participant]; m != nil {
		return who.space, m, nil
	}
	return nil, nil, errNotJoined
}

// asProblem returns the answer to a message that was refused.
func (s *space) asProblem(m *member, e wire.Envelope, refusal *wire.Refusal) *problem.Problem {
	p := problem.New(statusOf(refusal.Code), string(refusal.Code), refusal.Message)
	if refusal.Code != wire.CodeCapability {
		return p
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return p.With("attempted_kind", e.Kind).With("your_capabilities", m.capabilities())
}

// statusOf returns the status of an answer to a message that was refused.
func statusOf(code wire.Code) int {
	switch code {
	case wire.CodeInvalid, codeOperation:
		return http.StatusBadRequest
	case wire.CodeCapability, codeSender, codeReserved, codeShut, codeUnauthorized, codeNoWriter:
		return http.StatusForbidden
	case codeNoParticipant, codeNoStream, codeNoTarget, codeNoGrant, wire.CodeUnknownContext:
		return http.StatusNotFound
	case wire.CodeDuplicate, codeTaken:
		return http.StatusConflict
	case wire.CodeTooLarge:
		return http.StatusRequestEntityTooLarge
	case codeClosed:
		return http.StatusGone
	case wire.CodeRate, codeTooMany, wire.CodeTooManyContexts, wire.CodeContextFull:
		return http.StatusTooManyRequests
	case wire.CodeSpaceFull:
		return http.StatusInsufficientStorage
	case wire.CodeStorage:
		return http.StatusServiceUnavailable
	}
	return http.StatusUnprocessableEntity
}

// messages handles GET /mew/participants/{id}/messages?since=&context=&type=&view=. It answers
// with the messages after since, at most 200 of them and 1 MiB, as they were broadcast.
func (s *Server) messages(w http.ResponseWriter, r *http.Request, _ access.Caller) error {
	who := readerOf(r)
	if who.participant != r.PathValue("id") {
		return wrongParticipant
	}
	f, err := parseFilter(r.URL.Query())
	if err != nil {
		return err
	}
	out, err := who.space.page(r.URL.Query().Get("since"), f, who.participant)
	if err != nil {
		return err
	}
	return problem.WriteJSON(w, r, http.StatusOK, out) // without the lock, as the client may be slow
}

// messagePage answers GET /mew/participants/{id}/messages.
type messagePage struct {
	Messages []rawMessage `json:"messages"`
	Last     string       `json:"last,omitempty"` // since for the next page
	More     bool         `json:"has_more"`
	Dropped  uint64       `json:"dropped_messages"` // that the space does not have any more
}

// page returns the messages after since that a reader's filter lets pass.
func (s *space) page(since string, f filter, reader string) (messagePage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	seq, err := s.history.since(since)
	if err != nil {
		return messagePage{}, err
	}
	out := messagePage{Messages: []rawMessage{}, Dropped: s.history.gone()}
	for _, e := range s.history.after(seq) {
		seq, out.Last = e.seq, e.message.ID
		if f.passes(e, reader) {
			out.Messages = append(out.Messages, e.message.Raw)
		}
	}
	out.More = seq < s.history.last
	return out, nil
}

// rawMessage is a message as it was broadcast.
type rawMessage []byte

// MarshalJSON returns the message.
func (m rawMessage) MarshalJSON() ([]byte, error) { return m, nil }

// since returns the number after which a reader goes on: of the message with this id, or of
// the last one before this time. "" means the beginning.
func (h *history) since(text string) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	if seq, ok := h.find(text); ok {
		return seq, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return 0, badSince
	}
	seq := h.gone()
	for _, e := range h.entries {
		if e.at.After(at) {
			break
		}
		seq = e.seq
	}
	return seq, nil
}
