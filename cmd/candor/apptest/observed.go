package apptest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

// Space is a space that a user's session observes, with the threads of two participants.
type Space struct {
	Own            *session.Session
	Planner, Scout string // their threads

	t     testing.TB
	layer *safety.Layer
}

// Observe opens the threads of planner and scout, who speak in the space of this name, in the
// user's session.
func (s *Server) Observe(user, space string) *Space {
	s.T.Helper()
	o := &Space{Own: s.Session(user), t: s.T, layer: safety.NewLayer()}
	o.Planner, o.Scout = o.Join(space, "planner"), o.Join(space, "scout")
	return o
}

// Join opens the thread of a participant and returns its id.
func (o *Space) Join(space, participant string) string {
	o.t.Helper()
	id, err := o.Own.OpenObserved(space+"/"+participant, session.Origin{
		Protocol: "mew", Space: o.Text(space), Participant: o.Text(participant),
	})
	require.NoError(o.t, err)
	return id
}

// Text returns text as the session keeps it.
func (o *Space) Text(raw string) safety.Text {
	out, _ := o.layer.Mask(raw)
	return out
}

// JSON returns a value as the session keeps it.
func (o *Space) JSON(v any) safety.JSON {
	out, _ := o.layer.CleanJSON(JSON(o.t, v))
	return out
}

// Begin begins a turn of a participant's thread.
func (o *Space) Begin(thread, input string, asked session.Asked) session.Ref {
	o.t.Helper()
	e, err := o.Own.Observe(thread, session.TurnStarted{Input: o.Text(input), Asked: asked})
	require.NoError(o.t, err)
	return e.Ref
}

// Add records what happens in a turn.
func (o *Space) Add(turn session.Ref, bodies ...session.Body) {
	o.t.Helper()
	for _, b := range bodies {
		_, err := o.Own.Append(turn, b)
		require.NoError(o.t, err)
	}
}

// Say is a narrative of a step.
func (o *Space) Say(step int, text string) session.Narrated {
	return session.Narrated{Step: step, Text: o.Text(text), Source: session.FromModel}
}

// Call is a call of a tool that a participant runs, with its reason.
func (o *Space) Call(step int, id, tool, to, why string) session.ToolCalled {
	return session.ToolCalled{
		Step: step, Call: id, Tool: o.Text(tool), To: o.Text(to), Params: o.JSON(M{"of": "tests"}),
		Rationale: session.Rationale{Text: o.Text(why), Source: session.FromModel},
	}
}

// Note is something that somebody said within a turn.
func (o *Space) Note(kind session.NoteKind, from, text string) session.Noted {
	return session.Noted{From: o.Text(from), Kind: kind, Text: o.Text(text)}
}

// AskScout records that planner, whom ann asked, asks scout by a call, and returns the turns of
// both. Neither has ended.
func (o *Space) AskScout(question string) (planner, scout session.Ref) {
	o.t.Helper()
	planner = o.Begin(o.Planner, "Release it today?", session.Asked{By: o.Text("ann")})
	o.Add(planner, o.Say(1, "Somebody has to look at the tests first."),
		o.Call(1, "call_1", "ask", "scout", "scout knows the tests"))
	scout = o.Begin(o.Scout, question, session.Asked{
		By: o.Text("planner"), Thread: o.Planner, Turn: planner.Turn, Call: "call_1",
		Reason: o.Text("scout knows the tests"), Source: session.FromModel,
	})
	return planner, scout
}
