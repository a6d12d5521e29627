package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"candor/cmd/candor/terminal"
)

// doctorCommand returns candor doctor: checks of a running server, over its public API.
//
// It reads the token as the other client commands do, and the server's log file if --log
// names one. It writes a line per check to standard output, or a JSON object per check
// with --json. --canary opens a thread and sends messages, so it uses the model and
// leaves conversations about made-up secrets behind, masked if the server works.
//
// Exit status: 0 if every check passed; 1 if one did not.
func doctorCommand() *cli.Command {
	d := &doctor{client: &http.Client{Timeout: 30 * time.Second}}
	var (
		plant bool
		s     serverSettings
	)
	return &cli.Command{
		Name: "doctor", Usage: "check a running server, and that it keeps secrets", Description: helpText("doctor"),
		Flags: append(serverFlags(&s, defaultServer),
			&cli.BoolFlag{Name: "json", Category: "Output", Usage: "write one line of JSON per check",
				Destination: &d.json},
			&cli.BoolFlag{Name: "canary", Usage: "plant secrets and search for them", Destination: &plant},
			&cli.StringFlag{Name: "log", Usage: "search the server's log `FILE` as well", Destination: &d.log},
		),
		Action: func(ctx context.Context, c *cli.Command) error {
			if err := noArguments(c); err != nil {
				return err
			}
			if d.log != "" && !plant {
				return errors.New("--log needs --canary: the log is searched for the secrets that it plants")
			}
			d.out, d.server = c.Root().Writer, s.url
			d.token, _ = s.token() // without one, the token is what is wrong
			if err := d.examine(ctx); err != nil {
				return err
			}
			if plant {
				return d.plantAll(ctx)
			}
			return nil
		},
	}
}

// doctor checks one server and writes a line for each check. It calls the API with plain
// HTTP instead of web/client, because it has to see every byte of an answer: a leak may
// be in a field that a client would ignore.
type doctor struct {
	client *http.Client // its timeout of 30 seconds bounds a check, the planted turns included
	server string       // the URL of the server
	token  string       // sent with every request; "" makes the token check fail
	log    string       // the server's log file, searched after each planted turn; "" means none
	out    io.Writer
	json   bool
}

// say writes the result of one check: a line of text, or a JSON object with --json.
func (d *doctor) say(ok bool, what, detail string) {
	if d.json {
		line, _ := json.Marshal(map[string]any{"ok": ok, "what": what, "detail": detail})
		fmt.Fprintln(d.out, terminal.SafeJSON(line))
		return
	}
	mark := "✓"
	if !ok {
		mark = "✗"
	}
	fmt.Fprintf(d.out, "%s %-22s %s\n", mark, what, terminal.CleanLine(detail))
}

// examine checks that the server answers and that the token is valid, and shows which
// model answers. It stops at the first check that fails.
func (d *doctor) examine(ctx context.Context) error {
	if _, _, err := d.ask(ctx, http.MethodGet, "/api/health", nil); err != nil {
		d.say(false, "server", "no answer at "+d.server)
		return errUnwell
	}
	d.say(true, "server", d.server)
	status, body, err := d.ask(ctx, http.MethodGet, "/api/gateway/status", nil)
	if err != nil || status != http.StatusOK {
		d.say(false, "token", "refused; set CANDOR_TOKEN to one of the server's")
		return errUnwell
	}
	var info struct {
		User    string `json:"user"`
		Backend string `json:"llm_backend"`
		Model   string `json:"llm_model"`
		Version string `json:"version"`
	}
	if err := json.Unmarshal([]byte(body), &info); err != nil {
		d.say(false, "status", "is no JSON; is this a Candor server?")
		return errUnwell
	}
	d.say(true, "token", "speaks for "+info.User)
	d.say(true, "model", info.Backend+" "+info.Model)
	d.say(true, "version", info.Version)
	return nil
}

// plantAll plants one secret of each kind and reports where any of them came out.
func (d *doctor) plantAll(ctx context.Context) error {
	unwell := false
	for _, c := range canaries() {
		places, err := d.plant(ctx, c)
		if err != nil {
			d.say(false, c.kind, err.Error())
			return errUnwell
		}
		var leaks []string
		for _, p := range places {
			if c.leaks(p.text) {
				leaks = append(leaks, p.name)
			}
		}
		if len(leaks) > 0 {
			unwell = true
			d.say(false, c.kind, "comes out in "+strings.Join(leaks, ", "))
			continue
		}
		d.say(true, c.kind, fmt.Sprintf("planted; in none of %d places", len(places)))
	}
	if unwell {
		return errUnwell
	}
	return nil
}

// place is an answer of the server that could contain a planted secret. name says to a
// person where that is; text is the whole answer.
type place struct{ name, text string }

// plant sends a secret in a message, a thread id, paths, queries and a cursor, lets the
// agent work on it, and returns every answer of the server, the error answers included.
func (d *doctor) plant(ctx context.Context, c canary) ([]place, error) {
	thread, err := d.newThread(ctx)
	if err != nil {
		return nil, err
	}
	stream, err := d.watchTurn(ctx, thread, "remember that "+c.text+", and find "+c.text+" in go.mod")
	if err != nil {
		return nil, err
	}
	places := []place{{"the event stream", stream}}
	q, body := url.QueryEscape(c.text), map[string]string{"content": "hi", "thread_id": c.text}
	for _, r := range []struct {
		name, method, path string
		body               any
	}{
		{"history", http.MethodGet, "/api/chat/history?thread_id=" + thread, nil},
		{"the list of threads", http.MethodGet, "/api/chat/threads", nil},
		{"status", http.MethodGet, "/api/gateway/status", nil},
		{"metrics", http.MethodGet, "/metrics", nil},
		{"an error about a message", http.MethodPost, "/api/chat/send", body},
		{"an error about a query", http.MethodGet, "/api/chat/history?limit=" + q + "&before=" + q, nil},
		{"an error about a cursor", http.MethodGet, "/api/chat/events?last_event_id=" + q, nil},
		{"an error about a token", http.MethodPost, "/api/chat/send?token=" + q, body},
		{"an error about a path", http.MethodGet, "/api/" + url.PathEscape(c.text), nil},
	} {
		_, text, err := d.ask(ctx, r.method, r.path, r.body)
		if err != nil {
			return nil, fmt.Errorf("%s: no answer", r.name)
		}
		places = append(places, place{r.name, text})
	}
	if d.log != "" {
		text, err := os.ReadFile(d.log)
		if err != nil {
			return nil, err
		}
		places = append(places, place{"the log", string(text)})
	}
	return places, nil
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
		return "", fmt.Errorf("no thread could be opened: status %d", status)
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
		return "", fmt.Errorf("the message was not taken: status %d; does --sends-per-minute allow it?", status)
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
			return "", errors.New("the stream ended before the turn")
		}
	}
}

// request makes a request with the token; body is sent as JSON. Neither method nor path is
// checked, since doctor sends wrong requests on purpose.
func (d *doctor) request(ctx context.Context, method, path string, body any) (*http.Request, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(d.server, "/")+path, bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+d.token)
	req.Header.Set("Content-Type", "application/json")
	return req, nil
}

// ask sends a request and returns the answer, also one with an error status. It returns
// an error if no complete answer arrived.
func (d *doctor) ask(ctx context.Context, method, path string, body any) (status int, text string, err error) {
	req, err := d.request(ctx, method, path, body)
	if err != nil {
		return 0, "", err
	}
	resp, err := d.client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(raw), err
}
