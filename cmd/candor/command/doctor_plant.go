package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// plantAll plants one secret of each kind, in a throwaway session that it removes in the
// end, and reports where any of them came out.
func (d *doctor) plantAll(ctx context.Context) error {
	if err := d.openThrowaway(ctx); err != nil {
		d.say(false, "session", err.Error())
		return errUnwell
	}
	unwell := d.plantEach(ctx)
	// Also if ctx has ended: what was planted has to go.
	status, _, err := d.ask(context.WithoutCancel(ctx), http.MethodDelete, throwawayPath, nil)
	if err != nil || status != http.StatusNoContent {
		d.say(false, "session", fmt.Sprintf("the temporary session was not removed: status %d", status))
		return errUnwell
	}
	d.say(true, "session", "the temporary session is removed")
	if unwell {
		return errUnwell
	}
	return nil
}

// throwawayPath is the route that opens and removes a throwaway session.
const throwawayPath = "/api/session/throwaway"

// openThrowaway opens a throwaway session and goes on with its token.
func (d *doctor) openThrowaway(ctx context.Context) error {
	status, body, err := d.ask(ctx, http.MethodPost, throwawayPath, struct{}{})
	if err != nil {
		return err
	}
	var opened struct{ Token string }
	if err := json.Unmarshal([]byte(body), &opened); err != nil || status != http.StatusCreated || opened.Token == "" {
		return fmt.Errorf("could not open a temporary session: status %d; does the server have this version?", status)
	}
	d.token = opened.Token
	return nil
}

// plantEach plants one secret of each kind and reports whether something was wrong.
func (d *doctor) plantEach(ctx context.Context) (unwell bool) {
	for _, c := range canaries() {
		places, err := d.plant(ctx, c)
		if err != nil {
			d.say(false, c.kind, err.Error())
			return true
		}
		var leaks []string
		for _, p := range places {
			if c.leaks(p.text) {
				leaks = append(leaks, p.name)
			}
		}
		if len(leaks) > 0 {
			unwell = true
			d.say(false, c.kind, "leaked in "+strings.Join(leaks, ", "))
			continue
		}
		d.say(true, c.kind, fmt.Sprintf("planted; found in none of %d places", len(places)))
	}
	return unwell
}

// place is an answer of the server that could contain a planted secret. name says to a
// person where that is; text is the whole answer.
type place struct{ name, text string }

// probe is a request whose answer is a place.
type probe struct {
	name, method, path string
	body               any
}

// plant sends a secret in every field that a user, a front end and a worker can fill, lets
// the agent work on it, and returns every answer of the server, the error answers included.
func (d *doctor) plant(ctx context.Context, c canary) ([]place, error) {
	thread, err := d.newThread(ctx)
	if err != nil {
		return nil, err
	}
	stream, err := d.watchTurn(ctx, thread, "remember that "+c.text+", and find "+c.text+
		" in go.mod, and read the file "+c.text+".md, and list the folder "+c.text)
	if err != nil {
		return nil, err
	}
	places := []place{{"the event stream", stream}}
	job, ofJob, err := d.plantInJob(ctx, c)
	if err != nil {
		return nil, err
	}
	probes := append(plantedInFrontEnd(c), plantedInChat(c, thread)...)
	for _, p := range append(probes, plantedInLists(job, thread)...) {
		_, text, err := d.ask(ctx, p.method, p.path, p.body)
		if err != nil {
			return nil, fmt.Errorf("%s: no answer", p.name)
		}
		places = append(places, place{p.name, text})
	}
	if d.log != "" {
		text, err := os.ReadFile(d.log)
		if err != nil {
			return nil, err
		}
		places = append(places, place{"the log", string(text)})
	}
	return append(places, ofJob...), nil
}

// plantedInChat are the requests of the chat's routes, with the secret in paths, queries,
// ids and cursors.
func plantedInChat(c canary, thread string) []probe {
	q, body := url.QueryEscape(c.text), map[string]string{"content": "hi", "thread_id": c.text}
	return []probe{
		{"an error about a message", http.MethodPost, "/api/chat/send", body},
		{"an error about a token", http.MethodPost, "/api/chat/send?token=" + q, body},
		{"an error about a query", http.MethodGet, "/api/chat/history?limit=" + q + "&before=" + q, nil},
		{"an error about a cursor", http.MethodGet, "/api/chat/events?last_event_id=" + q, nil},
		{"an error about a path", http.MethodGet, "/api/" + url.PathEscape(c.text), nil},
		{"an error about an approval", http.MethodPost, "/api/chat/approval",
			map[string]string{"request_id": c.text, "action": c.text}},
		{"an error about an interrupt", http.MethodPost, "/api/chat/interrupt", map[string]string{"thread_id": c.text}},
		{"an error about an export", http.MethodGet, "/api/chat/export?thread_id=" + thread + "&format=" + q, nil},
		{"an error about a job", http.MethodGet, "/api/jobs/" + url.PathEscape(c.text), nil},
		{"a search", http.MethodGet, "/api/chat/search?q=" + q + "&tool=" + q + "&agent=" + q, nil},
		{"an error about a login", http.MethodPost, "/api/login", map[string]string{"token": c.text}},
		{"an error about a login code", http.MethodPost, "/api/login", map[string]string{"code": c.text}},
	}
}

// plantedInLists are the requests that show what was planted before.
func plantedInLists(job, thread string) []probe {
	read := func(name, path string) probe { return probe{name, http.MethodGet, path, nil} }
	return []probe{
		read("history", "/api/chat/history?thread_id="+thread),
		read("history as HTML", "/api/chat/history?render=html&thread_id="+thread),
		read("a turn", "/api/chat/turn?turn=1&thread_id="+thread),
		read("an export", "/api/chat/export?format=md&thread_id="+thread),
		read("an export as JSON", "/api/chat/export?format=jsonl&thread_id="+thread),
		read("an export as HTML", "/api/chat/export?format=html&thread_id="+thread),
		read("the list of threads", "/api/chat/threads"),
		read("the list of jobs", "/api/jobs"),
		read("the summary of jobs", "/api/jobs/summary"),
		read("a job", "/api/jobs/"+job),
		read("a job's log", "/api/jobs/"+job+"/events"),
		read("a job's export", "/api/jobs/"+job+"/export?format=md"),
		read("status", "/api/gateway/status"),
		read("metrics", "/metrics"),
		read("AG-UI's capabilities", "/agui/capabilities"),
	}
}

// newThread opens a thread and returns its id. Each planted secret gets its own, so that
// history shows the turn of that secret only.
func (d *doctor) newThread(ctx context.Context) (string, error) {
	status, body, err := d.ask(ctx, http.MethodPost, "/api/chat/thread/new", struct{}{})
	if err != nil {
		return "", err
	}
	var t struct{ ID string }
	if err := json.Unmarshal([]byte(body), &t); err != nil || status != http.StatusCreated {
		return "", fmt.Errorf("could not open a thread: status %d", status)
	}
	return t.ID, nil
}

// watchTurn posts a message to a thread and returns the raw bytes of its event stream
// up to the end of the turn: raw, because a leak may be in any field.
func (d *doctor) watchTurn(ctx context.Context, thread, content string) (string, error) {
	req, err := d.request(ctx, http.MethodGet, "/api/chat/events?thread_id="+thread, nil)
	if err != nil {
		return "", err
	}
	resp, err := d.client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	status, _, err := d.ask(ctx, http.MethodPost, "/api/chat/send", map[string]string{"content": content,
		"thread_id": thread})
	if err != nil || status != http.StatusAccepted {
		return "", fmt.Errorf("the message was refused: status %d; does --sends-per-minute allow it?", status)
	}
	var seen strings.Builder
	buf := make([]byte, 32<<10)
	for {
		n, err := resp.Body.Read(buf)
		seen.Write(buf[:n])
		for _, end := range []string{"event: response", "event: error", `"state":"interrupted"`} {
			if strings.Contains(seen.String(), end) {
				return seen.String(), nil
			}
		}
		if err != nil {
			return "", errors.New("the event stream ended before the turn did")
		}
	}
}
