package openwop_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
	"candor/web/openwop"
)

const sessionID = "550e8400-e29b-41d4-a716-446655440000"

// layer cleans the texts of facts.
var layer = safety.NewLayer()

func words(s string) safety.Text {
	t, _ := layer.Mask(s)
	return t
}

func value(s string) safety.JSON {
	v, _ := layer.CleanJSON(json.RawMessage(s))
	return v
}

// fact is what an agent did.
type fact struct {
	agent string
	body  session.Body
}

// lead returns facts of the lead agent.
func lead(bodies ...session.Body) (facts []fact) {
	for _, b := range bodies {
		facts = append(facts, fact{"", b})
	}
	return facts
}

// newSession returns a session of the user ann, and one of its threads.
func newSession(t testing.TB) (*session.Session, string) {
	t.Helper()
	st := session.NewMemory(func() uuid.UUID { return uuid.MustParse(sessionID) })
	t.Cleanup(func() { st.Close() })
	s, err := st.Open(context.Background(), "ann")
	require.NoError(t, err)
	e, err := s.OpenThread()
	require.NoError(t, err)
	return s, e.Thread
}

// recorded returns the updates of a turn of which these facts were recorded.
func recorded(t testing.TB, w session.Workflow, facts []fact) []session.Update {
	t.Helper()
	s, thread := newSession(t)
	e := begin(t, s, thread, w, facts)
	return updates(t, s, e.Ref)
}

// begin records a turn with these facts.
func begin(t testing.TB, s *session.Session, thread string, w session.Workflow, facts []fact) session.Event {
	t.Helper()
	e, err := s.AcceptRun(thread, words("What is the weather?"), nil, w)
	require.NoError(t, err)
	for _, f := range facts {
		ref := e.Ref
		ref.Agent = f.agent
		_, err = s.Append(ref, f.body)
		require.NoError(t, err)
	}
	return e
}

// updates returns what the log has of a turn.
func updates(t testing.TB, s *session.Session, ref session.Ref) (all []session.Update) {
	t.Helper()
	head := s.Head()
	for up, err := range s.Watch(t.Context(), 0) {
		require.NoError(t, err)
		if up.Event.Thread == ref.Thread && up.Event.Turn == ref.Turn {
			all = append(all, up)
		}
		if up.Event.Seq == head {
			break
		}
	}
	return all
}

// projected returns the events of a run.
func projected(v openwop.View, log []session.Update) (events []openwop.Event) {
	p := openwop.NewProjector(v)
	for _, up := range log {
		events = append(events, p.Project(up.Turn, up.Event)...)
	}
	return events
}

// wire is an event as it stands on the wire.
type wire struct {
	EventID     string         `json:"eventId"`
	RunID       string         `json:"runId"`
	Type        string         `json:"type"`
	Sequence    int            `json:"sequence"`
	Timestamp   string         `json:"timestamp"`
	NodeID      string         `json:"nodeId"`
	CausationID string         `json:"causationId"`
	Payload     map[string]any `json:"payload"`
}

// sent returns events as they stand on the wire.
func sent(t testing.TB, events []openwop.Event) (all []wire) {
	t.Helper()
	for _, e := range events {
		raw, err := json.Marshal(e)
		require.NoError(t, err)
		var w wire
		require.NoError(t, json.Unmarshal(raw, &w))
		all = append(all, w)
	}
	return all
}

// types lists the types of events.
func types(events []wire) (all []string) {
	for _, e := range events {
		all = append(all, e.Type)
	}
	return all
}

// of returns the events of a type.
func of(events []wire, kind string) (all []wire) {
	for _, e := range events {
		if e.Type == kind {
			all = append(all, e)
		}
	}
	return all
}

// views are all the ways in which a client can look at a run.
func views() (all []openwop.View) {
	for _, v := range []openwop.Version{openwop.V1, openwop.V2} {
		for _, verbosity := range []openwop.Verbosity{openwop.Off, openwop.Summary, openwop.Full} {
			for _, limit := range []openwop.Verbosity{openwop.Off, openwop.Summary, ""} {
				all = append(all, openwop.View{
					Version: v, User: "ann", Verbosity: verbosity, Limit: limit, TokenLimit: 4, Streaming: true,
				}, openwop.View{
					Version: v, User: "ann", Verbosity: verbosity, Limit: limit, Orchestrator: true,
					Streaming: limit != "",
				})
			}
		}
	}
	return all
}
