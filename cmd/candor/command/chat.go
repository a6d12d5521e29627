package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"candor/cmd/candor/app"
	"candor/cmd/candor/terminal"
)

// chatSettings are the flags and arguments of chat.
type chatSettings struct {
	app.Settings
	serverSettings // url is "" by default, which means an agent in this process
	viewSettings
	thread    string   // the id of a thread of the server; "" begins a new one
	continued bool     // continue the thread used last; thread has precedence
	view      string   // full or live
	logFile   string   // appended to, created with mode 0600; "" discards the log
	words     []string // one message instead of standard input
}

// chatCommand returns candor chat: a conversation in the terminal, with an agent in this
// process or, with --server, with the agent of a running server.
//
// It reads messages and commands that begin with / from standard input, or takes one
// message from its arguments. On a terminal that can move its cursor it runs the line
// editor of package terminal; otherwise it takes line after line and writes plain text,
// or JSON lines with --json. The agent's log goes to the file of --log or nowhere, since
// the screen belongs to the conversation.
//
// Exit status: 0 when the user leaves; 1 if the conversation could not continue, or if
// input was piped or given as arguments and not every turn completed.
func chatCommand(args []string, stdin io.Reader) *cli.Command {
	var s chatSettings
	return &cli.Command{
		Name: "chat", Usage: "talk with the agent and see its reasons",
		ArgsUsage: "[WORDS…]", Description: helpText("chat"),
		Flags: chatFlags(&s),
		Action: func(ctx context.Context, c *cli.Command) error {
			s.words = c.Args().Slice()
			if err := checkChat(s, args); err != nil {
				return err
			}
			return chat(ctx, s, stdin, c.Root().Writer)
		},
	}
}

// chatFlags binds the flags of chat. checkChat refuses those that would have no effect.
func chatFlags(s *chatSettings) []cli.Flag {
	return slices.Concat(modelFlags(&s.Model), toolFlags(&s.Tools), safetyFlags(&s.Safety),
		serverFlags(&s.serverSettings, ""), viewFlags(&s.viewSettings), []cli.Flag{
			&cli.StringFlag{Name: "thread", Usage: "continue the conversation `ID` of the server",
				Destination: &s.thread},
			&cli.BoolFlag{Name: "continue", Usage: "continue the most recently used conversation",
				Destination: &s.continued},
			&cli.StringFlag{Name: "view", Value: "full", Destination: &s.view, Sources: cli.EnvVars("CANDOR_VIEW"),
				Usage: "show `WHICH`: full says why below each answer, live only while the turn runs"},
			approvalTimeoutFlag(&s.ApprovalTimeout),
			streamFlag(&s.WholeTexts),
			&cli.StringFlag{Name: "log", Usage: "append the agent's log to `FILE`", Destination: &s.logFile},
		})
}

// chat holds a conversation until its user leaves, input ends, or ctx ends.
func chat(ctx context.Context, s chatSettings, stdin io.Reader, stdout io.Writer) (err error) {
	style, err := s.style(stdout)
	if err != nil {
		return err
	}
	if s.view != "full" && s.view != "live" {
		return fmt.Errorf("--view: %q is neither full nor live", s.view)
	}
	// What a person types takes a moment anyway; what is given is said at once, and may need the tools.
	_, typed := terminalOf(stdin)
	s.Tools.AwaitMCP = !typed || len(s.words) > 0
	r := &terminal.REPL{Style: style, JSON: s.json, Thread: s.thread, LiveView: s.view == "live",
		Editor: strings.Fields(cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR")))}
	disconnect, err := s.open(ctx, r)
	if err != nil {
		return err
	}
	defer disconnect()
	if len(s.words) > 0 {
		stdin = strings.NewReader(strings.Join(s.words, " ") + "\n")
	}
	var done func() error
	if r.Screen, r.Sequential, done, err = newScreen(ctx, stdin, stdout, s.json); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	if r.Sequential {
		r.Greeting = nil
	}
	return r.Run(ctx)
}

// open connects r to the server's agent if a server is named, else to an agent in this
// process.
func (s chatSettings) open(ctx context.Context, r *terminal.REPL) (disconnect func(), err error) {
	if s.url == "" {
		return s.openInProcess(r)
	}
	if r.Client, err = s.connect(); err != nil {
		return nil, err
	}
	if s.continued && r.Thread == "" {
		if _, r.Thread, err = r.Client.Threads(ctx); err != nil {
			return nil, err
		}
	}
	if s.thread != "" {
		if r.Thread, err = threadID(ctx, r.Client, s.thread); err != nil {
			return nil, err
		}
	}
	status, err := r.Client.Status(ctx)
	if err != nil {
		return nil, err
	}
	r.Greeting = greeting(cmp.Or(status.Model, status.Backend), "at "+app.HostOf(s.url))
	return r.Client.Close, nil
}

// openInProcess starts an agent in this process and connects r to it over memory, so that
// the terminal code is the same as with a server. disconnect interrupts a running turn,
// waits for every goroutine of the agent, and then closes the log file.
func (s chatSettings) openInProcess(r *terminal.REPL) (disconnect func(), err error) {
	log, closeLog, err := openLog(s.logFile)
	if err != nil {
		return nil, err
	}
	s.SendsPerMinute = 100_000 // the limit protects a shared server; this one has one user
	p, err := app.StartInProcess(s.Settings, log)
	if err != nil {
		return nil, errors.Join(err, closeLog())
	}
	r.Client = p.Client
	r.Greeting = greeting(p.Model, "in "+displayPath(s.Tools.Workspace))
	if private := describePrivate(s.Settings); private != "" {
		r.Greeting = append(r.Greeting, "Private: "+private)
	}
	return func() { p.Close(); _ = closeLog() }, nil
}

// greeting returns the lines above the first prompt: which model answers and from where,
// and how to get help, stop and leave. Piped input has no greeting.
func greeting(model, where string) []string {
	return []string{
		"Candor with the " + model + " model, " + where,
		"/help lists commands, Ctrl-C stops a turn, Ctrl-D leaves.",
	}
}

// displayPath returns dir as an absolute path, with ~ for the home directory and without
// control characters, which a folder's name may contain.
func displayPath(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	if home, err := os.UserHomeDir(); err == nil && strings.HasPrefix(dir, home+string(filepath.Separator)) {
		dir = "~" + strings.TrimPrefix(dir, home)
	}
	return terminal.CleanLine(dir)
}

// openLog returns a logger that appends to a file, or discards everything if file is "".
// The file is readable by its owner only: a log names folders and tools. The caller calls
// closeLog when the agent has ended, which writes until then.
func openLog(file string) (log *slog.Logger, closeLog func() error, err error) {
	if file == "" {
		return slog.New(slog.DiscardHandler), func() error { return nil }, nil
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("--log: %w", err)
	}
	return slog.New(slog.NewTextHandler(f, nil)), f.Close, nil
}
