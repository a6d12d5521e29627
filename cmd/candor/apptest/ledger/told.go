package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// The kinds of what is told about other agents' work, and of what other protocols ask for. Each is repeated until it is
// acknowledged, as its clients do, so it is there once.
const (
	Prompts  = "prompts"  // of an attached agent, by its hook
	Calls    = "calls"    // of an attached agent, by their hooks
	Displays = "displays" // texts of an attached agent, by its hook MessageDisplay
	Runs     = "runs"     // of OpenWOP, each with an Idempotency-Key
	Posts    = "posts"    // messages in a MEW space, each with an id
)

// claim is what was told, and acknowledged, in words that occur nowhere else.
type claim struct{ user, kind, words string }

// Tally counts what became of a kind of what was acknowledged.
type Tally struct{ Acknowledged, Kept, Doubled, Lost int }

// insist sends a request with a header until it is acknowledged. An answer with one of the codes says that it was
// before.
func (l *Ledger) insist(ctx context.Context, token, path string, body any, header http.Header, codes ...string) bool {
	raw, err := json.Marshal(body)
	for ; err == nil && ctx.Err() == nil; pause(ctx) {
		var answer []byte
		if answer, err = l.try(ctx, token, path, raw, header); err == nil {
			return true
		}
		for _, code := range codes {
			if bytes.Contains(answer, []byte(code)) {
				return true
			}
		}
		l.complain(err)
		err = nil
	}
	return false
}

// try sends a request to one of the servers and returns the answer, also that of a refusal.
func (l *Ledger) try(ctx context.Context, token, path string, raw []byte, header http.Header) ([]byte, error) {
	url := l.Servers[rand.IntN(len(l.Servers))] + path
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	for name, values := range header {
		r.Header[name] = values
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	resp, err := l.Client.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && (resp.StatusCode >= 300 || resp.StatusCode < 200) {
		err = errStatus{resp.StatusCode, string(answer)}
	}
	return answer, err
}

// note notes what was acknowledged.
func (l *Ledger) note(user, kind, words string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.claims = append(l.claims, claim{user, kind, words})
}

// turnTime is how long a turn that was begun is told to its end, so that none stays open behind the load.
const turnTime = time.Minute

// Observe tells of the turns of an attached agent, as its hooks do: a prompt, a text, a call, the end.
func (l *Ledger) Observe(load context.Context, user, name string, turns int) {
	for i := 0; i < turns && load.Err() == nil; i++ {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(load), turnTime)
		words := func(kind string) string { return fmt.Sprintf("%s-of-%s-%d.", kind, name, i) }
		hook := func(event, kind string, more map[string]any) {
			body := map[string]any{"hook_event_name": event, "session_id": name, "prompt_id": fmt.Sprint("p", i)}
			for key, value := range more {
				body[key] = value
			}
			if l.insist(ctx, l.Tokens[user], "/api/hooks/claude", body, nil) && kind != "" {
				l.note(user, kind, words(kind))
			}
		}
		call := map[string]any{"tool_name": "Bash", "tool_use_id": fmt.Sprint("toolu_", name, i),
			"tool_input": map[string]string{"command": "ls " + words(Calls)}}
		hook("UserPromptSubmit", Prompts, map[string]any{"prompt": words(Prompts)})
		hook("MessageDisplay", Displays, map[string]any{"message_id": fmt.Sprint("m", i), "index": 0,
			"delta": "I look for " + words(Displays), "final": true})
		hook("PreToolUse", "", call)
		call["tool_response"] = map[string]string{"stdout": "nothing"}
		hook("PostToolUse", Calls, call)
		hook("Stop", "", map[string]any{"last_assistant_message": "Done."})
		cancel()
	}
}

// Run starts runs of OpenWOP, each with a key of its own.
func (l *Ledger) Run(ctx context.Context, user, name string, runs int) {
	for i := 0; i < runs && ctx.Err() == nil; i++ {
		words := fmt.Sprintf("%s-of-%s-%d.", Runs, name, i)
		body := map[string]any{"workflowId": "chat", "inputs": map[string]string{"message": words}}
		if l.insist(ctx, l.Tokens[user], "/v1/runs", body, http.Header{"Idempotency-Key": {words}}) {
			l.note(user, Runs, words)
		}
	}
}

// Say says something in a user's MEW space, as the participant whose token it is.
func (l *Ledger) Say(ctx context.Context, user, participant, token, name string, posts int) {
	for i := 0; i < posts && ctx.Err() == nil; i++ {
		words := fmt.Sprintf("%s-of-%s-%d.", Posts, name, i)
		body := map[string]any{"id": words, "kind": "chat", "payload": map[string]string{"text": words}}
		if l.insist(ctx, token, "/mew/participants/"+participant+"/messages", body, nil, "duplicate") {
			l.note(user, Posts, words)
		}
	}
}

// judgeTold looks for all that was told in the histories of its user's threads.
func (l *Ledger) judgeTold(ctx context.Context, v *Verdict) {
	there := map[string]map[string][]string{} // by user and kind
	for _, one := range l.claims {
		user := one.user
		if there[user] != nil {
			continue
		}
		all, err := l.pieces(ctx, user)
		if err != nil {
			v.problem("the histories of %s: %v", user, err)
		}
		there[user] = all
	}
	for _, one := range l.claims {
		t := v.Kinds[one.kind]
		t.Acknowledged++
		n := 0
		for _, piece := range there[one.user][one.kind] {
			if strings.Contains(piece, one.words) {
				n++
			}
		}
		switch {
		case n == 0:
			t.Lost++
		case n == 1:
			t.Kept++
		default:
			t.Doubled += n - 1
		}
		if n != 1 && len(v.Told) < 20 {
			v.Told = append(v.Told, fmt.Sprintf("%q stands %d times", one.words, n))
		}
		v.Kinds[one.kind] = t
	}
}

// pieces returns the texts of a user's threads in which each kind stands.
func (l *Ledger) pieces(ctx context.Context, user string) (map[string][]string, error) {
	threads, failed := l.threadsOf(ctx, user)
	all := map[string][]string{}
	for _, th := range threads {
		turns, err := l.history(ctx, user, th)
		failed = errors.Join(failed, err)
		for _, t := range turns {
			all[Prompts] = append(all[Prompts], t.Input)
			all[Runs] = append(all[Runs], t.Input)
			all[Posts] = append(all[Posts], t.Input+" "+t.Response)
			for _, d := range t.Reasoning.Decisions {
				all[Calls] = append(all[Calls], string(d.Parameters))
			}
			if len(t.Reasoning.Narratives) == 0 {
				all[Displays] = append(all[Displays], t.Reasoning.Narrative)
			}
			for _, n := range t.Reasoning.Narratives {
				all[Displays] = append(all[Displays], n.Narrative)
			}
		}
	}
	return all, failed
}

// threadsOf returns the ids of a user's threads, page by page.
func (l *Ledger) threadsOf(ctx context.Context, user string) (ids []string, err error) {
	for before := ""; ; {
		var page struct {
			Threads []struct {
				ID      string
				Updated string `json:"updated_at"`
			}
			HasMore bool `json:"has_more"`
		}
		path := "/api/chat/threads?before=" + url.QueryEscape(before)
		if err := l.call(ctx, l.Tokens[user], http.MethodGet, path, nil, &page); err != nil {
			return ids, err
		}
		for _, th := range page.Threads {
			ids, before = append(ids, th.ID), th.Updated
		}
		if !page.HasMore {
			return ids, nil
		}
	}
}
