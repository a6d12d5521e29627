package command

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"

	"candor/attach/wrapper"
	"candor/cmd/candor/terminal"
	"candor/safety"
	"candor/web/client"
)

// wrapSettings are the flags of wrap.
type wrapSettings struct {
	serverSettings
	// Whether schemas demand the reason: required or optional.
	reasons string
	// An MCP server that speaks HTTP, instead of a program.
	remote string
	// Headers for it, as "Name: value".
	headers []string
}

// wrapCommand returns candor wrap: a program between an MCP client and an MCP server, which takes down the calls of
// tools and the reasons for them.
//
// Standard input and output are the client's; the server is a program that is started. Standard error is the server's,
// and ours for what could not be recorded. A server of Candor that is away or refuses stops nothing.
//
// Exit status: that of the MCP server; 128 and the signal's number if a signal ended it; 1 if it cannot be
// started; 2 for wrong arguments.
func wrapCommand(stdin io.Reader) *cli.Command {
	var s wrapSettings
	return &cli.Command{
		Name: "wrap", Usage: "record why an MCP client calls its tools",
		ArgsUsage: "[-- PROGRAM [ARGUMENTS]]", Description: helpText("wrap"),
		Flags: append(serverFlags(&s.serverSettings, defaultServer),
			&cli.StringFlag{Name: "reasons", Value: "optional", Sources: cli.EnvVars("CANDOR_REASONS"),
				Usage:       "make a reason a `KIND` argument of every call: required or optional",
				Destination: &s.reasons},
			&cli.StringFlag{Name: "url", Usage: "wrap the MCP server at `URL` instead of a program",
				Destination: &s.remote},
			&cli.StringSliceFlag{Name: "header", Destination: &s.headers,
				Usage: "send the header `'NAME: VALUE'`, with ${VARIABLE} from the environment"}),
		DisableSliceFlagSeparator: true, // values of headers have commas
		Action: func(ctx context.Context, c *cli.Command) error {
			switch {
			case s.remote != "" && c.Args().Present():
				return misused("wrap takes --url or the program of an MCP server, not both")
			case s.remote == "" && len(s.headers) > 0:
				return misused("--header has no effect without --url")
			case s.remote == "" && !c.Args().Present():
				return misused("wrap takes the program of an MCP server: candor wrap -- npx some-mcp-server")
			case s.reasons != "required" && s.reasons != "optional":
				return misused("--reasons: %q is neither required nor optional", s.reasons)
			}
			if _, err := client.New(s.url, "any"); err != nil {
				return misused("--server: %w", err)
			}
			header, err := s.remoteHeader()
			if err != nil {
				return err
			}
			// Nothing is said on standard output, which belongs to the protocol.
			w := wrapping{settings: s, stdin: stdin, stdout: c.Root().Writer, stderr: c.Root().ErrWriter}
			if s.remote != "" {
				return w.run(func() error { return w.relayRemote(ctx, header) })
			}
			return w.run(func() error { return w.runServer(ctx, c.Args().Slice()) })
		},
	}
}

// wrapping is one connection.
type wrapping struct {
	settings wrapSettings
	// The client's side of the connection.
	stdin          io.Reader
	stdout, stderr io.Writer
	// What sees the messages, and what sends what they tell.
	conn     *wrapper.Conn
	recorder *wrapper.Recorder
}

// serverExit is the exit status of the MCP server, which has said itself what was wrong.
type serverExit int

// Error implements error.
func (e serverExit) Error() string { return fmt.Sprintf("the MCP server ended with status %d", int(e)) }

// run is a whole connection, whose messages move moves.
func (w *wrapping) run(move func() error) error {
	folder, _ := os.Getwd() // a folder that is gone has no name
	w.conn = wrapper.New(wrapper.Options{
		Session: rand.Text(), Folder: folder, Required: w.settings.reasons == "required", Clean: withoutSecrets,
	})
	w.recorder = wrapper.Record(w.sender(), func(trouble error) {
		w.say("calls continue, but are not recorded for now: %s", explained(trouble))
	})
	err := move()
	// Calls without an answer have none; the page shows that nobody knows what became of them.
	w.recorder.Add(w.conn.End())
	if lost := w.recorder.Close(); lost > 0 {
		w.say("%s could not be recorded", counted(lost, "fact"))
	}
	if long := w.conn.Long(); long > 0 {
		w.say("%s of more than %d MiB passed unrecorded", counted(long, "message"), wrapper.MaxMessage>>20)
	}
	return err
}

// withoutSecrets returns a name without secrets. The server cleans what it is told, too, but a client's name becomes an
// agent's before, in small letters, in which no secret would be found.
func withoutSecrets(name string) string {
	text, _ := safety.NewLayer().Mask(name)
	return text.String()
}

// say tells the person of something that the MCP client does not need to know.
func (w *wrapping) say(format string, args ...any) {
	fmt.Fprintln(w.stderr, "candor wrap:", terminal.CleanLine(fmt.Sprintf(format, args...)))
}

// sender returns what takes batches. Without a token there is nobody who does, and the calls go on.
func (w *wrapping) sender() func(context.Context, []byte) error {
	c, err := w.settings.connect()
	if err != nil {
		// The person hears of it with the first call, as of a server that is away.
		return func(context.Context, []byte) error { return wrapper.Refused(err) }
	}
	return func(ctx context.Context, batch []byte) error {
		_, err := c.Attach(ctx, batch)
		// A server that is full or busy may take it later; whatever else it refuses it will refuse again.
		if e, ok := errors.AsType[*client.Error](err); ok && e.Status < 500 && e.Status != 429 {
			return wrapper.Refused(err)
		}
		return err
	}
}

// killTime is how long the MCP server has to end after SIGTERM was passed on.
const killTime = 10 * time.Second

// runServer starts the MCP server and moves messages until it has ended. It does not wait for the client: that may be
// silent for as long as it likes, and a read of standard input ends with the process.
func (w *wrapping) runServer(ctx context.Context, args []string) error {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	// The token is ours, and the server has no use for it.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, tokenEnv+"=") })
	cmd.Stderr = w.stderr
	// Told to end, we tell the server, and leave it the time that it needs to tidy up.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = killTime
	toServer, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	// A pipe of our own, since cmd.Wait would close one of its own before the last words are read.
	fromServer, output, err := os.Pipe()
	if err != nil {
		return err
	}
	defer fromServer.Close()
	cmd.Stdout = output
	// The server has its end of the pipe once it runs; ours would keep the pipe open for ever.
	err = errors.Join(cmd.Start(), output.Close())
	if err != nil {
		return fmt.Errorf("%s cannot be started: %w", args[0], err)
	}
	stop := passSignals(cmd.Process)
	defer stop()
	// One goroutine for each direction; neither ever waits for the other.
	go w.fromClient(toServer)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		w.fromServer(fromServer)
	}()
	err = cmd.Wait()
	// What the server wrote last may still be in the pipe. A process that it left behind may hold the pipe open.
	select {
	case <-answered:
	case <-time.After(lastWords):
		// A program such as npx may leave one behind.
		_ = fromServer.Close() // ends the reading
		<-answered
	}
	return exitOf(cmd.ProcessState, err)
}

// lastWords is how long the output of an MCP server is read after its end.
const lastWords = time.Second

// clientRelay moves the messages of the client.
func (w *wrapping) clientRelay() wrapper.Relay {
	return wrapper.Relay{Read: w.conn.FromClient, Long: w.conn.LongFromClient, Told: w.recorder.Add}
}

// fromClient passes on what the client writes, and closes the server's input when the client has closed ours.
func (w *wrapping) fromClient(toServer io.WriteCloser) {
	_ = w.clientRelay().Run(toServer, w.stdin) // a server that no longer reads is ending
	_ = toServer.Close()
}

// fromServer passes on what the server writes. If the client no longer reads, the server hears of it as it would
// without us.
func (w *wrapping) fromServer(from *os.File) {
	relay := wrapper.Relay{Read: w.conn.FromServer, Long: w.conn.LongFromServer, Told: w.recorder.Add}
	if relay.Run(w.stdout, from) != nil {
		_ = from.Close()
	}
}

// passSignals passes on the signals that clients and terminals send, but for SIGTERM, which ends our context. A client
// that no longer reads is an error of a write, and not a signal that ends us.
func passSignals(to *os.Process) (stop func()) {
	// A terminal sends Ctrl-C to the server as well, which is then told twice; a client tells us alone.
	signals, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE)
	go func() {
		defer close(done)
		for s := range signals {
			if s != syscall.SIGPIPE {
				_ = to.Signal(s) // it may have ended
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
		<-done
	}
}

// exitOf returns the error for how an MCP server ended; err is that of waiting for it.
func exitOf(state *os.ProcessState, err error) error {
	switch {
	case state == nil:
		return err
	case state.Success():
		return nil // also if we were told to end, and passed it on
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return serverExit(128 + int(status.Signal()))
	}
	return serverExit(state.ExitCode())
}

// namedVariable finds one in the value of a header. Any other $ is part of a key, which no error may repeat.
var namedVariable = regexp.MustCompile(`\$\{[A-Za-z_][A-Za-z0-9_]*\}`)

// remoteHeader returns the headers for the MCP server of --url. Values come from the environment where the flag names a
// variable, since other users of a machine can read a program's arguments.
func (s wrapSettings) remoteHeader() (http.Header, error) {
	if s.remote == "" {
		return nil, nil
	}
	u, err := url.Parse(s.remote)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, misused("--url must be a URL such as http://127.0.0.1:3001/mcp")
	}
	// A header may be there several times.
	all := http.Header{}
	for _, one := range s.headers {
		name, value, ok := strings.Cut(one, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return nil, misused("--header must be 'NAME: VALUE', such as 'Authorization: Bearer ${NOTES_TOKEN}'")
		}
		missing := ""
		value = namedVariable.ReplaceAllStringFunc(strings.TrimSpace(value), func(named string) string {
			// A header without its key would be refused by the server, in words that say nothing of the variable.
			name := named[2 : len(named)-1]
			v, ok := os.LookupEnv(name)
			if !ok {
				missing = name
			}
			return v
		})
		if missing != "" {
			return nil, misused("--header: the variable %s of the header %s is not set", missing, name)
		}
		all.Add(strings.TrimSpace(name), value)
	}
	return all, nil
}

// relayRemote moves messages between the client and a server that speaks HTTP, until the client is gone.
func (w *wrapping) relayRemote(ctx context.Context, header http.Header) error {
	r := &wrapper.Remote{
		URL: w.settings.remote, Header: header, Conn: w.conn, Relay: w.clientRelay(), Out: w.stdout,
		// Another address would get the headers, and a stream has no end that a timeout could know.
		Client: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}},
	}
	// Told to end, we have ended as we should.
	if err := r.Run(ctx, w.stdin); err != nil && ctx.Err() == nil {
		return err
	}
	return nil
}
