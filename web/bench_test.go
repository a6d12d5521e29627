package web

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
	"candor/web/access"
	"candor/web/view"
)

// BenchmarkHistory serves 200 turns of 5 tool calls. x-encoding is that over the
// cost of encoding the same answer alone.
func BenchmarkHistory(b *testing.B) {
	store := session.NewMemory(nil)
	defer store.Close()
	s, err := store.Open(b.Context(), access.LocalUser)
	require.NoError(b, err)
	fillTurns(b, s, 200, 5)
	var tokens access.Tokens
	tokens.Add(access.LocalUser, "token")
	srv := New(Options{Store: store, Tokens: tokens, Log: slog.New(slog.DiscardHandler)})
	req := httptest.NewRequest(http.MethodGet, "http://localhost/api/chat/history?limit=200", nil)
	req.Header.Set("Authorization", "Bearer token")
	rec := httptest.NewRecorder()
	srv.ServeHTTP(rec, req)
	require.Equal(b, http.StatusOK, rec.Code)
	var answer HistoryResponse
	h, err := s.History(s.Active(), session.Page{Limit: 200})
	require.NoError(b, err)
	for _, t := range h.Turns {
		answer.Turns = append(answer.Turns, view.Turn(t))
	}
	b.SetBytes(int64(rec.Body.Len()))
	b.ReportAllocs()
	for b.Loop() {
		srv.ServeHTTP(&discard{header: http.Header{}}, req)
	}
	perOp := float64(b.Elapsed()) / float64(b.N)
	start := time.Now()
	for range b.N {
		enc := json.NewEncoder(io.Discard)
		enc.SetEscapeHTML(false)
		require.NoError(b, enc.Encode(answer))
	}
	b.ReportMetric(perOp/(float64(time.Since(start))/float64(b.N)), "x-encoding")
}

// discard is an http.ResponseWriter that keeps nothing.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) WriteHeader(int)             {}

func fillTurns(b *testing.B, s *session.Session, turns, calls int) {
	b.Helper()
	opened, err := s.OpenThread()
	require.NoError(b, err)
	layer := safety.NewLayer()
	for n := range turns {
		e, err := s.Accept(opened.Thread, safety.Literal("why is login slow?"), nil)
		require.NoError(b, err)
		add := func(body session.Body) {
			_, err := s.Append(e.Ref, body)
			require.NoError(b, err)
		}
		add(session.Narrated{Step: 1,
			Text: safety.Literal("A note blames the session table. I check its size and its index together.")})
		for i := range calls {
			params, _ := layer.CleanJSON(fmt.Appendf(nil, `{"table":"sessions","shard":%d,"limit":50}`, i))
			result, _ := layer.CleanJSON([]byte(`{"rows":4000000}`))
			why, _ := layer.Clean(fmt.Sprintf(
				"shard %d of turn %d may be larger than the others, which would explain the slow scan", i, n))
			id := fmt.Sprintf("call_%d", i+1)
			add(session.ToolCalled{Step: 1, Call: id, Tool: safety.Literal("table_size"), Params: params, Group: new(0),
				Rationale: session.Rationale{Text: why, Source: session.FromModel}})
			add(session.ToolReturned{Call: id, Outcome: session.Success, Result: result, Took: time.Millisecond})
		}
		add(session.StepEnded{Step: 1})
		add(session.TurnCompleted{
			Response: safety.Literal("The sessions table has 4 million rows and no index on user_id."),
		})
	}
}
