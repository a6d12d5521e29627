package workflow

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/safety"
	"candor/session"
)

// layer cleans texts; building one takes long.
var layer = safety.NewLayer()

// newDispatcher returns a dispatcher whose own model must not be asked.
func newDispatcher() *agent.Dispatcher {
	return &agent.Dispatcher{
		Tools: &agent.Toolbox{}, Safety: layer, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
}

// defined returns one of the package's own workflows.
func defined(t *testing.T, id string) *Definition {
	t.Helper()
	c, err := Load(layer, true)
	require.NoError(t, err)
	d, ok := c.Get(id)
	require.True(t, ok, id)
	return d
}

// parsed returns the workflow with this definition.
func parsed(t *testing.T, raw string) *Definition {
	t.Helper()
	d, err := parse([]byte(raw))
	require.NoError(t, err)
	return d
}

// mocking returns a workflow of one agent with this config.
func mocking(t *testing.T, config string) *Definition {
	t.Helper()
	return parsed(t, `{"id":"conformance-x","nodes":[{"id":"agent","typeId":"core.conformance.mock-agent","config":`+
		config+`}]}`)
}

// chat is a session in which workflows run as turns.
type chat struct {
	*agent.Chat
	session    *session.Session
	dispatcher *agent.Dispatcher
}

// inChat runs test with fake time.
func inChat(t *testing.T, test func(*testing.T, chat)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		store, d := session.NewMemory(nil), newDispatcher()
		c := agent.NewChat(store, d, 0)
		s, err := store.Open(t.Context(), "ann")
		require.NoError(t, err)
		test(t, chat{c, s, d})
		c.Close(t.Context())
		require.NoError(t, store.Close())
	})
}

// start begins a run and returns its turn's first event.
func (c chat) start(t *testing.T, d *Definition, inputs string) session.Event {
	t.Helper()
	return c.startWith(t, d, inputs, agent.TurnOptions{})
}

// startWith is start with options.
func (c chat) startWith(t *testing.T, d *Definition, inputs string, options agent.TurnOptions) session.Event {
	t.Helper()
	cleaned, _ := c.dispatcher.Safety.CleanJSON([]byte(cmp.Or(inputs, "null")))
	options.Runner = d.Runner(c.dispatcher, cleaned)
	e, err := c.SendWith(t.Context(), "ann", "", "run", options)
	require.NoError(t, err)
	synctest.Wait()
	return e
}

// turn returns a turn as it is now.
func (c chat) turn(t *testing.T, e session.Event) session.Turn {
	t.Helper()
	turn, err := c.session.Turn(e.Thread, e.Turn)
	require.NoError(t, err)
	return turn
}

// bodies returns what the log says of a turn, up to now.
func (c chat) bodies(t *testing.T, e session.Event) (out []session.Body) {
	t.Helper()
	head := c.session.Head()
	for up, err := range c.session.Watch(t.Context(), e.Seq-1) {
		require.NoError(t, err)
		if up.Event.Turn == e.Turn && up.Event.Thread == e.Thread {
			out = append(out, up.Event.Body)
		}
		if up.Event.Seq >= head {
			break
		}
	}
	return out
}

// stopped returns a context that has ended.
func stopped(t *testing.T) context.Context {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	return ctx
}

// recorder keeps what a run records, and what it says.
type recorder struct {
	list  []session.Body
	said  []string
	steps []int
	err   error // of every record
	seen  *safety.SeenSecrets
}

func newRecorder() *recorder { return &recorder{seen: safety.NewSeenSecrets()} }

func (r *recorder) Record(b session.Body) error {
	if r.err != nil {
		return r.err
	}
	r.list = append(r.list, b)
	return nil
}

func (r *recorder) StreamText(step, index int, text safety.Text) {
	r.said, r.steps = append(r.said[:index:index], text.String()), append(r.steps, step)
}

func (r *recorder) Seen() *safety.SeenSecrets { return r.seen }

func (r *recorder) ForAgent(string) agent.Recorder { return r }

// of returns the recorded events of one type, in order.
func of[B session.Body](bodies []session.Body) (out []B) {
	for _, b := range bodies {
		if match, ok := b.(B); ok {
			out = append(out, match)
		}
	}
	return out
}

// worked runs a workflow without a session.
func worked(t *testing.T, d *Definition) *recorder {
	t.Helper()
	rec, dispatcher := newRecorder(), newDispatcher()
	_ = dispatcher.RunWith(t.Context(), rec, d.Runner(dispatcher, safety.JSON{}))
	return rec
}

// workerFunc is a function as what a node does.
type workerFunc func(context.Context) (safety.JSON, error)

func (workerFunc) check() error { return nil }

func (f workerFunc) run(ctx context.Context, _ *site) (safety.JSON, error) { return f(ctx) }

// of one node that does work.
func single(work workerFunc) *Definition {
	return &Definition{id: "conformance-x", nodes: []node{{id: "only", typeID: "core.noop", work: work}}}
}

func githubToken() string { return "ghp" + "_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5" }
