package apptest

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"candor/session"
)

// Session returns the user's session, straight from the store, for tests that check what
// was recorded without going through the API. It is created if the user has none yet.
func (s *Server) Session(user string) *session.Session {
	s.T.Helper()
	own, err := s.App.Store.Open(s.T.Context(), user)
	require.NoError(s.T, err)
	return own
}

// Begin opens a thread and returns its id and the cursor before the first event of the
// user's session.
func (s *Server) Begin(user string) (thread, origin string) {
	s.T.Helper()
	r := s.Post(user, "/api/chat/thread/new", "{}")
	require.Equal(s.T, http.StatusCreated, r.Status, r.Body)
	return r.JSON()["id"].(string), s.Session(user).ID()[:8] + "-0"
}

// Send posts a message to a thread, or to the active one if thread is "", and returns
// the API's answer.
func (s *Server) Send(user, thread, content string) M {
	s.T.Helper()
	r := s.Post(user, "/api/chat/send", string(JSON(s.T, M{"content": content, "thread_id": thread})))
	require.Equal(s.T, http.StatusAccepted, r.Status, r.Body)
	return r.JSON()
}

// RunTurns posts count messages to a thread, each once the turn before it has ended.
func (s *Server) RunTurns(user, thread string, count int) {
	s.T.Helper()
	own := s.Session(user)
	for range count {
		before := own.Head()
		number := int(s.Send(user, thread, "go on")["turn_number"].(float64))
		for up, err := range own.Watch(s.T.Context(), before) {
			require.NoError(s.T, err)
			if up.Event.Thread == thread && up.Event.Turn == number && up.Turn.State.Ended() {
				break
			}
		}
	}
}

// Approve approves the call that the last of the frames asks about: pass it the result
// of [Stream.Until] with "approval_needed". It returns once the server has accepted the
// decision; the call may not have begun.
func (s *Server) Approve(user string, frames []Frame) {
	s.T.Helper()
	request := regexp.MustCompile(`"request_id":"([^"]+)"`).FindStringSubmatch(frames[len(frames)-1].Data)
	require.Len(s.T, request, 2)
	r := s.Post(user, "/api/chat/approval", fmt.Sprintf(`{"request_id":%q,"action":"approve"}`, request[1]))
	require.Equal(s.T, http.StatusAccepted, r.Status, r.Body)
}

// Everything returns all frames of the user's session up to now, as a stream gives
// them that begins at origin.
func (s *Server) Everything(user, origin string) []Frame {
	s.T.Helper()
	ctx, cancel := context.WithCancel(s.T.Context())
	defer cancel()
	stream, err := s.Subscribe(ctx, user, origin, "")
	require.NoError(s.T, err)
	last := fmt.Sprint(strings.TrimSuffix(origin, "0"), s.Session(user).Head())
	var all []Frame
	for !slices.ContainsFunc(all, func(f Frame) bool { return f.ID == last }) {
		f, err := stream.Next()
		require.NoError(s.T, err)
		all = append(all, f)
	}
	return all
}
