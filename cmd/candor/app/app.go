package app

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"candor/agent"
	"candor/session"
	"candor/session/otlp"
	"candor/web"
	"candor/web/access"
	"candor/web/agui"
	"candor/web/attached"
	"candor/web/jobs"
	"candor/web/mew"
	"candor/web/openwop"
	"candor/web/telemetry"
	"candor/web/ui"
)

// App is a running Candor: the agent loop, its sessions and the HTTP API over them.
// It is an http.Handler and owns no listener.
type App struct {
	Store session.Store // every user's sessions
	Model string        // the name of the model that answers

	store      sessions
	log        *slog.Logger
	unshare    func() // ends what the app does with other servers
	chat       *agent.Chat
	front      *agui.Server
	spaces     *mew.Server // nil only while New fails
	attached   *attached.Server
	server     *web.Server
	telemetry  *telemetry.Server // nil only while New fails
	exporter   *otlp.Exporter    // nil unless turns are sent to a collector
	closeAgent func()            // stops the MCP servers; no turn may run any more
	mcpServers func() []web.MCPServer
	stopping   atomic.Bool // Close was called
}

// New builds an app. tokens decide who may call the API, and are masked in every text. newID makes the ids of
// sessions; nil means random ones. The caller closes the app.
func New(s Settings, tokens access.Tokens, newID func() uuid.UUID, log *slog.Logger) (*App, error) {
	s.Key = s.Key.OrNew()
	spaces, err := s.MEW.spaces(tokens)
	if err != nil {
		return nil, err
	}
	guesses := web.NewGuesses(log)
	s.Safety.guessed = guesses.Notice
	layer, err := s.Layer(slices.Concat(
		tokenSecrets(tokens), spaces.Secrets(), secretsFrom("the key of the server", s.Key.Values()...))...)
	if err != nil {
		return nil, err
	}
	t, kit, err := newTeam(s, layer, log)
	if err != nil {
		return nil, err
	}
	lead, figures := t.lead, newMetrics()
	exporter, err := s.export(lead.Model, log)
	if err != nil {
		kit.close()
		return nil, err
	}
	a := &App{
		log: log, exporter: exporter, Model: lead.Model, closeAgent: kit.close, mcpServers: mcpStates(kit),
	}
	limits := s.limits(log, figures.recorded, exporter)
	limits.OnErase = a.forget
	store, err := s.openSessions(newID, limits, log)
	if err != nil {
		exporter.Close()
		kit.close()
		return nil, err
	}
	a.Store, a.store, a.attached = store.Store, store, newAttached(s, store.Store, layer)
	for _, m := range t.members {
		m.OnStep = func(worked time.Duration) { figures.overhead.Observe(worked.Seconds()) }
	}
	a.chat = agent.NewChat(a.Store, lead, s.ApprovalTimeout).EncryptWith(s.Key.For("opaque reasoning"))
	a.unshare = a.share(log)
	a.front, err = newAGUI(s, a.chat, lead, a.Store, layer, log)
	var workflows *openwop.Server
	if err == nil {
		workflows, err = newOpenWOP(s, a.chat, lead, a.Store, layer, log)
	}
	if err == nil {
		a.spaces, err = newGateway(s, spaces, tokens, a.Store, layer, guesses, log)
	}
	if err != nil {
		a.Close(context.Background())
		return nil, err
	}
	server := web.New(a.webOptions(s, tokens, lead, figures, guesses))
	server.Mount(a.front.Routes()...)
	server.Mount(workflows.Routes()...)
	server.Mount(jobs.New(jobs.Options{
		Store: a.Store, Safety: layer, Log: log, Stream: server.StreamJobs,
		Key: s.Key.For("tokens of jobs"), Knows: tokens.Knows,
	}).Routes()...)
	server.Mount(append(a.spaces.Routes(), askRoutes(a, s.Version, a.clean)...)...)
	a.mountAttached(server, figures)
	a.server = server
	figures.register(figuresOf(lead, store, a.chat, server, exporter)...)
	if weak := layer.Guessable(); len(weak) > 0 {
		log.Warn("secrets are easy to guess; whoever guesses one sees it masked. Use longer, random ones",
			"secrets", strings.Join(weak[:min(len(weak), maxNamed)], "; "), "all", len(weak))
	}
	return a, nil
}

// webOptions returns the options of the app's server.
func (a *App) webOptions(
	s Settings, tokens access.Tokens, lead *agent.Dispatcher, figures *metrics, guesses *web.Guesses,
) web.Options {
	return web.Options{
		Chat: spaceChat{a.chat, a.spaces, a.attached}, Store: a.Store, Tokens: tokens, Log: a.log, Feedback: a.chat,
		CodeKey: s.Key.For("login codes"),
		Backend: web.Backend{Name: s.Model.Chosen(), Model: lead.Model},
		Version: s.Version, Guesses: guesses,
		Command:  answerReasoning,
		Edit:     a.chat.Edit,
		Discard:  func(ctx context.Context, user string) { a.discard(ctx, user, a.log) },
		Coverage: coverageOf(lead), MCPServers: a.mcpServers,
		Unread:  func(user string) []web.UnreadTelemetry { return a.telemetry.Unread(user) },
		Metrics: figures.handler(), Ready: a.notReady,
		SendsPerMinute: s.SendsPerMinute, StreamsPerUser: s.StreamsPerUser, RequestsPerUser: s.RequestsPerUser,
		WritesPerSecond: s.WritesPerSecond,
		Origins:         s.Origins, Hosts: s.Hosts,
		Page: ui.Handler(), Heartbeat: s.Heartbeat, WriteTimeout: s.WriteTimeout,
	}
}

// ServeHTTP serves the page, the API, AG-UI, OpenWOP, MEW and the metrics.
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.server.ServeHTTP(w, r) }

// NewCode returns a code that logs one browser in as the user of a token, once and within
// [access.CodeLife]. ok is false for a token that cannot log in.
func (a *App) NewCode(token string) (code string, ok bool) {
	code, _, ok = a.server.NewCode(token)
	return code, ok
}

// Close accepts no further turns and waits for running ones until ctx ends, then
// interrupts them. The order is the reverse of New's: the chat first, because its turns
// append to the store and call tools; then the spaces and the telemetry, of which messages and spans become events of
// the store, and the agents of other programs that wait for an answer, which go on without; then the
// exporter, which sends the turns that ended; then the store, which ends the
// event streams once they have sent every event; and the toolkit last, with its MCP servers and
// the open workspace. Close returns when nothing of the app runs but open HTTP requests. Whoever
// owns the listener shuts it down after that, so that those requests can finish.
func (a *App) Close(ctx context.Context) {
	a.stopping.Store(true)
	a.chat.Close(ctx)
	if a.spaces != nil {
		a.spaces.Close()
	}
	if a.telemetry != nil {
		a.telemetry.Close()
	}
	a.attached.Close()
	a.unshare()
	a.exporter.Close()
	if err := a.Store.Close(); err != nil {
		a.log.Error("storage not closed in order", "error", err)
	}
	a.closeAgent()
}

// forget drops what is held in memory for a thread that was deleted. Its session is locked meanwhile.
func (a *App) forget(own *session.Session, of session.Ref) {
	if of.Thread == "" {
		return
	}
	a.chat.Forget(of.Thread)
	a.front.Forget(own.User(), of.Thread)
	a.attached.Forget(own.User())
	if a.telemetry != nil { // which thread a span belongs to is not known while it waits
		a.telemetry.Forget(own.User())
	}
}

// discard stops the turns of a user's session and removes it, with the spaces that are theirs.
func (a *App) discard(ctx context.Context, user string, log *slog.Logger) {
	a.spaces.Discard(user)
	if s, err := a.store.Open(ctx, user); err == nil {
		for _, thread := range s.Threads() {
			_, _ = a.chat.Interrupt(ctx, user, thread.ID) // fails where no turn runs
		}
	}
	if err := a.store.remove(ctx, user); err != nil {
		log.Error("throwaway session not removed", "error", err)
	}
}

// maxNamed is how many secrets that are easy to guess are named in a line of the log.
const maxNamed = 50

// mcpStarting is the state of an MCP server that was not tried yet.
const mcpStarting = "starting"

// mcpStates returns a function that reads how the MCP servers are, for the status route.
func mcpStates(k *toolkit) func() []web.MCPServer {
	return func() []web.MCPServer {
		var out []web.MCPServer
		for _, s := range k.states() {
			one := web.MCPServer{Name: s.Name, State: mcpStarting, Tools: s.Tools}
			switch {
			case s.Up:
				one.State = "up"
			case s.Tried:
				one.State = "down"
			}
			out = append(out, one)
		}
		return out
	}
}

// coverageOf returns a function that reads how many of a user's calls came with the model's
// own reason, for the status route.
func coverageOf(d *agent.Dispatcher) func(user string) []web.Coverage {
	return func(user string) []web.Coverage {
		var out []web.Coverage
		for _, c := range d.CoverageOf(user) {
			out = append(out, web.Coverage(c))
		}
		return out
	}
}
