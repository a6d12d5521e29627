package view_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
	"candor/web/client"
	"candor/web/view"
)

// members returns the JSON names of a struct's members, those of embedded structs
// included.
func members(t reflect.Type) []string {
	var names []string
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			names = append(names, members(f.Type)...)
		case name != "-" && name != "":
			names = append(names, name)
		}
	}
	return names
}

// zeroMembers returns the paths of members with a JSON name that are zero in v, also
// inside structs, pointers and the first elements of lists.
func zeroMembers(path string, v reflect.Value) (zero []string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return zeroMembers(path, v.Elem())
		}
	case reflect.Slice:
		if v.Len() > 0 && v.Type().Elem().Kind() == reflect.Struct {
			return zeroMembers(path+"[0]", v.Index(0))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			break
		}
		for f, value := range v.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Anonymous || name != "-" && name != "" {
				zero = append(zero, zeroMembers(path+"."+name, value)...)
			}
		}
		return zero
	}
	if v.IsZero() {
		return []string{path}
	}
	return nil
}

// decode encodes a value of this package and decodes it as the client does.
func decode[T any](t *testing.T, v any) T {
	t.Helper()
	raw, err := safety.Marshal(v)
	require.NoError(t, err)
	var out T
	require.NoError(t, json.Unmarshal(raw, &out), "%s", raw)
	return out
}

func masked(text string) safety.Text {
	out, _ := safety.NewLayer().Mask(text)
	return out
}

func cleaned(raw string) safety.JSON {
	out, _ := safety.NewLayer().CleanJSON([]byte(raw))
	return out
}

var noon = time.Date(2026, 2, 21, 12, 0, 0, 0, time.UTC)

// profile says all that can be known of an agent.
var profile = session.Profile{Name: masked("helper"), Model: masked("small-1"), Effort: masked("high")}

// fullTurn has something in every member that an answer can have.
func fullTurn() session.Turn {
	found := []safety.Finding{
		{Rule: "chat-token", Count: 1, Severity: safety.Medium, Effect: safety.Neutralised},
		{Rule: "jwt", Count: 1, Severity: safety.High, Effect: safety.Masked},
	}
	shape := cleaned(`{"query":"q","documents":[1],"exit_code":3}`)
	return session.Turn{
		Session: "s", Thread: "t", Number: 1, Message: "m", Input: masked("look"), Response: masked("done"),
		State: session.Failed, Error: masked("it broke"), Stop: session.StopRefusal,
		CreatedAt: noon, StartedAt: noon, EndedAt: noon, Restarted: true,
		Findings: found, Usage: session.Usage{Input: 1, Output: 2, Reasoning: 1},
		Spent: session.Spent{Nanos: 140_000_000, Priced: 1},
		Handoffs: []session.HandoffAt{{Handoff: session.Handoff{
			Call: "call_1", From: "a", To: "a/b", Text: masked("Look."), Who: profile}, At: noon}},
		Workflow: session.Workflow{ID: "chat", ReplayOf: session.Ref{Thread: "t-0", Turn: 4}},
		Steps: []session.Step{
			{Number: 1, Agent: "a", Narrative: masked("I look."), NarrativeBlocked: true,
				NarrativeSource: session.FromModel, Thought: masked("It may be there."), Stop: session.StopLength,
				Calls: []session.Call{{
					ID: "call_1", Tool: masked("search"), Before: masked("Now this."),
					Params: cleaned(`{"q":1}`), Step: 1, Agent: "a",
					Rationale: session.Rationale{Text: masked("to see"), Source: session.FromModel, Blocked: true},
					Outcome:   session.Errored, Error: masked("no"), Result: shape, Took: time.Second,
					StartedAt: noon, Findings: found, Group: new(1),
					Approval: &session.Approval{Request: "r", Description: masked("It reads."), AllowAlways: true,
						Answer: session.Approve, Shown: cleaned(`{"q":1}`), Hidden: 3,
						LowConfidence: true, Value: cleaned(`"hold"`), Editable: true, Expires: noon.Add(time.Minute),
						Edited: cleaned(`{"q":2}`), EditedBy: masked("ann")},
					Feedback: &session.Feedback{Rating: session.Bad, Note: masked("too much"), At: noon},
					Sighted:  &session.Provenance{Partial: true},
					Decides:  true, Confidence: &session.Confidence{Stated: 0.4, Threshold: 0.7, Suppressed: true},
				}}},
			{Number: 2, Narrative: masked("I look again."), NarrativeSource: session.FromModel,
				Thought: masked("It was not there.")},
			{Number: 3, Agent: "a", Answer: true, Sealed: session.Sealed{
				Kind: session.SealSignature, Bytes: 8, Tokens: 31}},
		},
	}
}

// The client must find every member it reads, and find it where and as it expects.
func TestTheClientDecodesEveryMemberOfATurn(t *testing.T) {
	turn := fullTurn()
	got := decode[client.Turn](t, view.Turn(turn))
	assert.ElementsMatch(t, []string{
		".tool_calls[0].result_shape.chars",                                // of texts only
		".reasoning.tool_decisions[0].inferred", ".tool_calls[0].apart_ms", // of jobs only
		".answer_reasoning",                                                   // of turns whose model thought
		".asked", ".conclusion", ".notes", ".late_steps", ".tool_calls[0].to", // of observed turns only
		".reasoning.tool_decisions[0].to",
		".run",                  // of jobs only
		".step_stops[0].answer", // of a step that called no tool
	}, zeroMembers("", reflect.ValueOf(got)))
	assert.Equal(t, "to see", got.Reasoning.Decisions[0].Rationale)
	assert.JSONEq(t, `{"q":1}`, string(got.Reasoning.Decisions[0].Parameters))
	assert.Equal(t, &client.Confidence{Stated: 0.4, Threshold: 0.7, Suppressed: true},
		got.Reasoning.Decisions[0].Confidence)
	assert.Equal(t, &client.TurnRef{ThreadID: "t-0", TurnNumber: 4}, got.Workflow.ReplayOf)
	detail := decode[client.Turn](t, view.Detail(turn))
	assert.Equal(t, got.Reasoning, detail.Reasoning)
	assert.Equal(t, got.Calls[0].Shape, detail.Calls[0].Shape)
}

func TestTheClientDecodesEveryMemberOfAnObservedTurn(t *testing.T) {
	turn := fullTurn()
	turn.Asked = session.Asked{By: masked("planner"), Thread: "t-1", Turn: 2, Call: "call_3",
		Reason: masked("a second opinion"), Source: session.FromThought, Unseen: true}
	turn.Conclusion = masked("so be it")
	turn.Notes = []session.NoteAt{{Noted: session.Noted{From: masked("ann"), To: masked("bob"), Kind: session.NoteChat,
		Text: masked("hurry"), Late: true}, At: noon}}
	turn.Steps[0].Calls[0].To = masked("tester")
	turn.Steps = append(turn.Steps, session.Step{Number: 3, Narrative: masked("Too late."), Late: true})
	got := decode[client.Turn](t, view.Turn(turn))
	assert.ElementsMatch(t, []string{".tool_calls[0].result_shape.chars", ".reasoning.tool_decisions[0].inferred",
		".tool_calls[0].apart_ms", ".answer_reasoning", ".run", ".step_stops[0].answer"},
		zeroMembers("", reflect.ValueOf(got)))
	assert.Equal(t, "a second opinion", got.Asked.Reason)
	assert.Equal(t, []int{3}, got.LateSteps)
}

func TestTheClientDecodesThreadsAndApprovals(t *testing.T) {
	th := session.Thread{ID: "t", State: session.Processing, Turns: 1, Title: masked("look"), CreatedAt: noon,
		UpdatedAt: noon,
		Origin:    session.Origin{Protocol: "mew", Space: masked("lab"), Participant: masked("scout")}}
	assert.Equal(t, []string{".attached"}, zeroMembers("", reflect.ValueOf(decode[client.Thread](t, view.Thread(th)))))
	th.Origin.Protocol = session.AttachedProtocol
	th.Attached.Heard = []session.HeardAt{{Channel: session.FromFile, At: noon}}
	th.Attached.ActedAt = noon
	assert.Empty(t, zeroMembers("", reflect.ValueOf(decode[client.Thread](t, view.Thread(th)))))
	turn := fullTurn()
	turn.Steps[0].Calls[0].Approval.Answer = ""
	pending := view.PendingApprovals([]session.Turn{turn})
	require.Len(t, pending, 1)
	assert.Empty(t, zeroMembers("", reflect.ValueOf(decode[client.Approval](t, pending[0]))))
}

// bodies holds one event of each type that has frames.
var bodies = []session.Body{
	session.ThreadOpened{}, session.TurnQueued{Message: "m"},
	session.TurnStarted{Message: "m", Input: masked("look"), Asked: session.Asked{By: masked("planner")},
		Workflow: session.Workflow{ID: "chat"}},
	session.Narrated{Step: 1, Text: masked("I look."), Source: session.FromModel, Thought: masked("It may be there."),
		Sealed: session.Sealed{Kind: session.SealEncrypted, Bytes: 1200, Tokens: 31}},
	session.ToolCalled{Call: "call_1", Tool: masked("search"), Before: masked("Now this."), To: masked("tester"),
		Group: new(1), Decides: true,
		Confidence: &session.Confidence{Stated: 0.4, Threshold: 0.7},
		Rationale:  session.Rationale{Text: masked("to see"), Source: session.FromModel}},
	session.ToolReturned{Call: "call_1", Outcome: session.Errored, Error: masked("no"), Result: cleaned(`[1]`)},
	session.ApprovalAsked{Request: "r", Call: "call_1", Hidden: 3},
	session.ApprovalAnswered{Request: "r", Call: "call_1", Answer: session.Approve, Value: cleaned(`"hold"`),
		Edited: cleaned(`{"q":2}`), EditedBy: masked("ann")},
	session.Handoff{Call: "call_1", From: "a", To: "b", Text: masked("Look."), Who: profile},
	session.StepEnded{Step: 1},
	session.TurnCompleted{Response: masked("done"), Stop: session.StopLength, Conclusion: masked("so")},
	session.TurnFailed{Error: masked("no")}, session.TurnInterrupted{Restart: true},
	session.Answered{Response: masked("done")},
	session.Noted{From: masked("ann"), Kind: session.NoteChat, Text: masked("hurry")},
	session.DecisionRated{Call: "call_1", Rating: session.Bad, Note: masked("too much")},
	session.Dropped{
		Threads: []session.DroppedTurns{{Thread: "t", Turns: 2}}, Jobs: []session.DroppedRuns{{Job: "j", Whole: true}},
	},
}

// jobBodies holds one event of each type of a job.
var jobBodies = []session.Body{
	session.JobOpened{Title: masked("Look")}, session.JobPrompted{Text: masked("more"), Done: true},
	session.JobMessage{Role: "assistant", Text: masked("hello")},
	session.JobToolUse{Call: "1", Tool: masked("grep"), Input: cleaned(`{"q":1}`), NarrativeBlocked: true,
		Inferred:  true,
		Rationale: session.Rationale{Text: masked("to see"), Source: session.FromModel, Blocked: true}},
	session.JobToolResult{Call: "1", Tool: masked("grep"), Outcome: session.Success, Output: cleaned(`[1]`)},
	session.JobReasoned{Narrative: masked("I look."), Thought: masked("It may be there."),
		Sealed:    session.Sealed{Kind: session.SealSignature},
		Decisions: []session.Decision{{Tool: masked("grep")}}},
	session.JobReported{State: masked("busy"), Message: masked("still there")},
	session.JobEnded{Success: true, Message: masked("done")}, session.JobCancelled{}, session.JobRestarted{},
}

func TestTheClientDecodesEveryFrame(t *testing.T) {
	sent := map[string]bool{}
	check := func(f view.Frame) {
		e := decode[client.Event](t, f.Data)
		assert.Equal(t, f.Name, e.Type)
		assert.True(t, noon.Equal(e.At) || f.Name == "step_text", "the text of a running step has no time")
		for name := range decode[map[string]json.RawMessage](t, f.Data) {
			sent[name] = true
		}
	}
	turn := fullTurn()
	turn.Notes = []session.NoteAt{{Noted: session.Noted{Late: true}}}
	for _, b := range bodies {
		e := session.Event{Session: "s", At: noon, Ref: session.Ref{Thread: "t", Turn: 1, Agent: "a"}, Body: b}
		frames := view.Frames(turn, e)
		require.NotEmpty(t, frames, "%T", b)
		for _, f := range frames {
			check(f)
		}
	}
	for _, b := range jobBodies {
		frames := view.JobFrames(session.Event{Session: "s", At: noon, Ref: session.Ref{Job: "j"}, Body: b})
		require.NotEmpty(t, frames, "%T", b)
		for _, f := range frames {
			check(f)
		}
	}
	check(view.StepText(session.StepText{Ref: session.Ref{Thread: "t", Turn: 1}, Step: 1, Text: masked("I look.")}))
	// Members of decisions are sent inside tool_decisions.
	inDecisions := []string{"approval", "feedback", "sighted"}
	for _, name := range members(reflect.TypeFor[client.Event]()) {
		assert.True(t, sent[name] || slices.Contains(inDecisions, name), "the client reads %q, which no frame has",
			name)
	}
}
