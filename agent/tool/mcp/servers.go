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

// Options are what [Connect] can do without. The zero value is useful.
type Options struct {
	// Log gets what goes up, goes down and is dropped. Nil means slog.Default.
	Log *slog.Logger
	// Version is ours, told to servers.
	Version string
	// Reserved are names that other tools have already.
	Reserved []string
	// OnChange is told each time the set of tools is another, with all of it, and
	// for the first time before Connect returns, if there is any tool then. Calls
	// come one after another, in order, and none comes after Close returned. It
	// must not call Close.
	OnChange func([]agent.Tool)
}

// Servers are the MCP servers of one configuration, kept up until Close. All its
// methods are safe for concurrent use.
type Servers struct {
	all      []*server // by name
	reserved map[string]bool
	onChange func([]agent.Tool)
	stop     context.CancelFunc
	running  sync.WaitGroup

	publishing sync.Mutex // held for OnChange too, so that it sees changes in order
	mu         sync.Mutex
	tools      []agent.Tool
}

// Status is how a server does.
type Status struct {
	Name  string
	Kind  string // stdio or http
	Up    bool
	Tools int   // known, also while it is down
	Fault error // why it is down, in our words; nil while it is up, or was not tried yet
}

// Connect starts all servers together and returns once each was tried, or ctx
// ended. A server that cannot be started is logged and tried again, so that one
// of them does not keep the rest away; [Servers.Status] tells. The error is ctx's;
// nothing is left running then. Afterwards ctx has no more effect.
func Connect(ctx context.Context, c Config, o Options) (*Servers, error) {
	dialers := map[string]dialer{}
	for name, e := range c.Servers {
		dialers[name] = e.dialer()
	}
	s := newServers(dialers, o)
	for _, one := range s.all {
		one.kind = c.Servers[one.name].String()
	}
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

func (e Endpoint) dialer() dialer {
	if e.Command != "" {
		return func(func(error)) (*line, error) { return startProcess(e) }
	}
	return func(lost func(error)) (*line, error) { return openHTTP(e, lost) }
}

func newServers(dialers map[string]dialer, o Options) *Servers {
	s := &Servers{reserved: map[string]bool{}, onChange: o.OnChange}
	for _, name := range o.Reserved {
		s.reserved[name] = true
	}
	log := cmp.Or(o.Log, slog.Default())
	for _, name := range slices.Sorted(maps.Keys(dialers)) {
		s.all = append(s.all, &server{name: name, version: o.Version, dial: dialers[name], log: log, changed: s.publish})
	}
	return s
}

// start runs the servers and waits until each was tried.
func (s *Servers) start(ctx context.Context) error {
	// Not of ctx: what it bounds is the start.
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

// Close stops the servers and returns once they are gone: their processes ended,
// their sessions closed. Calls that run are cancelled. It takes a few seconds
// where a server does not react. More than once is fine.
func (s *Servers) Close() {
	s.stop()
	s.running.Wait()
}

// Tools are those of all servers, by server and in its order, also of servers
// that are down. The slice is the caller's.
func (s *Servers) Tools() []agent.Tool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.tools)
}

// Status says of each server how it does, by name.
func (s *Servers) Status() []Status {
	var out []Status
	for _, one := range s.all {
		out = append(out, one.status())
	}
	return out
}

// publish works out names and tells of the set, if it is another than before.
func (s *Servers) publish() {
	s.publishing.Lock()
	defer s.publishing.Unlock()
	tools := s.collect()
	s.mu.Lock()
	same := slices.EqualFunc(s.tools, tools, sameTool)
	s.tools = tools
	s.mu.Unlock()
	if !same && s.onChange != nil {
		s.onChange(slices.Clone(tools))
	}
}

func (s *Servers) collect() []agent.Tool {
	var origins []origin
	known := map[origin]definition{}
	servers := map[origin]*server{}
	for _, one := range s.all {
		one.mu.Lock()
		for _, d := range one.tools {
			o := origin{one.name, d.name}
			origins = append(origins, o)
			known[o], servers[o] = d, one
		}
		one.mu.Unlock()
	}
	names := nameAll(origins, s.reserved)
	var tools []agent.Tool
	for _, o := range origins {
		d := known[o]
		tools = append(tools, &tool{
			spec:   agent.Spec{Name: names[o], Description: d.description, Schema: d.schema},
			server: servers[o], remote: d.name,
		})
	}
	return tools
}

// sameTool compares what a model would see, and what a call would reach.
func sameTool(a, b agent.Tool) bool {
	x, ok := a.(*tool)
	y, fine := b.(*tool)
	if !ok || !fine || x.server != y.server || x.remote != y.remote || x.spec.Name != y.spec.Name ||
		x.spec.Description != y.spec.Description {
		return false
	}
	before, err := compact(x.spec.Schema)
	after, bad := compact(y.spec.Schema)
	return err == nil && bad == nil && string(before) == string(after)
}
