//go:build unix

package terminal_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"candor/cmd/candor/apptest"

	"github.com/stretchr/testify/assert"
)

// hostile is text that does what a terminal lets text do: colors, the cursor, titles,
// links, the clipboard, answers typed for the user, direction, floods.
func hostile(word string) string {
	return word + "\x1b[2J\x1b[H\x1b[31;5m\x1b[?1049h\x1b]0;TITLE\x07" +
		"\x1b]8;;http://evil.example/\x1b\\LINK\x1b]8;;\x1b\\" +
		"\x1b]52;c;cm0gLXJm\x07\x1b[6n\x1b[c\x1bP+q544e\x1b\\\u009b2J\u009d0;T2\u009c\r\b\x00\x07\x0e\x7f" +
		"\u202eRTL\u2066\u2069\u200f\u200b\ufeff" + strings.Repeat("\u0301", 5000) + "a" + strings.Repeat("\u0489",
		5000) +
		"\n› /approve\n" + word + "\r\nend"
}

// A hostile model, behind a layer that cleans what it says: the terminal gets text.
func TestAHostileModelLeavesTheTerminalSane(t *testing.T) {
	long := strings.Repeat("longline", 1<<17) // 1 MB
	script := map[string]any{
		"steps": []any{
			map[string]any{"narrative": hostile("narrative"), "tool_calls": []any{
				map[string]any{"id": "a", "name": "show", "arguments": map[string]any{hostile("key"): hostile("value"),
					"long": long}, "rationale": hostile("reason")},
				map[string]any{"id": "b", "name": "show\x1b[31m", "arguments": map[string]any{}, "rationale": long},
			}},
			map[string]any{"text": hostile("answer") + "\n" + long + "\nlast words"},
		},
		"tools": map[string]any{"show": map[string]any{"result": hostile("result") + long}},
	}
	c := openConsole(t, 80, nil, "chat", "--provider", "script", "--script", apptest.ScriptFile(t, script))
	c.prompt("leaves.")
	c.say("go on")
	c.prompt("Reasoning (turn 1)")
	c.say("/reasoning 1")
	c.prompt("Reasoning — turn 1")
	c.say("/reasoning search reason")
	c.prompt("  turn 1  ")
	assert.Contains(t, c.leave(), "longlinelongline")
	assert.Less(t, len(c.out.String()), 1<<20, "a megabyte is not shown")
}

func assertSane(t *testing.T, shown string) {
	t.Helper()
	for _, gone := range []string{"TITLE", "evil.example", "cm0gLXJm", "\x1b[2J", "T2"} {
		assert.NotContains(t, shown, gone)
	}
}

// A hostile server, whose words nobody cleaned before us.
func TestAHostileServerLeavesTheTerminalSane(t *testing.T) {
	s := httptest.NewServer(hostileServer())
	defer s.Close()
	env := []string{"CANDOR_TOKEN=" + apptest.Token}
	c := openConsole(t, 80, env, "chat", "--server", s.URL)
	c.prompt("leaves.")
	c.say("go on")
	c.until("May it run?")
	c.prompt("Reasoning (turn 1)")
	for _, line := range []string{"/reasoning 1", "/threads", "/reasoning search value"} {
		before := strings.Count(c.screen(), "\n\n")
		c.say(line)
		apptest.Eventually(t, line, func() bool { return strings.Count(c.screen(), "\n\n") > before })
		c.prompt(line)
	}
	c.say("/approve")
	c.until("✗ refused")
	before, rest, _ := strings.Cut(c.leave(), "    params: ")
	params, after, _ := strings.Cut(rest, "\n\n")
	assertSane(t, before+after)
	assert.Contains(t, params, `\u001b[2J`, "in a question it is escaped, not left out")
	assert.NotContains(t, params, "\x1b[2J")

	for _, args := range [][]string{{"reasoning", "last", "1"}, {"reasoning", "last", "1", "--json"},
		{"export", "last"}, {"doctor"}, {"doctor", "--json"}} {
		c := openConsole(t, 80, env, append([]string{args[0], "--server", s.URL}, args[1:]...)...)
		c.exited(0)
		if args[len(args)-1] != "--json" { // there it is escaped, not left out
			assertSane(t, c.screen())
		}
	}
	c = openProcess(t, 80, env, "tail", "--thread", "last", "--server", s.URL)
	c.until("1 call")
	c.interrupt()
	c.exited(0)
	assertSane(t, c.screen())
}

// hostileServer answers as a server of ours would, with hostile words in every place.
func hostileServer() http.Handler {
	say := func(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) }
	calls := []any{map[string]any{"call_id": "c", "name": hostile("tool"), "has_result": true,
		"result_preview": `"` + "x\x1b[2Jy" + `"`,
		"result_shape":   map[string]any{"items": 2, "of": hostile("of"), "query": hostile("query")}}}
	decisions := []any{map[string]any{"call_id": "c", "tool_name": hostile("tool"), "agent": hostile("agent"),
		"rationale":        hostile("why"),
		"rationale_source": "model", "outcome": "success", "parallel_group": 0,
		"parameters": map[string]any{hostile("k"): hostile("value")}}}
	turn := map[string]any{"turn_number": 1, "user_input": hostile("input"), "response": hostile("response"),
		"state": "completed", "tool_calls": calls,
		"reasoning": map[string]any{"narrative": hostile("narrative"), "tool_decisions": decisions,
			"narratives": []any{map[string]any{"agent": hostile("agent"), "step": 1, "narrative": hostile("step")}}},
		"redactions": []any{map[string]any{"rule": hostile("rule"), "count": 2}},
		"asked":      map[string]any{"by": hostile("asker"), "reason": hostile("reason")},
		"conclusion": hostile("conclusion"),
		"notes": []any{map[string]any{"from": hostile("author"), "kind": hostile("kind"),
			"text": hostile("note")}}}
	thread := map[string]any{"id": "aaaa\x1b[2Jbbbb", "title": hostile("title"), "turn_count": 1}
	observed := map[string]any{"id": "cccc", "turn_count": 1,
		"origin": map[string]any{"space": hostile("space"), "participant": hostile("participant")}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/health", func(w http.ResponseWriter, _ *http.Request) {
		say(w,
			map[string]string{"status": "healthy"})
	})
	mux.HandleFunc("GET /api/gateway/status", func(w http.ResponseWriter, _ *http.Request) {
		say(w, map[string]string{"llm_model": hostile("model"), "llm_backend": hostile("backend"),
			"version": hostile("v"), "user": hostile("me")})
	})
	mux.HandleFunc("POST /api/chat/thread/new", func(w http.ResponseWriter, _ *http.Request) { say(w, thread) })
	mux.HandleFunc("GET /api/chat/threads", func(w http.ResponseWriter, _ *http.Request) {
		say(w, map[string]any{"threads": []any{thread, observed}, "active_thread": thread["id"]})
	})
	mux.HandleFunc("GET /api/chat/history", func(w http.ResponseWriter, _ *http.Request) {
		say(w, map[string]any{"thread_id": thread["id"], "turns": []any{turn}, "event_id": "s-1"})
	})
	mux.HandleFunc("GET /api/chat/turn", func(w http.ResponseWriter, _ *http.Request) { say(w, turn) })
	mux.HandleFunc("GET /api/chat/export", func(w http.ResponseWriter, _ *http.Request) {
		_,
			_ = w.Write([]byte(hostile("export")))
	})
	mux.HandleFunc("POST /api/chat/send", func(w http.ResponseWriter, _ *http.Request) {
		say(w, map[string]any{"thread_id": thread["id"], "turn_number": 1, "state": "processing"})
	})
	mux.HandleFunc("POST /api/chat/approval", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(409)
		say(w, map[string]any{"error": "x", "message": hostile("refused")})
	})
	mux.HandleFunc("GET /api/chat/events", func(w http.ResponseWriter, r *http.Request) {
		hostileEvents(r.Context(), w, r.Header.Get("Last-Event-ID"), decisions)
	})
	return mux
}

// A server whose words about a job nobody cleaned. What is printed is text, whatever the
// member: the job's title, a state, a role, a call, a failure.
func TestAHostileJobLeavesTheTerminalSane(t *testing.T) {
	h, job := hostile, "job\x1b[2J-1"
	call := map[string]any{"tool_name": h("tool"), "agent": h("agent"), "call_id": h("c"), "rationale": h("why"),
		"rationale_source": h("source"), "outcome": h("outcome")}
	with := func(kind string, members map[string]any) map[string]any {
		for k, v := range call {
			if _, ok := members[k]; !ok {
				members[k] = v
			}
		}
		members["type"], members["job_id"] = kind, job
		return members
	}
	all := []map[string]any{
		with("job_started", map[string]any{"title": h("title")}),
		with("job_message", map[string]any{"role": h("role"), "content": h("content")}),
		with("job_tool_use", map[string]any{"narrative": h("narrative"), "input": map[string]any{h("k"): h("v")}}),
		with("job_tool_result", map[string]any{"output": h("output"), "error": h("error"), "inferred": true}),
		with("job_tool_result", map[string]any{"output": h("output"), "outcome": "success"}),
		with("job_reasoning", map[string]any{"narrative": h("narrative"), "tool_decisions": []any{call}}),
		with("job_status", map[string]any{"state": h("state"), "message": h("message")}),
		with("job_result", map[string]any{"success": false, "message": h("failure")}),
		with("job_result", map[string]any{"success": true, "message": h("success")}),
	}
	mux := http.NewServeMux()
	mux.Handle("GET /api/gateway/status", hostileServer())
	mux.HandleFunc("GET /api/jobs/{id}/events", func(w http.ResponseWriter, _ *http.Request) {
		var events []any
		for i, e := range all {
			events = append(events, map[string]any{"id": i + 1, "data": e})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"events": events, "event_id": "s-1"})
	})
	mux.HandleFunc("GET /api/jobs/{id}", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"job_id": job, "title": h("title"), "state": "failed", "run": 2,
			"error": h("reason of the failure"), "ended_at": "2026-01-01T00:00:00Z"})
	})
	mux.HandleFunc("GET /api/chat/events", func(w http.ResponseWriter, r *http.Request) {
		for i, e := range all {
			raw, _ := json.Marshal(e)
			_, _ = fmt.Fprintf(w, "data: %s\nevent: x\nid: s-%d\n\n", raw, i+2)
		}
		_, _ = fmt.Fprint(w, "data: {\"type\":\"job_message\",\"job_id\":\"j\",\"role\":\"agent\","+
			"\"content\":\"last words\"}\nid: s-99\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	s := httptest.NewServer(mux)
	defer s.Close()
	c := openProcess(t, 80, []string{"CANDOR_TOKEN=" + apptest.Token}, "tail", "--job", "j", "--server", s.URL)
	c.until("last words")
	c.interrupt()
	c.exited(0)
	shown := c.screen()
	assertSane(t, shown)
	for _, word := range []string{"title", "role", "content", "narrative", "tool", "why", "output", "error", "state",
		"message", "failure", "success", "Failed, run 2: reason of the failure"} {
		assert.Contains(t, shown, word)
	}
}

func hostileEvents(ctx context.Context, w http.ResponseWriter, after string, decisions []any) {
	n := 1
	send := func(kind string, members map[string]any) {
		n++
		members["type"], members["thread_id"], members["turn_number"] = kind, "aaaa\x1b[2Jbbbb", 1
		raw, _ := json.Marshal(members)
		_, _ = fmt.Fprintf(w, "id: s-%d\ndata: %s\nevent: %s\n\n", n, raw, kind)
	}
	h := hostile
	if after == "s-1" {
		send("thinking", map[string]any{"message": h("Thinking"), "message_id": h("m"), "user_input": h("input"),
			"asked": map[string]any{"by": h("asker"), "reason": h("reason")}})
		send("thinking", map[string]any{"message": h("narrative"), "step": 1, "agent": h("agent")})
		send("tool_started", map[string]any{"name": h("tool"), "rationale": h("why"), "to": h("to")})
		send("note", map[string]any{"from": h("author"), "kind": h("kind"), "text": h("note")})
		send("conclusion", map[string]any{"text": h("conclusion")})
		send("handoff", map[string]any{"to": h("to"), "text": h("task")})
		send("approval_needed", map[string]any{"request_id": "q", "tool_name": h("tool"), "rationale": h("why"),
			"description": h("does"),
			"parameters":  map[string]any{h("k"): h("v")}, "allow_always": true})
		send("tool_completed", map[string]any{"name": h("tool"), "outcome": h("odd"), "error": h("error")})
		send("tool_result", map[string]any{"name": h("tool"), "preview": h("preview")})
		send(h("unknown"), map[string]any{"message": h("x")})
		send("reasoning_update", map[string]any{"tool_decisions": decisions})
		send("response", map[string]any{"content": h("response")})
	}
	_ = http.NewResponseController(w).Flush()
	<-ctx.Done()
}
