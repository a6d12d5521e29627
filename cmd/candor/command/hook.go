package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/urfave/cli/v3"

	"candor/attach"
	"candor/cmd/candor/terminal"
	"candor/web/client"
)

// hookSettings are the flags of hook.
type hookSettings struct {
	serverSettings
	// How long the agent waits for the reply; then it goes on without.
	timeout time.Duration
	// Reply with a request for reasons, where the hook lets one.
	askReasons bool
	// Wait for a person's answer.
	approve bool
}

// hookCommand returns candor hook: what an agent's program runs as a hook, where it cannot post one by itself.
//
// It reads the payload on standard input, posts it and prints the server's reply on standard output. It never
// stops an agent: where there is no reply it prints an empty object, says why on standard error, and the next
// reply tells the agent's user what was missed.
//
// Exit status: 0 if the agent may go on as the reply says, with or without a server; 1 for wrong arguments, never 2,
// by which agents understand that a hook blocks the call.
func hookCommand(stdin io.Reader) *cli.Command {
	var s hookSettings
	return &cli.Command{
		Name: "hook", Usage: "post the payload of an agent's hook to a server",
		ArgsUsage: "AGENT", Description: helpText("hook"),
		Flags: append(serverFlags(&s.serverSettings, defaultServer),
			&cli.DurationFlag{Name: "timeout", Value: defaultHookTime, Destination: &s.timeout,
				Usage: "go on without a reply after `TIME`; with --approve after " + approvalTime.String()},
			&cli.BoolFlag{Name: "ask-reasons", Usage: "ask the model for a reason before each call",
				Destination: &s.askReasons},
			&cli.BoolFlag{Name: "approve", Usage: "wait until a person approves or denies the call",
				Destination: &s.approve}),
		Action: func(ctx context.Context, c *cli.Command) error {
			// The name becomes part of a path, of the server and of a file here.
			name := c.Args().First()
			if c.Args().Len() != 1 || !hookName.MatchString(name) || s.timeout <= 0 || s.askReasons && s.approve {
				return errHookUse
			}
			if !c.IsSet("timeout") {
				s.timeout = s.patience()
			}
			return s.pass(ctx, name, stdin, c.Root().Writer, c.Root().ErrWriter)
		},
	}
}

// defaultHookTime is how long an agent waits for a server that does not answer.
const defaultHookTime = 5 * time.Second

// approvalTime is how long an agent waits for a person: longer than the server, which answers in any case, and not as
// long as the agent's program waits for the hook.
const approvalTime = 595 * time.Second

// patience returns how long the agent waits for the reply unless it is told.
func (s hookSettings) patience() time.Duration {
	if s.approve {
		return approvalTime
	}
	return defaultHookTime
}

// maxPayload bounds what a hook is given, in bytes. The server has a bound of its own.
const maxPayload = 16 << 20

// hookName is what the name of an agent's program looks like.
var hookName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

// errHookUse is the error for wrong arguments. It is no misuse, whose exit status would block the agent's call.
var errHookUse = errors.New("hook takes one agent, such as claude, a --timeout above 0, and at most one of " +
	"--approve and --ask-reasons; see candor hook --help")

// hookUsageError says what is wrong with the flags of hook, without the exit status of a misuse.
func hookUsageError(_ context.Context, _ *cli.Command, err error, _ bool) error {
	return fmt.Errorf("hook: %w; see candor hook --help", err)
}

// pass posts one payload and prints the reply.
func (s hookSettings) pass(ctx context.Context, agent string, stdin io.Reader, stdout, stderr io.Writer) error {
	// Somebody waits: the agent, and with it a person.
	ctx, stop := context.WithTimeout(ctx, s.timeout)
	defer stop()
	reply, err := s.postWithin(ctx, agent, stdin)
	gap := gapOf(agent)
	if err != nil {
		why := terminal.CleanLine(withoutCapital(explained(err).Error()))
		fmt.Fprintln(stderr, "candor:", why)
		// A server comes back by itself. Whatever else is wrong does not, so that it is said while it lasts, once.
		first := gap.widen(time.Now())
		reply = []byte("{}")
		if s.approve {
			reply = withMessage(reply, attach.Unanswered)
		}
		if first && !isAway(err) && ctx.Err() == nil {
			reply = withMessage(reply, "Candor does not receive this agent's hooks: "+why)
		}
	} else if missed := gap.close(); missed != "" {
		reply = withMessage(reply, missed)
	}
	// A program that no longer reads has gone on already.
	_, err = fmt.Fprintf(stdout, "%s\n", reply)
	return err
}

// route returns where the payload is posted.
func (s hookSettings) route() client.HookRoute {
	switch {
	case s.approve:
		return client.HookAsks
	case s.askReasons:
		return client.HookReminds
	}
	return client.HookTells
}

// postWithin posts the payload, and gives up once ctx ends: a file or an input that never comes to an end can be waited
// for only beside it. What then still waits ends with the process.
func (s hookSettings) postWithin(ctx context.Context, agent string, stdin io.Reader) (reply []byte, err error) {
	posted := make(chan struct{})
	var late []byte
	var failed error
	go func() {
		defer close(posted)
		late, failed = s.post(ctx, agent, stdin)
	}()
	select {
	case <-posted:
		reply, err = late, failed
	case <-ctx.Done():
		err = ctx.Err()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("no reply within %s", s.timeout)
	}
	return reply, err
}

// post reads the payload and returns the server's reply to it.
func (s hookSettings) post(ctx context.Context, agent string, stdin io.Reader) ([]byte, error) {
	// The program closes the stream behind its payload, which is one JSON value.
	payload, err := io.ReadAll(io.LimitReader(stdin, maxPayload+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the hook's payload cannot be read: %w", err)
	case len(payload) > maxPayload:
		return nil, fmt.Errorf("the hook's payload has more than %d bytes", maxPayload)
	}
	token, err := s.token()
	if err != nil {
		return nil, err
	}
	// How long a server may take is the hook's own affair: a person may have to answer first.
	dialer := &net.Dialer{Timeout: defaultHookTime}
	c, err := client.NewVia(s.url, token,
		&http.Transport{Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext})
	if err != nil {
		return nil, fmt.Errorf("--server: %w", err)
	}
	defer c.Close()
	// A long file on a slow disk is no reason to wait for longer than for the server.
	open := func(path string) (io.ReadSeekCloser, error) {
		f, err := openRegular(path, os.O_RDONLY)
		return fileUntil{f, ctx.Err}, err
	}
	p, _ := programNamed(agent)
	if p.complete != nil {
		payload = p.complete(payload, open)
	}
	if p.whole != nil && s.approve {
		payload = p.whole(payload, open)
	}
	reply, err := c.Hook(ctx, agent, payload, s.route())
	if err != nil {
		return nil, err
	}
	return s.allowed(reply)
}

// fileUntil is a file that can be read until over returns an error.
type fileUntil struct {
	*os.File
	over func() error
}

// Read implements io.Reader.
func (f fileUntil) Read(p []byte) (int, error) {
	if err := f.over(); err != nil {
		return 0, err
	}
	return f.File.Read(p)
}

// hookReply are the members of a reply that an agent's program may get. A program knows more of them, such as one that
// changes the arguments of a call.
type hookReply struct {
	// What a person decided.
	Decision string `json:"decision,omitempty"`
	Reason   string `json:"reason,omitempty"`
	// What the person in front of the program reads.
	Message  string       `json:"systemMessage,omitempty"`
	Specific *eventsReply `json:"hookSpecificOutput,omitempty"`
}

// eventsReply are the members that a reply to some event has.
type eventsReply struct {
	Event string `json:"hookEventName,omitempty"`
	// What the model reads.
	Context string `json:"additionalContext,omitempty"`
	// What a person decided.
	Decision string    `json:"permissionDecision,omitempty"`
	Reason   string    `json:"permissionDecisionReason,omitempty"`
	Answer   *decision `json:"decision,omitempty"`
}

// decision is what a person decided about a call that asks to leave its sandbox.
type decision struct {
	Behavior string `json:"behavior,omitempty"`
}

// allowed returns as much of a reply as the hook asked for: of a decision nothing unless it waits for one, and of what
// the model reads nothing unless it asks for reasons.
func (s hookSettings) allowed(reply []byte) ([]byte, error) {
	var r hookReply
	if err := json.Unmarshal(reply, &r); err != nil {
		return []byte("{}"), nil // a member of another type is nothing that this program knows
	}
	if !s.approve {
		r.Decision, r.Reason = "", ""
	}
	if of := r.Specific; of != nil {
		if !s.approve {
			of.Decision, of.Reason, of.Answer = "", "", nil
		}
		if !s.askReasons {
			of.Context = ""
		}
		if *of == (eventsReply{Event: of.Event}) {
			r.Specific = nil
		}
	}
	return json.Marshal(r)
}

// gap is the file that remembers which hooks of an agent's program were not passed on: a line with the time for each.
// Its folder is that of caches, since a lost one only leaves a gap unsaid.
type gap struct{ name string }

// maxGap bounds the file, in bytes; further hooks are not counted.
const maxGap = 64 << 10

// gapOf returns the gap of an agent's program.
func gapOf(agent string) gap {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return gap{filepath.Join(dir, "candor", "hooks-missed-"+agent)}
}

// widen adds a hook, and reports whether it is the first. Hooks that run side by side add whole lines. A gap
// that cannot be written is not said later: the agent goes on in any case.
func (g gap) widen(now time.Time) (first bool) {
	// Without a file this is the first hook; that two of them may think so at the same moment does no harm.
	info, err := os.Stat(g.name)
	if first = err != nil; first {
		_ = os.MkdirAll(filepath.Dir(g.name), 0o700)
	} else if info.Size() > maxGap {
		return false
	}
	f, err := openRegular(g.name, os.O_APPEND|os.O_CREATE|os.O_WRONLY)
	if err != nil {
		return first
	}
	_, _ = f.WriteString(now.UTC().Format(time.RFC3339) + "\n")
	_ = f.Close()
	return first
}

// close ends the gap and says what was missed, or "" if nothing was. Of hooks that run side by side, one says it.
func (g gap) close() string {
	// Whoever moves the file away has it for themselves. What is missed from then on begins a new one.
	own := fmt.Sprintf("%s.%d", g.name, os.Getpid())
	if os.Rename(g.name, own) != nil {
		return ""
	}
	raw, err := readRegular(own)
	_ = os.Remove(own)
	lines := bytes.Fields(raw)
	if err != nil || len(lines) == 0 {
		return ""
	}
	// A line that is no time, by whoever's hand, is shown as the year 1 and not as an error.
	first, _ := time.Parse(time.RFC3339, string(lines[0]))
	last, _ := time.Parse(time.RFC3339, string(lines[len(lines)-1]))
	const form = "2006-01-02 15:04:05"
	when := "at " + first.Local().Format(form)
	if !first.Equal(last) {
		when = "between " + first.Local().Format(form) + " and " + last.Local().Format(form)
	}
	return fmt.Sprintf("Candor was not reachable or refused hooks: it missed %s %s. "+
		"To read that time from the session file, run candor import.", counted(len(lines), "hook"), when)
}

// withMessage returns a reply that also tells the agent's user something, ahead of what the server tells them.
func withMessage(reply []byte, message string) []byte {
	// All other members stay as the server wrote them.
	var members map[string]json.RawMessage
	if json.Unmarshal(reply, &members) != nil {
		return reply
	}
	var theirs string
	if json.Unmarshal(members["systemMessage"], &theirs) == nil && theirs != "" {
		message += "\n" + theirs
	}
	text, err := json.Marshal(message)
	if err != nil {
		return reply
	}
	members["systemMessage"] = text
	if raw, err := json.Marshal(members); err == nil {
		return raw
	}
	return reply
}
