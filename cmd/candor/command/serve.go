package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"

	"candor/agent"
	"candor/cmd/candor/app"
	"candor/web/sse"
)

// tokenEnv is the variable that holds the API token of access.LocalUser.
const tokenEnv = "CANDOR_TOKEN"

// serveSettings are the flags of serve, and the token, which comes from the
// environment only.
type serveSettings struct {
	app.Settings
	logs       logSettings
	addr       string // HOST:PORT; port 0 takes a free one. The default is reachable from this machine only
	tokensFile string // lines of user:token; "" means that only access.LocalUser may log in
	token      string // of access.LocalUser; at least access.MinToken characters
	keyFile    string // the key that replicas share; "" means that of the folder

	connections int // that may be open at once, of all users together

	// idle is how long a session is kept after its last use, a week by default. Without
	// it a server that runs for months would keep every conversation in memory.
	idle time.Duration

	// grace is how long running turns may continue after SIGTERM, 10 seconds by default.
	// A supervisor that kills earlier than this loses the ends of those turns.
	grace time.Duration
}

// serveCommand returns candor serve: the HTTP server with the agent loop in this process.
//
// It reads the token of the local user from CANDOR_TOKEN, further users from the file of
// --tokens, the model's key from the environment, and the files of --key-file, --policy,
// --secrets-file, --mcp and --script, all before it listens. A mistake in any of them
// stops it before a client could connect.
//
// It writes its address to standard output, with a link that logs one browser in as the
// local user, and its token if none was configured; and its log to standard error.
// Sessions are in memory and end with the process, unless --data names a folder for them.
//
// Exit status: 0 after SIGINT or SIGTERM; 1 if a setting is wrong, the address is taken,
// or the listener fails later.
func serveCommand() *cli.Command {
	var s serveSettings
	return &cli.Command{
		Name:        "serve",
		Usage:       "run the agent loop and serve its sessions over HTTP",
		Description: helpText("serve"),
		Flags:       serveFlags(&s),
		Action: func(ctx context.Context, c *cli.Command) error {
			if err := noArguments(c); err != nil {
				return err
			}
			s.token = os.Getenv(tokenEnv)
			s.Version, _, _ = strings.Cut(thisVersion(), ",")
			return serve(ctx, s, c.Root().Writer, c.Root().ErrWriter)
		},
	}
}

// serveFlags binds the flags of serve. Besides those that it shares with chat and worker
// they decide who may call the API (Access) and how much one user may ask for (Limits).
// Without the limits one user, or one page with a bug, could occupy the model and the
// connections of everybody.
func serveFlags(s *serveSettings) []cli.Flag {
	const access, limits = "Access", "Limits"
	return slices.Concat(modelFlags(&s.Model), toolFlags(&s.Tools), safetyFlags(&s.Safety), []cli.Flag{
		&cli.StringFlag{Name: "addr", Value: "127.0.0.1:8080", Usage: "listen on `HOST:PORT`",
			Sources: cli.EnvVars("CANDOR_ADDR"), Destination: &s.addr},
		approvalTimeoutFlag(&s.ApprovalTimeout),
		streamFlag(&s.WholeTexts),
		&cli.DurationFlag{Name: "shutdown-timeout", Value: 10 * time.Second,
			Usage:   "give running turns `TIME` to end after SIGTERM",
			Sources: cli.EnvVars("CANDOR_SHUTDOWN_TIMEOUT"), Destination: &s.grace},

		&cli.StringFlag{Name: "tokens", Category: access, Usage: "accept the users in `FILE`, one user:token per line",
			Sources: cli.EnvVars("CANDOR_TOKENS"), Destination: &s.tokensFile},
		&cli.StringFlag{Name: "key-file", Category: access,
			Usage:   "accept the logins, links and job tokens of all servers that use the key in `FILE`",
			Sources: cli.EnvVars("CANDOR_KEY_FILE"), Destination: &s.keyFile},
		&cli.StringSliceFlag{Name: "cors-origin", Category: access,
			Usage:   "let pages from `ORIGIN` call the API; may be repeated",
			Sources: cli.EnvVars("CANDOR_CORS_ORIGIN"), Destination: &s.Origins},
		&cli.StringSliceFlag{Name: "host", Category: access,
			Usage:   "also answer requests for the host `NAME`, such as candor.example; may be repeated",
			Sources: cli.EnvVars("CANDOR_HOST"), Destination: &s.Hosts},
		&cli.StringFlag{Name: "reasoning", Category: access, Value: "full",
			Usage:   "show clients of AG-UI and OpenWOP at most `LEVEL`: full, summary or hidden",
			Sources: cli.EnvVars("CANDOR_REASONING"), Destination: &s.Reasoning},
		&cli.BoolFlag{Name: "openwop-fixtures", Category: access,
			Usage:   "let OpenWOP clients run the conformance-* workflows, for conformance tests",
			Sources: cli.EnvVars("CANDOR_OPENWOP_FIXTURES"), Destination: &s.OpenWOPFixtures},

		&cli.IntFlag{Name: "sends-per-minute", Category: limits, Value: 30,
			Usage:   "let a user send `N` messages a minute",
			Sources: cli.EnvVars("CANDOR_SENDS_PER_MINUTE"), Destination: &s.SendsPerMinute},
		&cli.IntFlag{Name: "max-streams", Category: limits, Value: 100, Usage: "let a user have `N` event streams open",
			Sources: cli.EnvVars("CANDOR_MAX_STREAMS"), Destination: &s.StreamsPerUser},
		&cli.IntFlag{Name: "max-requests", Category: limits, Value: 64,
			Usage:   "let a user have `N` requests in progress, and the user's workers as many",
			Sources: cli.EnvVars("CANDOR_MAX_REQUESTS"), Destination: &s.RequestsPerUser},
		&cli.IntFlag{Name: "max-connections", Category: limits, Value: defaultConnections,
			Usage:   "allow `N` open connections, for all users together",
			Sources: cli.EnvVars("CANDOR_MAX_CONNECTIONS"), Destination: &s.connections},
		&cli.IntFlag{Name: "writes-per-second", Category: limits, Value: 500,
			Usage:   "let a user write `N` times a second, every 4 KiB counting as one, and workers as often",
			Sources: cli.EnvVars("CANDOR_WRITES_PER_SECOND"), Destination: &s.WritesPerSecond},
		&sizeFlag{Name: "session-memory", Category: limits, DefaultText: "half of --memory",
			Usage:   "limit a user's session to `SIZE`, such as 256MiB; above it, drop what ended first",
			Sources: cli.EnvVars("CANDOR_SESSION_MEMORY"), Destination: &s.SessionMemory},
		&sizeFlag{Name: "memory", Category: limits, Value: app.DefaultMemory,
			Usage:   "let the process use about `SIZE`, half of it for sessions",
			Sources: cli.EnvVars("CANDOR_MEMORY"), Destination: &s.Memory},
		&cli.DurationFlag{Name: "session-idle", Category: limits, Value: 7 * 24 * time.Hour,
			Usage:   "drop a session that was not used for `TIME`",
			Sources: cli.EnvVars("CANDOR_SESSION_IDLE"), Destination: &s.idle},
	}, storageFlags(&s.Storage), spaceFlags(&s.MEW), otlpFlags(&s.OTLP), logFlags(&s.logs))
}

// otlpFlags binds the flags that send turns to a collector. Without them nothing is sent.
func otlpFlags(s *app.OTLPSettings) []cli.Flag {
	const category = "Tracing"
	return []cli.Flag{
		&cli.StringFlag{Name: "otlp", Category: category,
			Usage:   "send a trace of each turn, and its reasons, to the OpenTelemetry collector at `URL`",
			Sources: cli.EnvVars("CANDOR_OTLP"), Destination: &s.URL},
		&cli.BoolFlag{Name: "otlp-content", Category: category,
			Usage:   "also send messages, arguments and results, cleaned",
			Sources: cli.EnvVars("CANDOR_OTLP_CONTENT"), Destination: &s.Content},
	}
}

// approvalTimeoutFlag is shared by serve and chat. The default is 5 minutes. A call that
// nobody decides on in that time is rejected and the turn continues: without a timeout,
// a question on a closed page would block its thread forever.
func approvalTimeoutFlag(d *time.Duration) cli.Flag {
	return &cli.DurationFlag{Name: "approval-timeout", Value: agent.DefaultApprovalTimeout,
		Usage:   "reject a call that nobody approved within `TIME`",
		Sources: cli.EnvVars("CANDOR_APPROVAL_TIMEOUT"), Destination: d}
}

// streamFlag is shared by serve and chat. It sets the opposite of what it is called, since
// the zero value of whole is the default.
func streamFlag(whole *bool) cli.Flag {
	return &cli.BoolFlag{Name: "stream", Value: true,
		Usage:   "show what the model writes sentence by sentence, instead of when it is complete",
		Sources: cli.EnvVars("CANDOR_STREAM"),
		Action: func(_ context.Context, _ *cli.Command, on bool) error {
			*whole = !on
			return nil
		}}
}

// serve runs the server until ctx ends and then stops it: no new turn begins, running
// ones may finish within the grace, streams send what they have. No goroutine is left
// when serve returns.
func serve(ctx context.Context, s serveSettings, stdout, stderr io.Writer) error {
	log, err := s.logs.logger(stderr)
	if err != nil {
		return err
	}
	if err := checkServe(s); err != nil {
		return err
	}
	if s.Hosts, err = hostsOf(s.addr, s.Hosts); err != nil {
		return err
	}
	tokens, made, err := s.loadSecrets(s.Storage.Dir)
	if err != nil {
		return err
	}
	limitHeap(s.Memory)
	a, err := app.New(s.Settings, tokens, nil, log)
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", s.addr)
	if err != nil {
		a.Close(ctx)
		return listenError(s.addr, err)
	}
	code, _ := a.NewCode(cmp.Or(s.token, made.value)) // none if neither is set
	announce(stdout, ln.Addr(), made, code, a.Model, s.Settings)
	if !isLocal(ln.Addr()) {
		log.Warn("listening beyond this machine without TLS: put a proxy with TLS in front", "addr", ln.Addr())
	}
	srv := newHTTPServer(a, s.connections, log)
	ln = sse.Combine(srv, ln)

	var wg sync.WaitGroup
	defer wg.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	failed := make(chan error, 1)
	wg.Go(func() {
		failed <- srv.Serve(ln)
		cancel()
	})
	wg.Go(func() { a.Tend(ctx, s.idle, s.Storage.Keep, log) })
	<-ctx.Done()
	return shutDown(a, srv, s.grace, failed, log)
}

// shutDown stops the app and the HTTP server. failed has the error with which Serve
// returned; any but ErrServerClosed is why the server stops.
func shutDown(a *app.App, srv *http.Server, grace time.Duration, failed <-chan error, log *slog.Logger) error {
	log.Info("stopping", "grace", grace)
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	a.Close(ctx)
	// Turns may have used up the grace; streams still get a moment to send the last events.
	last, cancelLast := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancelLast()
	if err := srv.Shutdown(last); err != nil {
		log.Warn("connections cut off", "error", err)
		srv.Close()
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// listenError says what to do about an address that cannot be listened at.
func listenError(addr string, err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("--addr: %s is in use, perhaps by another Candor; stop that program, or choose another "+
			"address, such as --addr 127.0.0.1:8090", addr)
	}
	return fmt.Errorf("--addr: %w", err)
}
