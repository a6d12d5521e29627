package mcp

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"

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
	// OnChange is called with all tools each time the set has changed, and for the first
	// time before Connect returns if there are tools then. Calls are sequential and in
	// order, and none begins after Close has returned. OnChange must not call Close.
	OnChange func([]agent.Tool)
}

// Servers are the MCP servers of one configuration, kept up until Close. Its methods are
// safe for concurrent use.
type Servers struct {
	all      []*supervisor // sorted by name
	reserved map[string]bool
	onChange func([]agent.Tool)
	stop     context.CancelFunc
	running  sync.WaitGroup

	publishing sync.Mutex // held during OnChange, so that calls are in order
	mu         sync.Mutex
	tools      []agent.Tool
}

// Connect starts all servers concurrently and returns once each was tried. A server that
// cannot be started does not make Connect fail: it is logged and tried again. If ctx ends
// first, Connect returns ctx's error and leaves nothing running. Afterwards ctx has no
// effect.
func Connect(ctx context.Context, c Config, o Options) (*Servers, error) {
	dialers := map[string]dialer{}
	for name, e := range c.Servers {
		dialers[name] = e.dialer()
	}
	s := newServers(dialers, o)
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// dialer returns the dialer for the endpoint's kind.
func (e Endpoint) dialer() dialer {
	if e.Command != "" {
		return func(func(error)) (*connection, error) { return startProcess(e) }
	}
	return func(lost func(error)) (*connection, error) { return openHTTP(e, lost) }
}

// newServers returns servers that are not started yet.
func newServers(dialers map[string]dialer, o Options) *Servers {
	s := &Servers{reserved: map[string]bool{}, onChange: o.OnChange}
	for _, name := range o.Reserved {
		s.reserved[name] = true
	}
	log := cmp.Or(o.Log, slog.Default())
	for _, name := range slices.Sorted(maps.Keys(dialers)) {
		s.all = append(s.all, &supervisor{
			name: name, version: o.Version, dial: dialers[name], log: log, changed: s.publish,
		})
	}
	return s
}

// start runs the servers and waits until each was tried.
func (s *Servers) start(ctx context.Context) error {
	// The servers outlive ctx, which bounds only the start.
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	var tried sync.WaitGroup
	tried.Add(len(s.all))
	for _, one := range s.all {
		s.running.Go(func() { one.run(running, sync.OnceFunc(tried.Done)) })
	}
	all := make(chan struct{})
	s.running.Go(func() {
		tried.Wait()
		close(all)
	})
	select {
	case <-all:
		return nil
	case <-ctx.Done():
		s.Close()
		return ctx.Err()
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

// Unlisted returns the names of the servers whose tools are unknown, sorted: those that
// are down and have not listed any since Connect.
func (s *Servers) Unlisted() []string {
	var names []string
	for _, one := range s.all {
		one.mu.Lock()
		if one.session == nil && len(one.tools) == 0 {
			names = append(names, one.name)
		}
		one.mu.Unlock()
	}
	return names
}

// publish replaces the set of tools and calls OnChange if it differs from the last one.
func (s *Servers) publish() {
	s.publishing.Lock()
	defer s.publishing.Unlock()
	// Collecting within the lock makes the last call of OnChange see the latest tools.
	tools := s.collect()
	s.mu.Lock()
	same := slices.EqualFunc(s.tools, tools, sameTool)
	s.tools = tools
	s.mu.Unlock()
	if !same && s.onChange != nil {
		s.onChange(slices.Clone(tools))
	}
}

// collect returns the tools of all servers under names that are unique among them.
func (s *Servers) collect() []agent.Tool {
	var origins []origin
	known := map[origin]definition{}
	owners := map[origin]*supervisor{}
	for _, one := range s.all {
		one.mu.Lock()
		for _, d := range one.tools {
			o := origin{one.name, d.name}
			origins = append(origins, o)
			known[o], owners[o] = d, one
		}
		one.mu.Unlock()
	}
	unique := nameAll(origins, s.reserved)
	var tools []agent.Tool
	for _, o := range origins {
		d := known[o]
		tools = append(tools, &remoteTool{
			spec:  agent.Spec{Name: unique[o], Description: d.description, Schema: d.schema, ReadOnly: d.readOnly},
			owner: owners[o], nativeName: d.name,
		})
	}
	return tools
}

// sameTool reports whether two tools look the same to a model and call the same tool of
// the same server.
func sameTool(a, b agent.Tool) bool {
	x, ok := a.(*remoteTool)
	y, fine := b.(*remoteTool)
	if !ok || !fine || x.owner != y.owner || x.nativeName != y.nativeName || x.spec.Name != y.spec.Name ||
		x.spec.Description != y.spec.Description || x.spec.ReadOnly != y.spec.ReadOnly {
		return false
	}
	before, err := compact(x.spec.Schema)
	after, bad := compact(y.spec.Schema)
	return err == nil && bad == nil && string(before) == string(after)
}
