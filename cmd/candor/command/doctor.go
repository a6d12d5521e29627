package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"candor/cmd/candor/terminal"
)

// doctorCommand returns candor doctor: checks of a running server, over its public API.
//
// It reads the token as the other client commands do, and the server's log file if --log
// names one. It writes a line per check to standard output, or a JSON object per check
// with --json. --canary opens a throwaway session, in which it uses the model and opens
// jobs, and removes it when it is done: nothing of it stays among the user's conversations.
//
// Exit status: 0 if every check passed; 1 if one did not.
func doctorCommand() *cli.Command {
	d := &doctor{client: &http.Client{Timeout: 30 * time.Second}}
	var (
		plant bool
		s     serverSettings
	)
	return &cli.Command{
		Name: "doctor", Usage: "check a running server, and that it leaks no secrets", Description: helpText("doctor"),
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
		Servers []struct {
			Name  string `json:"name"`
			State string `json:"state"`
			Tools int    `json:"tools"`
		} `json:"mcp_servers"`
	}
	if err := json.Unmarshal([]byte(body), &info); err != nil {
		d.say(false, "status", "not JSON; is this a Candor server?")
		return errUnwell
	}
	d.say(true, "token", "belongs to "+info.User)
	model := info.Backend
	if info.Model != info.Backend {
		model += " " + info.Model
	}
	d.say(true, "model", model)
	d.say(true, "version", info.Version)
	for _, s := range info.Servers {
		// The agent does without a server that is down, so the examination goes on.
		d.say(s.State != "down", "MCP server", fmt.Sprintf("%s is %s, tools: %d", s.Name, s.State, s.Tools))
	}
	return nil
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

// maxWaits is how often a request is repeated that was one too many in its minute.
const maxWaits = 60

// ask sends a request and returns the answer, also one with an error status. It returns
// an error if no complete answer arrived. A request that exceeds the server's limit of
// messages per minute is repeated when the server says that it may be.
func (d *doctor) ask(ctx context.Context, method, path string, body any) (status int, text string, err error) {
	for range maxWaits {
		var wait time.Duration
		status, text, wait, err = d.askOnce(ctx, method, path, body)
		if err != nil || status != http.StatusTooManyRequests {
			break
		}
		select {
		case <-ctx.Done():
			return 0, "", ctx.Err()
		case <-time.After(wait):
		}
	}
	return status, text, err
}

// askOnce sends one request. wait is how long to wait before it is repeated, if the server
// refused it as one too many.
func (d *doctor) askOnce(ctx context.Context, method, path string, body any) (status int, text string,
	wait time.Duration, err error) {
	req, err := d.request(ctx, method, path, body)
	if err != nil {
		return 0, "", 0, err
	}
	resp, err := d.client.Do(req)
	if err != nil {
		return 0, "", 0, err
	}
	defer resp.Body.Close()
	wait = time.Second
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
		wait = time.Duration(seconds) * time.Second
	}
	raw, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(raw), wait, err
}
