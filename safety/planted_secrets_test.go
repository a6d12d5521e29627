//go:build !goexperiment.simd

// The build with SIMD leaves these out: they take the whole server, which is no different there.

package safety_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"

	"github.com/stretchr/testify/require"
)

// Twenty-two distinct secrets stand in the user's words, the narrative, reasons,
// parameters, results, errors and the answer. None comes out anywhere.
func TestPlantedSecretsComeOutNowhere(t *testing.T) {
	for _, p := range apptest.Plant() {
		t.Run(p.Kind, func(t *testing.T) {
			s := apptest.Start(t, app.Settings{}, apptest.Confiding(p))
			thread, origin := s.Begin("ann")
			c, err := s.Subscribe(t.Context(), "ann", origin, "")
			require.NoError(t, err)
			defer c.Body.Close()
			s.Send("ann", thread, "my secret is "+p.Text)
			asked := c.Until(t, "approval_needed", "response")
			if asked[len(asked)-1].Event == "approval_needed" {
				s.Approve("ann", asked)
				c.Until(t, "response")
			} // else the call was refused, since a question could not show what it does
			stream := fmt.Sprintf("%+v", s.Everything("ann", origin))
			history := s.Do("ann", http.MethodGet, "/api/chat/history", "").Body
			threads := s.Do("ann", http.MethodGet, "/api/chat/threads", "").Body
			require.Contains(t, history, `"rejected"`)
			require.Contains(t, history, "the tool panicked")
			require.Contains(t, history, `"handoffs"`)
			for place, text := range map[string]string{
				"the stream": stream, "history": history, "the list of threads": threads, "the logs": s.Logs.String(),
			} {
				apptest.AssertAbsent(t, p.Secret, place, text)
			}
		})
	}
}

func TestAProviderErrorLeaksNothing(t *testing.T) {
	for _, p := range apptest.Plant() {
		s := apptest.Start(t, app.Settings{},
			map[string]any{"steps": []any{map[string]any{"error": "401 for " + p.Text}}})
		thread, origin := s.Begin("ann")
		c, err := s.Subscribe(t.Context(), "ann", origin, "")
		require.NoError(t, err)
		s.Send("ann", thread, "hi")
		c.Until(t, "error")
		c.Body.Close()
		history := s.Do("ann", http.MethodGet, "/api/chat/history", "").Body
		require.Contains(t, history, `"failed"`)
		apptest.AssertAbsent(t, p.Secret, "history", history)
		apptest.AssertAbsent(t, p.Secret, "the stream", fmt.Sprintf("%+v", s.Everything("ann", origin)))
		apptest.AssertAbsent(t, p.Secret, "the logs", s.Logs.String())
	}
}

func TestErrorAnswersRepeatNoInput(t *testing.T) {
	s := apptest.Start(t, app.Settings{SendsPerMinute: 10_000}, nil)
	s.Begin("ann")
	for _, p := range apptest.Plant() {
		q := url.QueryEscape(p.Text)
		body := string(apptest.JSON(t, map[string]string{"content": "hi", "thread_id": p.Text}))
		for _, r := range []apptest.Reply{
			s.Do("ann", http.MethodPost, "/api/chat/send", body),
			s.Do("ann", http.MethodPost, "/api/chat/send", `{"content": `+p.Text),
			s.Do("ann", http.MethodPost, "/api/chat/send?token="+q, body),
			s.Do("ann", http.MethodPost, "/api/chat/interrupt", body),
			s.Do("ann", http.MethodGet, "/api/chat/history?thread_id="+q, ""),
			s.Do("ann", http.MethodGet, "/api/chat/history?limit="+q, ""),
			s.Do("ann", http.MethodGet, "/api/chat/history?before="+q, ""),
			s.Do("ann", http.MethodGet, "/api/chat/events?last_event_id="+q, ""),
			s.Do("ann", http.MethodGet, "/api/chat/events?thread_id="+q, ""),
			s.Do("ann", http.MethodGet, "/api/"+url.PathEscape(p.Text), ""),
			s.Do("nobody "+strings.ReplaceAll(p.Secret, "\n", ""), http.MethodGet, "/api/chat/history", ""),
		} {
			require.GreaterOrEqual(t, r.Status, 400, p.Kind)
			apptest.AssertAbsent(t, p.Secret, "an error answer", r.Body)
		}
		apptest.AssertAbsent(t, p.Secret, "the logs", s.Logs.String())
	}
}
