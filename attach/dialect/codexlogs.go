package dialect

import (
	"strings"
	"time"

	"candor/attach"
	"candor/attach/codex"
	"candor/attach/otlp"
	"candor/attach/rows"
)

// previewEnds is what Codex writes where it cut a result, which it does at 2 KiB.
const previewEnds = "[... telemetry preview truncated ...]"

// codexRecord reads a record of Codex, as version 0.163.0 writes it: the prompts, and the calls with the text that the
// model read of each, which is read as in the session file. Texts, thoughts and ends of turns are not among them.
//
// No record names its turn, and a sub-agent is a conversation of its own, of which only the result of the call that
// began it tells. Whoever records sightings finds where they belong.
func codexRecord(r otlp.Record, event string) ([]attach.Sighting, Loss) {
	a := r.Attrs
	s, ok := recordOf(r, "codex", "conversation.id", "turn.id")
	if !ok {
		return nil, Loss{noSession, plain(event)}
	}
	if at := rows.Time(a.Text("event.timestamp")); !at.IsZero() {
		s.At = at // the other one is when the record was written
	}
	switch event {
	case "user_prompt":
		s.Prompted = &attach.Prompted{Text: textFor(a, "prompt")}
		if s.Prompted.Text == "[REDACTED]" {
			s.Prompted.Text = ""
		}
		if s.Prompted.Text == "" {
			return []attach.Sighting{s}, Loss{keptPrompt, plain(event)} // that there was one is told
		}
		return []attach.Sighting{s}, Loss{}
	case "tool_result":
		return codexCall(s, a)
	case "sse_event":
		if a.Text("event.kind") == "response.completed" {
			s.About = &attach.About{Version: shortOf(a, "app.version"), Model: shortOf(a, "model")}
		}
		if s.About == nil || *s.About == (attach.About{}) {
			return nil, Loss{}
		}
		return []attach.Sighting{s}, Loss{}
	case "tool_decision", "api_request", "turn_ttft", "startup_phase":
		return nil, Loss{} // of which the result has the call, too
	}
	if unread[event] {
		return nil, Loss{}
	}
	return nil, Loss{newEvent, plain(event)}
}

// codexCall returns a call, the sub-agent that it began, and how it ended.
func codexCall(s attach.Sighting, a otlp.Attributes) ([]attach.Sighting, Loss) {
	s.Call = a.Text("call_id")
	if !rows.IsID(s.Call) || a.Text("tool_name") == "" {
		return nil, Loss{noCallID, "tool_result"}
	}
	call := s
	call.Called = called(a.Text("tool_name"), valueOf(a["arguments"]))
	output, ours := rows.Shorten(a.Text("output"))
	output, theirs := strings.CutSuffix(output, previewEnds)
	out := append([]attach.Sighting{call}, codex.Spawned(s, call.Called.Params, output)...)
	s.Returned = codex.Returned(output, a.Text("success") == "false", ours || theirs)
	// The record is written when the call has ended.
	if took := number(a, "duration_ms"); took > 0 && took < int(24*time.Hour/time.Millisecond) {
		s.Returned.Took = time.Duration(took) * time.Millisecond
		out[0].At = s.At.Add(-s.Returned.Took)
	}
	return append(out, s), Loss{}
}
