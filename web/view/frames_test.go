package view

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

const noon = "2026-02-21T12:00:00Z"

// event is an event of a thread, or of a job if job is not empty.
func event(job string, b session.Body) session.Event {
	e := session.Event{Seq: 9, Session: "s", At: time.Date(2026, 2, 21, 12, 0, 0, 0, time.UTC), Body: b}
	if e.Job = job; job == "" {
		e.Ref = session.Ref{Thread: "t", Turn: 3}
	}
	return e
}

// encodedFrames returns the frames' names, and their data without the head.
func encodedFrames(t *testing.T, frames []Frame) (names, data []string) {
	t.Helper()
	for _, f := range frames {
		object := encodeObject(t, f.Data)
		assert.Equal(t, f.Name, object["type"])
		assert.Equal(t, "s", object["session_id"])
		assert.Equal(t, noon, object["at"])
		for _, head := range []string{"type", "session_id", "at", "thread_id", "turn_number", "job_id"} {
			delete(object, head)
		}
		raw, err := json.Marshal(object)
		require.NoError(t, err)
		names, data = append(names, f.Name), append(data, string(raw))
	}
	return names, data
}

func TestEveryEventOfATurnHasItsFrames(t *testing.T) {
	asked := session.ApprovalAsked{Request: "r", Call: "call_1", Description: said("It writes."), AllowAlways: true,
		Shown: value(`{"path":"a","token":"[REDACTED:jwt]"}`), Hidden: 40}
	for _, tt := range []struct {
		name   string
		before []session.Body
		body   session.Body
		want   map[string]string // data by frame
	}{
		{"an opened thread", nil, session.ThreadOpened{}, map[string]string{"status": `{"message":"Thread opened"}`}},
		{"a queued message", nil, session.TurnQueued{Message: "m"}, map[string]string{
			"status": `{"message":"Waiting for the turn before it","state":"queued","message_id":"m"}`}},
		{"a turn that starts", nil, session.TurnStarted{Message: "m"}, map[string]string{
			"thinking": `{"message":"Thinking…","message_id":"m"}`}},
		{"a narrative", nil, session.Narrated{Step: 2, Text: said("I look."), Source: session.FromModel},
			map[string]string{
				"thinking": `{"message":"I look.","step":2,"narrative_source":"model"}`}},
		{"a narrative that was withheld", nil, session.Narrated{Step: 2, Blocked: true}, map[string]string{}},
		{"a call", nil, called("call_1", new(0)), map[string]string{
			"tool_started": `{"name":"memory_search","call_id":"call_1","rationale_source":"model","parallel_group":0,
				"object":"recent project updates", "rationale":"searched memory for 'recent project updates'"}`}},
		{"a result", []session.Body{called("call_1", nil)},
			session.ToolReturned{Call: "call_1", Outcome: session.Success, Result: value(`[1,2]`), Took: time.Second},
			map[string]string{
				"tool_completed": `{"name":"memory_search","call_id":"call_1","success":true,"outcome":"success",
					"outcome_line":"2 items","duration_ms":1000}`,
				"tool_result": `{"name":"memory_search","call_id":"call_1","preview":"[1,2]",
					"result_shape":{"bytes":5,"items":2}}`,
			}},
		{"a call that failed", []session.Body{called("call_1", nil)},
			session.ToolReturned{Call: "call_1", Outcome: session.Errored, Error: said("no such file")},
			map[string]string{"tool_completed": `{"name":"memory_search","call_id":"call_1","success":false,
				"outcome":"error","outcome_line":"no such file","error":"no such file","duration_ms":0}`}},
		{"a call that needs approval", []session.Body{called("call_1", nil)}, asked, map[string]string{
			"approval_needed": `{"request_id":"r","call_id":"call_1","tool_name":"memory_search",
				"description":"It writes.",
				"rationale":"searched memory for 'recent project updates'","rationale_source":"model",
				"parameters":{"path":"a","token":"[REDACTED:jwt]"},"hidden_characters":40,"allow_always":true}`}},
		{"an approval", nil, session.ApprovalAnswered{Request: "r", Call: "call_1", Answer: session.Deny},
			map[string]string{"approval_answered": `{"request_id":"r","call_id":"call_1","answer":"deny"}`}},
		{"a handoff", nil, session.Handoff{Call: "call_1", From: "", To: "helper", Text: said("Look.")},
			map[string]string{"handoff": `{"call_id":"call_1","from":"","to":"helper","text":"Look."}`}},
		{"a turn that ends well", nil, session.TurnCompleted{Response: said("Done.")},
			map[string]string{"response": `{"content":"Done."}`}},
		{"a turn that fails", nil, session.TurnFailed{Error: said("no model")},
			map[string]string{"error": `{"message":"no model"}`}},
		{"a turn that is interrupted", nil, session.TurnInterrupted{},
			map[string]string{"status": `{"message":"Interrupted","state":"interrupted"}`}},
		{"a turn that a restart interrupted", nil,
			session.TurnInterrupted{Restart: true, Heard: time.Unix(1700000000, 0).UTC()},
			map[string]string{"status": `{"message":"Interrupted: the server restarted","state":"interrupted",
				"interrupted_by":"restart","last_heard_at":"2023-11-14T22:13:20Z"}`}},
		{"a step that waits", nil, session.StepWaits{Step: 1}, map[string]string{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			turn := foldTurn(append(append([]session.Body{session.TurnStarted{}}, tt.before...), tt.body)...)
			names, data := encodedFrames(t, Frames(turn, event("", tt.body)))
			assert.ElementsMatch(t, slices.Collect(maps.Keys(tt.want)), names)
			for i, name := range names {
				assert.JSONEq(t, tt.want[name], data[i], name)
			}
		})
	}
}

func TestAToolCompletesBeforeItsResultIsShown(t *testing.T) {
	body := session.ToolReturned{Call: "call_1", Outcome: session.Success, Result: value(`1`)}
	names, _ := encodedFrames(t, Frames(foldTurn(session.TurnStarted{}, called("call_1", nil), body), event("", body)))
	assert.Equal(t, []string{"tool_completed", "tool_result"}, names)
}

func TestEveryEventOfAJobHasItsFrame(t *testing.T) {
	why := session.Rationale{Text: said("to see"), Source: session.FromModel}
	for _, tt := range []struct {
		name, frame, want string
		body              session.Body
	}{
		{"a job that opens", "job_started", `{"title":"Look"}`, session.JobOpened{Title: said("Look")}},
		{"a further prompt", "job_message", `{"role":"user","content":"more","done":true}`,
			session.JobPrompted{Text: said("more"), Done: true}},
		{"a message", "job_message", `{"role":"assistant","content":"hello"}`,
			session.JobMessage{Role: "assistant", Text: said("hello")}},
		{"a call with its reason", "job_tool_use",
			`{"tool_name":"grep","call_id":"1","input":{"q":1},"object":"1","rationale":"to see",
				"rationale_source":"model","parallel_group":0,"narrative":"I look."}`,
			session.JobToolUse{Call: "1", Tool: said("grep"), Input: value(`{"q":1}`), Rationale: why, Group: new(0),
				Narrative: said("I look.")}},
		{"a call whose reason comes later", "job_tool_use",
			`{"tool_name":"grep","call_id":"call_2","input":null,"agent":"scout"}`,
			session.JobToolUse{Call: "call_2", Agent: said("scout"), Tool: said("grep"), Input: value(`null`)}},
		{"a result", "job_tool_result",
			`{"tool_name":"grep","call_id":"1","outcome":"error","outcome_line":"no","output":null,
				"error":"no","duration_ms":2}`,
			session.JobToolResult{Call: "1", Tool: said("grep"), Outcome: session.Errored, Output: value(`null`),
				Error: said("no"), Took: new(2 * time.Millisecond)}},
		{"a result whose duration nobody knows", "job_tool_result",
			`{"tool_name":"grep","call_id":"call_1","inferred":true,"outcome":"success","outcome_line":"1",
				"output":1,"duration_ms":null}`,
			session.JobToolResult{Call: "call_1", Inferred: true, Tool: said("grep"), Outcome: session.Success,
				Output: value(`1`)}},
		{"the reasons of a step", "job_reasoning",
			`{"narrative":"I look.","tool_decisions":[{"call_id":"call_7","tool_name":"grep","rationale":"to see",
				"rationale_source":"model","outcome":"success","parallel_group":null}]}`,
			session.JobReasoned{Narrative: said("I look."), Decisions: []session.Decision{
				{Call: "call_7", Tool: said("grep"), Rationale: why, Outcome: session.Success}}}},
		{"the reasoning behind an answer", "job_reasoning",
			`{"answer":true,"narrative":"I know.","narrative_source":"summary","tool_decisions":[]}`,
			session.JobReasoned{Answer: true, Narrative: said("I know."), NarrativeSource: session.FromSummary}},
		{"a state", "job_status", `{"state":"busy","message":"still there"}`,
			session.JobReported{State: said("busy"), Message: said("still there")}},
		{"a job that ends well", "job_result", `{"status":"completed","success":true,"message":"done"}`,
			session.JobEnded{Success: true, Message: said("done")}},
		{"a job that fails", "job_result", `{"status":"failed","success":false,"message":""}`, session.JobEnded{}},
		{"a job that is cancelled", "job_status", `{"state":"cancelled","message":"Stopped by its user"}`,
			session.JobCancelled{}},
		{"a job that restarts", "job_status", `{"state":"pending","message":"Begins anew"}`, session.JobRestarted{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			frames := Frames(session.Turn{}, event("j", tt.body))
			names, data := encodedFrames(t, frames)
			require.Equal(t, []string{tt.frame}, names)
			assert.JSONEq(t, tt.want, data[0])
			list := JobEvents([]session.Event{event("j", tt.body)})
			require.Len(t, list, 1)
			assert.Equal(t, JobEventInfo{ID: 9, EventType: tt.frame, Data: frames[0].Data,
				CreatedAt: list[0].CreatedAt}, list[0])
		})
	}
	assert.Empty(t, JobFrames(event("j", session.StepEnded{})), "an event that is none of a job's")
	assert.NotNil(t, JobEvents(nil), "an empty list is [], not null")
}

// linesOf returns the lines of an update.
func linesOf(t *testing.T, enc *Encoder, up session.Update) []Line {
	t.Helper()
	lines, err := enc.Lines(up)
	require.NoError(t, err)
	return lines
}

func TestManyReadersOfAnEventHaveItEncodedOnce(t *testing.T) {
	finished := 0 // only the race detector sees a second one beside the first
	enc := NewEncoder(func(id string, seq uint64, lines []Line) {
		finished++
		lines[0].Data = fmt.Appendf(nil, "%s of %d", id, seq)
	})
	up := session.Update{Event: event("", session.TurnCompleted{Response: said("Done.")})}
	var readers sync.WaitGroup
	for range 50 {
		readers.Go(func() {
			lines, err := enc.Lines(up)
			assert.NoError(t, err)
			assert.Equal(t, fmt.Sprint(up.Event.Session, " of ", up.Event.Seq), string(lines[0].Data))
		})
	}
	readers.Wait()
	assert.Equal(t, 1, finished)
}

func TestTheEncoderSharesTheLinesOfRecentEvents(t *testing.T) {
	enc := NewEncoder(nil)
	small := session.Update{Event: event("", session.TurnCompleted{Response: said("Done.")})}
	one, two := linesOf(t, enc, small), linesOf(t, enc, small)
	assert.Same(t, &one[0], &two[0])
	other := small
	other.Event.Seq++
	assert.NotSame(t, &one[0], &linesOf(t, enc, other)[0])

	long := safety.NewLayer().Limit(1 << 20)
	text, _ := long.Mask(textOf(maxShared))
	large := session.Update{Event: event("", session.TurnCompleted{Response: text})}
	large.Event.Seq = 100
	one, two = linesOf(t, enc, large), linesOf(t, enc, large)
	assert.NotSame(t, &one[0], &two[0], "large events are not kept")
	assert.Equal(t, one, two)
}

func TestTheEncoderKeepsSessionsApart(t *testing.T) {
	enc := NewEncoder(nil)
	anns := event("", session.TurnCompleted{Response: said("Ann's answer.")})
	bobs := event("", session.TurnCompleted{Response: said("Bob's answer.")})
	for i := 0; bobs.Session == anns.Session || enc.index(bobs.Session, 1) != enc.index(anns.Session, 1); i++ {
		bobs.Session = fmt.Sprint("bob's ", i) // until both share a place in the cache
	}
	require.Equal(t, anns.Seq, bobs.Seq)
	assert.Contains(t, string(linesOf(t, enc, session.Update{Event: anns})[0].Data), "Ann's answer.")
	assert.Contains(t, string(linesOf(t, enc, session.Update{Event: bobs})[0].Data), "Bob's answer.")
}

func TestTheTextOfARunningStepIsAFrameOfItsOwn(t *testing.T) {
	enc := NewEncoder(nil)
	part := session.StepText{Ref: session.Ref{Thread: "t", Turn: 2, Agent: "a"}, Step: 3, Index: 4,
		Text: said("I look. "), Session: "s", Number: 9}
	lines := linesOf(t, enc, session.Update{Text: &part})
	require.Len(t, lines, 1)
	assert.Equal(t, "step_text", lines[0].Name)
	assert.Equal(t, `{"type":"step_text","thread_id":"t","turn_number":2,"agent":"a","step":3,"index":4,`+
		`"text":"I look. "}`, string(lines[0].Data))
	again := linesOf(t, enc, session.Update{Text: &part})
	assert.Same(t, &lines[0], &again[0], "all readers share its encoding")
	next := part
	next.Number, next.Text = 10, said("Now. ")
	assert.Contains(t, string(linesOf(t, enc, session.Update{Text: &next})[0].Data), "Now. ")
}

// textOf returns a text of at least n bytes.
func textOf(n int) string {
	out := make([]byte, 0, n+8)
	for len(out) < n {
		out = append(out, "a word, "...)
	}
	return string(out)
}

func TestAValueThatDoesNotEncodeBecomesAnEmptyObject(t *testing.T) {
	assert.Equal(t, "{}", string(encodeLine(func() {})))
}
