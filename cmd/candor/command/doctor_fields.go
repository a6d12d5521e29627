package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// plantedInFrontEnd are AG-UI runs with the secret in every member of their input. A front
// end gets its own ids back as it sent them, so these hold no secret.
func plantedInFrontEnd(c canary) []probe {
	name := strings.Map(func(r rune) rune { // as a tool's name may be spelled
		if r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '_'
	}, c.text)
	run := func(tool string) map[string]any {
		return map[string]any{
			"threadId": "canary", "runId": "canary-" + fmt.Sprint(len(tool)), "protocolVersion": "1.0",
			"state":          map[string]any{c.text: c.text},
			"forwardedProps": map[string]any{c.text: c.text},
			"messages": []any{map[string]any{"id": "1", "role": "system", "content": c.text, "name": c.text},
				map[string]any{"id": "2", "role": "user", "content": "remember " + c.text, "name": c.text}},
			"context": []any{map[string]any{"description": c.text, "value": c.text}},
			"tools": []any{map[string]any{"name": tool, "description": c.text, "parameters": map[string]any{
				"type": "object", "title": c.text, "description": c.text,
				"properties": map[string]any{c.text: map[string]any{"type": "string", "description": c.text,
					"default": c.text, "enum": []string{c.text}}},
			}}},
		}
	}
	broken := run("lookup")
	broken["messages"] = c.text
	return []probe{
		{"an AG-UI run", http.MethodPost, "/agui", run("lookup")},
		{"an AG-UI run with a named tool", http.MethodPost, "/agui", run(name[:min(len(name), 64)])},
		{"an error about a tool", http.MethodPost, "/agui", run(c.text + " ")},
		{"an error about an AG-UI run", http.MethodPost, "/agui", broken},
	}
}

// plantInJob opens a job with the secret in every field, works on it as a worker that
// reports the secret in every field of every kind of event, and cancels it. It returns the
// job's id and the answers to the worker.
func (d *doctor) plantInJob(ctx context.Context, c canary) (job string, places []place, err error) {
	_, body, err := d.ask(ctx, http.MethodPost, "/api/jobs", map[string]any{"title": c.text, "prompt": c.text,
		"metadata": map[string]any{c.text: c.text, "file": c.text + ".md"}})
	if err != nil {
		return "", nil, err
	}
	var opened struct {
		ID    string `json:"job_id"`
		Token string `json:"token"`
	}
	if err := json.Unmarshal([]byte(body), &opened); err != nil || opened.ID == "" {
		return "", nil, errors.New("could not open a job; does --sends-per-minute allow it?")
	}
	worker := *d
	worker.token = opened.Token
	nested := map[string]any{c.text: []any{c.text, map[string]any{"path": c.text + ".md"}}}
	for _, p := range []struct {
		name string
		body any
	}{
		{"an answer to a worker", map[string]any{"events": []map[string]any{
			{"event": "tool_use", "id": "1", "tool_name": c.text, "input": nested, "call_id": c.text,
				"rationale": c.text, "narrative": c.text, "agent": c.text},
			{"event": "tool_result", "id": "2", "tool_name": c.text, "call_id": c.text, "agent": c.text,
				"output": nested},
			{"event": "tool_use", "id": "3", "tool_name": "fails", "input": c.text, "call_id": "f"},
			{"event": "tool_result", "id": "4", "tool_name": "fails", "call_id": "f", "outcome": "error",
				"error": c.text},
			{"event": "reasoning", "id": "5", "narrative": c.text, "tool_decisions": []map[string]any{
				{"tool_name": c.text, "call_id": "d", "rationale": c.text}}},
			{"event": "message", "id": "6", "role": "assistant", "content": c.text},
			{"event": "status", "id": "7", "state": "running", "message": c.text},
			{"event": c.text, "id": c.text, c.text: nested},
		}}},
		{"an error to a worker", map[string]any{"event": "message", c.text: c.text}},
	} {
		_, text, err := worker.ask(ctx, http.MethodPost, "/api/jobs/"+opened.ID+"/events", p.body)
		if err != nil {
			return "", nil, err
		}
		places = append(places, place{p.name, text})
	}
	_, text, err := d.ask(ctx, http.MethodPost, "/api/jobs/"+opened.ID+"/cancel", struct{}{})
	return opened.ID, append(places, place{"a cancelled job", text}), err
}
