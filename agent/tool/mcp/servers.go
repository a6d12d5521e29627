package mcp

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"candor/agent"
)

// Options are the options of [Connect]. The zero value is valid.
type Options struct {
	// Log receives a line when a server goes up or down and when a tool is dropped. Nil
	// means slog.Default.
	Log *slog.Logger
	// Version is our own version, which is sent to servers.
	Version string
	// Reserved are names that other tools already have.
	Reserved []string
	// OnChange is called with all tools each time the set has changed, and when a server has
	// listed its tools for the first time. Calls are sequential and in order, and none begins
	// after Close has returned. OnChange must not call Close.
	OnChange func([]agent.Tool)
	// Clean makes text of servers, which is hostile, fit to be shown: names and descriptions.
	// Nil leaves it as it is.
	Clean func(string) string
	// CallTimeout is how long a call may take, where the configuration says nothing else about
	// its server. 0 means DefaultCallTimeout.
	CallTimeout time.Duration
}

// Servers are the MCP servers of one configuration, kept up until Close. Its methods are
// safe for concurrent use.
type Servers struct {
	all      []*supervisor // sorted by name
	reserved map[string]bool
	onChange func([]agent.Tool)
	stop     context.CancelFunc
	running  sync.WaitGroup
	tried    chan struct{} // closed once each server was tried

	publishing sync.Mutex // held during OnChange, so that calls are in order
	mu         sync.Mutex
	tools      []agent.Tool
	listed     int // servers that have listed their tools
}

// Connect starts all servers concurrently and returns at once. Servers join as they answer. One
// that cannot be started, or does not answer, is logged and tried again. The caller closes the
// servers.
func Connect(c Config, o Options) *Servers {
	dialers := map[string]dialer{}
	for name, e := range c.Servers {
		dialers[name] = e.dialer()
	}
	s := newServers(dialers, o)
	s.limitCalls(c)
	s.start()
	return s
}

// limitCalls gives each server the time limit that the configuration has for it.
func (s *Servers) limitCalls(c Config) {
	for _, one := range s.all {
		one.limit = cmp.Or(c.Servers[one.key].CallTimeout, one.limit)
	}
}

// dialer returns the dialer for the endpoint's kind.
func (e Endpoint) dialer() dialer {
	if e.Command != "" {
		return func(lost func(error), noise func()) (*connection, error) { return startProcess(e, lost, noise) }
	}
	return func(lost func(error), _ func()) (*connection, error) { return openHTTP(e, lost) }
}

// newServers returns servers that are not started yet.
func newServers(dialers map[string]dialer, o Options) *Servers {
	s := &Servers{reserved: map[string]bool{}, onChange: o.OnChange, tried: make(chan struct{})}
	for _, name := range o.Reserved {
		s.reserved[name] = true
	}
	log, clean := cmp.Or(o.Log, slog.Default()), o.Clean
	if clean == nil {
		clean = func(text string) string { return text }
	}
	for _, name := range slices.Sorted(maps.Keys(dialers)) {
		s.all = append(s.all, &supervisor{
			key: name, name: shown(name, clean), version: o.Version, dial: dialers[name], clean: clean,
			limit: cmp.Or(o.CallTimeout, DefaultCallTimeout), log: log, changed: s.publish,
		})
	}
	return s
}

// start runs the servers.
func (s *Servers) start() {
	running, stop := context.WithCancel(context.Background())
	s.stop = stop
	var left atomic.Int64
	left.Store(int64(len(s.all)))
	if len(s.all) == 0 {
		close(s.tried)
	}
	for _, one := range s.all {
		one.log.Info("an MCP server is starting", "server", one.name)
		tried := sync.OnceFunc(func() {
			if left.Add(-1) == 0 {
				close(s.tried)
			}
		})
		s.running.Go(func() { one.run(running, tried) })
	}
}

// Await waits until each server was tried once, but not longer than ctx.
func (s *Servers) Await(ctx context.Context) {
	select {
	case <-s.tried:
	case <-ctx.Done():
	}
}

// Close stops the servers, cancels running calls, and returns once all processes have
// ended and all sessions are closed. It takes a few seconds if a server does not react.
// It may be called more than once.
func (s *Servers) Close() {
	s.stop()
	s.running.Wait()
}

// Tools returns the tools of all servers, including those that are down, sorted by server
// and in the server's own order. The slice is the caller's.
func (s *Servers) Tools() []agent.Tool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.tools)
}

// State says how one server is. It is up once its tools have been offered, starting until it was tried once, or down.
type State struct {
	Server string // its name in the configuration
	Name   string // the same, fit to be shown
	Up     bool
	Tried  bool
	Listed bool // its tools are known: it has listed them since Connect
	Tools  int
}

// States returns how the servers are, sorted by name.
func (s *Servers) States() []State {
	var all []State
	for _, one := range s.all {
		one.mu.Lock()
		up := one.session != nil && one.offered
		all = append(all, State{
			Server: one.key, Name: one.name, Up: up, Tried: up || one.fault != nil,
			Listed: one.listed, Tools: len(one.tools),
		})
		one.mu.Unlock()
	}
	return all
}

// publish replaces the set of tools and calls OnChange if it differs from the last one, or
// another server has listed its tools.
func (s *Servers) publish() {
	s.publishing.Lock()
	defer s.publishing.Unlock()
	// Collecting within the lock makes the last call of OnChange see the latest tools.
	tools, listed := s.collect()
	s.mu.Lock()
	same := slices.EqualFunc(s.tools, tools, sameTool) && s.listed == listed
	s.tools, s.listed = tools, listed
	s.mu.Unlock()
	if !same && s.onChange != nil {
		s.onChange(slices.Clone(tools))
	}
}

// collect returns the tools of all servers under names that are unique among them, and the
// number of servers that have listed theirs.
func (s *Servers) collect() (tools []agent.Tool, listed int) {
	var origins []origin
	known := map[origin]definition{}
	owners := map[origin]*supervisor{}
	for _, one := range s.all {
		one.mu.Lock()
		if one.listed {
			listed++
		}
		for _, d := range one.tools {
			o := origin{one.name, d.label}
			origins = append(origins, o)
			known[o], owners[o] = d, one
		}
		one.mu.Unlock()
	}
	unique := nameAll(origins, s.reserved)
	for _, o := range origins {
		tools = append(tools, owners[o].tool(unique[o], o, known[o]))
	}
	return tools, listed
}

// tool returns a tool of the server under a name that is unique.
func (s *supervisor) tool(name string, o origin, d definition) agent.Tool {
	return &remoteTool{owner: s, spec: agent.Spec{
		Name: name, Description: d.description, Schema: d.schema, ReadOnly: d.readOnly,
		Origin: agent.Origin{
			Server: s.key, Tool: d.name, Definition: d.digest,
			Names: []string{o.name(bare), o.name(prefixed), o.name(hashed)},
		},
	}}
}

// sameTool reports whether two tools look the same to a model and call the same tool of
// the same server.
func sameTool(a, b agent.Tool) bool {
	x, ok := a.(*remoteTool)
	y, fine := b.(*remoteTool)
	return ok && fine && x.owner == y.owner && x.spec.Name == y.spec.Name && x.spec.ReadOnly == y.spec.ReadOnly &&
		x.spec.Origin.Tool == y.spec.Origin.Tool && x.spec.Origin.Definition == y.spec.Origin.Definition
}
