package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	firstPause = 500 * time.Millisecond // before the second restart in a row
	lastPause  = time.Minute
	stable     = time.Minute // after which a server's past failures are forgotten
	maxTools   = 512

	// Tools are listed when the server says that they changed, not more often than
	// the one, and not less than the other: the stream it says so on can be cut by
	// what is between us without anybody being told.
	relistGap    = 100 * time.Millisecond
	relistAnyway = 5 * time.Minute
)

var errStopped = failf("it was stopped")

// server keeps one server up.
type server struct {
	name    string
	kind    string
	version string
	dial    dialer
	log     *slog.Logger
	changed func() // the tools are others now

	protocol string // to begin with; run's alone

	mu    sync.Mutex
	link  *link // nil while it is down
	tools []definition
	fault error // why it is down
}

// run serves until ctx ends. It calls tried once the first attempt is over.
func (s *server) run(ctx context.Context, tried func()) {
	defer s.down(errStopped)
	var pause time.Duration
	for {
		began := time.Now()
		err := s.serve(ctx, tried)
		tried()
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) >= stable {
			pause = 0
		}
		s.log.Warn("an MCP server is down", "server", s.name, "error", err, "restart_in", pause)
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		pause = min(max(2*pause, firstPause), lastPause)
	}
}

// serve is one session, from its opening to its end, whose reason it returns.
func (s *server) serve(ctx context.Context, up func()) error {
	l, err := connect(ctx, s.dial, s.version, s.protocol)
	if err != nil {
		if errors.Is(err, errNoAnswer) { // perhaps to the other way to begin
			s.protocol = map[string]string{"": initialize, initialize: ""}[s.protocol]
		}
		s.down(err)
		return err
	}
	defer l.close()
	for first := true; ; first = false {
		tools, err := s.list(l)
		if err != nil {
			err = l.reason(err)
			s.down(err)
			return err
		}
		if s.set(l, tools); first {
			s.log.Info("an MCP server is up", "server", s.name, "tools", len(tools))
			up()
		}
		if !l.changed(relistGap) {
			err := l.reason(io.EOF)
			s.down(err)
			return err
		}
	}
}

// list asks for the tools and drops what cannot be used of them.
func (s *server) list(l *link) ([]definition, error) {
	can := l.session.InitializeResult().Capabilities
	if can == nil || can.Tools == nil {
		return nil, nil
	}
	ctx, stop := context.WithTimeout(l.ctx, maxStart)
	defer stop()
	var out []definition
	seen := map[string]bool{}
	for t, err := range l.session.Tools(ctx, nil) {
		switch {
		case err != nil:
			return nil, err
		case len(out) == maxTools:
			s.log.Warn("an MCP server has too many tools; the rest is dropped", "server", s.name, "kept", maxTools)
			return out, nil
		case seen[t.Name]:
			s.drop(t.Name, errors.New("its name is taken by another tool of the server"))
			continue
		}
		seen[t.Name] = true
		d, err := define(t)
		if err != nil {
			s.drop(t.Name, err)
			continue
		}
		out = append(out, d)
	}
	return out, nil
}

func (s *server) drop(tool string, err error) {
	s.log.Warn("a tool of an MCP server is dropped", "server", s.name, "tool", cleanName(tool), "error", err)
}

func define(t *sdk.Tool) (definition, error) {
	if len(t.Description) > maxDefinition {
		return definition{}, fmt.Errorf("its description has %d bytes, more than %d", len(t.Description), maxDefinition)
	}
	schema, err := schemaOf(t.InputSchema)
	if err != nil {
		return definition{}, err
	}
	return definition{name: t.Name, description: valid(t.Description), schema: schema}, nil
}

// set puts a link in charge and takes its tools over.
func (s *server) set(l *link, tools []definition) {
	s.mu.Lock()
	s.link, s.tools, s.fault = l, tools, nil
	s.mu.Unlock()
	s.changed()
}

func (s *server) down(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.link, s.fault = nil, err
}

// current is the link to call through, or why there is none.
func (s *server) current() (*link, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fault == errStopped {
		return nil, fmt.Errorf("the MCP server %q is not running any more", s.name)
	}
	if s.link == nil || s.link.ctx.Err() != nil {
		return nil, fmt.Errorf("the MCP server %q is down and is being restarted; try again later or do without it", s.name)
	}
	return s.link, nil
}

func (s *server) status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Status{Name: s.name, Kind: s.kind, Up: s.link != nil, Tools: len(s.tools), Fault: s.fault}
}
