package otlp

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	commonpb "go.opentelemetry.io/proto/slim/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"

	"candor/safety"
	"candor/session"
)

var cleaner = safety.NewLayer()

// said returns a cleaned text.
func said(text string) safety.Text {
	clean, _ := cleaner.Mask(text)
	return clean
}

// newThread returns a session of a store that tells x its events, and the id of a thread.
func newThread(t *testing.T, limits session.Limits) (*session.Session, string) {
	t.Helper()
	const id = "550e8400-e29b-41d4-a716-446655440000"
	st := session.NewMemory(func() uuid.UUID { return uuid.MustParse(id) }).Within(limits)
	t.Cleanup(func() { st.Close() })
	s, err := st.Open(t.Context(), "ann")
	require.NoError(t, err)
	e, err := s.OpenThread()
	require.NoError(t, err)
	return s, e.Thread
}

// observed returns limits under which x is told each event.
func observed(x *Exporter) session.Limits {
	return session.Limits{OnEvent: func(own *session.Session, up session.Update) { x.Observe(own, up.Event) }}
}

// runTurn records a turn with these facts.
func runTurn(t *testing.T, s *session.Session, thread string, facts ...session.Body) session.Ref {
	t.Helper()
	e, err := s.Accept(thread, said("what time is it?"), nil)
	require.NoError(t, err)
	for _, f := range facts {
		_, err := s.Append(e.Ref, f)
		require.NoError(t, err)
	}
	return e.Ref
}

// lookup is a call of the clock with a reason.
func lookup(id string) session.ToolCalled {
	params, _ := cleaner.CleanJSON([]byte(`{"zone":"UTC"}`))
	return session.ToolCalled{Step: 1, Call: id, Tool: said("clock"), Params: params,
		Rationale: session.Rationale{Text: said("to know the time"), Source: session.FromModel}}
}

func returned(id string) session.ToolReturned {
	result, _ := cleaner.CleanJSON([]byte(`"noon"`))
	return session.ToolReturned{Call: id, Outcome: session.Success, Result: result, Took: time.Millisecond}
}

// project returns the spans of a turn by name; several of one name get a number from the second on.
func project(t *testing.T, s *session.Session, ref session.Ref, a About) map[string]*tracepb.Span {
	t.Helper()
	turn, err := s.Turn(ref.Thread, ref.Turn)
	require.NoError(t, err)
	events, err := s.TurnEvents(ref.Thread, ref.Turn)
	require.NoError(t, err)
	spans, _ := Project(turn, safety.Text{}, events, a)
	return named(spans)
}

func named(spans []*tracepb.Span) map[string]*tracepb.Span {
	all := map[string]*tracepb.Span{}
	for _, s := range spans {
		name := s.Name
		for all[name] != nil {
			name += "'"
		}
		all[name] = s
	}
	return all
}

// valueOf returns an attribute's text, or the text of its number.
func valueOf(all []*commonpb.KeyValue, key string) string {
	for _, a := range all {
		if a.Key == key {
			if text, ok := a.Value.Value.(*commonpb.AnyValue_StringValue); ok {
				return text.StringValue
			}
			_, number, _ := strings.Cut(a.Value.String(), ":")
			return number
		}
	}
	return ""
}
