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

// leadAgent is what Codex calls the agent that the person speaks to; sub-agents have names.
const leadAgent = "/root"

// codexRecord reads a record of Codex, as version 0.163.0 writes it: the prompts, and the calls with the text that the
// model read of each, which is read as in the session file. Texts, thoughts and ends of turns are not among them.
//
// No record names its turn, and a sub-agent is a conversation of its own: its calls have the name of a sub-agent, and
// only the result of the call that began it says which one began it. What they tell has the conversation as its session
// and as its sub-agent, too. Whoever records sightings finds where they belong.
func codexRecord(r otlp.Record, event string) ([]attach.Sighting, Loss) {
	a := r.Attrs
	s, ok := recordOf(r, "codex", "conversation.id", "turn.id")
	if !ok {
		return nil, Loss{noSession, named(event)}
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
			return []attach.Sighting{s}, Loss{keptPrompt, named(event)} // that there was one is told
		}
		return []attach.Sighting{s}, Loss{}
	case "tool_result":
		return codexCall(s, a)
	case "tool_decision", "api_request", "turn_ttft", "startup_phase":
		return nil, Loss{} // of which the result has the call, too
	}
	if unread[event] {
		return nil, Loss{}
	}
	return nil, Loss{newEvent, named(event)}
}

// codexCall returns a call, the sub-agent that it began, and how it ended.
func codexCall(s attach.Sighting, a otlp.Attributes) ([]attach.Sighting, Loss) {
	s.Call = a.Text("call_id")
	if !rows.IsID(s.Call) || a.Text("tool_name") == "" {
		return nil, Loss{noCallID, "tool_result"}
	}
	var out []attach.Sighting
	switch name := a.Text("agent_name"); {
	case name == leadAgent:
		about := s
		about.Call, about.About = "", &attach.About{Version: shortOf(a, "app.version"), Model: shortOf(a, "model")}
		if *about.About != (attach.About{}) {
			out = append(out, about)
		}
	case name != "":
		s.Sub = s.Session // a sub-agent's; of which session, the record does not say
	}
	call := s
	call.Called = called(a.Text("tool_name"), valueOf(a["arguments"]))
	output, ours := rows.Shorten(a.Text("output"))
	output, theirs := strings.CutSuffix(output, previewEnds)
	s.Returned = codex.Returned(output, a.Text("success") == "false", ours || theirs)
	// The record is written when the call has ended.
	if took := number(a, "duration_ms"); took > 0 && took < int(24*time.Hour/time.Millisecond) {
		s.Returned.Took = time.Duration(took) * time.Millisecond
		call.At = s.At.Add(-s.Returned.Took)
	}
	begun := s
	begun.Returned = nil
	out = append(append(out, call), codex.Spawned(begun, call.Called.Tool, call.Called.Params, output)...)
	return append(out, s), Loss{}
}
