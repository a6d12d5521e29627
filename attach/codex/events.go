package codex

import (
	"encoding/json"
	"strings"

	"candor/attach"
	"candor/attach/rows"
)

// event returns the sightings of an event. Most events repeat what response items say, and are skipped.
func (r *Reader) event(in row, e *eventMessage) (out []attach.Sighting) {
	if e.Type == "task_started" || e.Type == "turn_started" {
		return r.enter(in, e.context)
	}
	if r.isCopy() {
		return nil
	}
	switch e.Type {
	// Older files have this event where newer ones have an item UserMessage.
	case "user_message":
		return append(r.closeAnswer(record{}, in), r.promptedBy(in, e.Message)...)
	case "item_completed":
		return r.completed(in, &e.Item)
	case "task_complete", "turn_complete":
		out = append(r.promptsUntold(in), r.closeAnswer(record{}, in)...)
		out = append(out, r.unfinished(in)...)
		answer, cut := rows.Shorten(e.LastAnswer)
		r.countCut(cut)
		return append(out, r.end(in, r.ending(answer))...)
	case "turn_aborted":
		out = append(r.promptsUntold(in), r.closeAnswer(record{}, in)...)
		out = append(out, r.unfinished(in)...)
		return append(out, r.end(in, attach.Ended{Interrupted: true})...)
	case "error": // the turn ends with it, or the program goes on, and then there is an answer
		r.turn.failed, _ = rows.Shorten(e.Message)
		return nil
	// An answer that a record named has its usage from there.
	case "token_count":
		// Rollouts without usage records tell the usage of an answer so, and at times more than once.
		if u := e.Info.Last; u != nil && !r.answer.named {
			if out = r.closeAnswer(record{}, in); !r.answer.used {
				return append(out, r.used(in, *u)...)
			}
		}
	}
	r.report.Skip("event " + e.Type)
	return out
}

// completed returns what an item tells that the model was not told.
func (r *Reader) completed(in row, c *completedItem) []attach.Sighting {
	switch c.Type {
	case "UserMessage":
		return append(r.closeAnswer(record{}, in), r.promptedBy(in, joined(c.Content))...)
	}
	c.ID = r.names.Last(c.ID)
	switch c.Type {
	case "CommandExecution":
		if rows.IsID(c.ID) && c.ExitCode != nil {
			return r.commanded(in, c)
		}
	case "FileChange":
		if rows.IsID(c.ID) && len(c.Changes) > 0 {
			return r.changed(in, c)
		}
	case "CollabAgentToolCall":
		return r.spawned(in, c)
	}
	// What the tool said stands in the result that the model is told, which comes behind this row.
	if strings.EqualFold(c.Status, "failed") && rows.IsID(c.ID) {
		r.calls.of(c.ID).failed = true
	}
	r.report.Skip("item_completed " + c.Type)
	return nil
}

// maxKept is how much of an output the program keeps, in bytes. What stands in the middle of a longer one is lost.
const maxKept = 64 << 10

// commanded returns how a command ended.
func (r *Reader) commanded(in row, c *completedItem) []attach.Sighting {
	text, cut := rows.Shorten(c.Output)
	r.countCut(cut)
	// The time is the command's own, without what a person took to permit it.
	s := r.returned(in, c.ID)
	s.Returned.Took, s.Returned.Partial = c.took(), cut || len(c.Output) >= maxKept
	r.settle(&s, outcome{text: text, code: *c.ExitCode, denied: c.Status == "declined",
		failed: c.Status == "failed"}, len(c.Output) >= maxKept)
	r.calls.of(c.ID).ended = true
	return []attach.Sighting{s}
}

// changed returns how files were changed: what the tool wrote, and the difference of each file.
func (r *Reader) changed(in row, c *completedItem) []attach.Sighting {
	s := r.returned(in, c.ID)
	r.calls.of(c.ID).ended = true
	if c.Status != "completed" {
		text, _ := rows.Shorten(or(c.Stderr, c.Stdout))
		r.settle(&s, outcome{text: text, failed: true, denied: c.Status == "declined"}, false)
		return []attach.Sighting{s}
	}
	// Hooks tell nothing of it, so that this is the only form of it.
	result, err := json.Marshal(struct {
		Changes json.RawMessage `json:"changes"`
		Stdout  string          `json:"stdout"`
	}{c.Changes, c.Stdout})
	if err != nil {
		r.report.Malformed++
		return nil
	}
	s.Returned.Result, s.Returned.Partial = rows.BoundJSON(result, "")
	r.countCut(s.Returned.Partial)
	return []attach.Sighting{s}
}

// Calls for sub-agents other than spawn_agent, such as those that wait for them, begin nobody.

// spawned returns the beginning of the sub-agents of a call.
func (r *Reader) spawned(in row, c *completedItem) (out []attach.Sighting) {
	if !strings.HasPrefix(c.Tool, "spawn") || !rows.IsID(c.ID) {
		r.report.Skip("item_completed " + c.Type)
		return nil
	}
	r.calls.of(c.ID).spawned = len(c.Agents) > 0
	for _, a := range c.Agents[:min(len(c.Agents), maxItems)] {
		if !rows.IsID(a.ID) {
			r.report.Malformed++
			continue
		}
		s := r.sighting(in)
		kind, _ := rows.Shorten(or(a.Role, plainAgent))
		model, _ := rows.Shorten(c.Model)
		effort, _ := rows.Shorten(c.Effort)
		s.Call, s.Sub = c.ID, a.ID
		s.Spawned = &attach.Spawned{Kind: kind, Model: model, Effort: effort, Background: true}
		out = append(out, s)
	}
	return out
}

// spawnedBy returns the beginning of a sub-agent, of the result of the call that began it.
func (r *Reader) spawnedBy(in row, id, result string) []attach.Sighting {
	sub, known := subOf(result), r.calls.of(id)
	if sub == "" || known.spawned || !known.delegates {
		return nil
	}
	s := r.sighting(in)
	s.Turn = or(r.calls.of(id).turn, s.Turn)
	s.Call, s.Sub, s.Spawned = id, sub, &attach.Spawned{Background: true}
	return []attach.Sighting{s}
}

// spawns reports whether calls of a tool begin sub-agents: spawn_agent, before which hooks write its namespace. What
// another tool returns may look the same, such as the output of a command.
func spawns(tool string) bool {
	return strings.HasSuffix(tool, "spawn_agent") && !strings.HasPrefix(tool, "mcp__")
}

// subOf returns the sub-agent that a result of spawn_agent names, or "".
func subOf(result string) string {
	var begun struct {
		Agent    string `json:"agent_id"`
		Nickname string `json:"nickname"`
	}
	if !strings.HasPrefix(result, "{") || json.Unmarshal([]byte(result), &begun) != nil || begun.Nickname == "" ||
		!rows.IsID(begun.Agent) {
		return ""
	}
	return begun.Agent
}
