package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"
)

const (
	firstPause = 500 * time.Millisecond // before the second restart in a row
	lastPause  = time.Minute
	stableTime = time.Minute // a server that was up this long starts with no pause again
	maxTools   = 512

	// Tools are listed again when the server says that they changed, but not more often
	// than relistGap. They are also listed every relistInterval, because the stream of
	// notifications can be cut by a proxy without either side noticing.
	relistGap      = 100 * time.Millisecond
	relistInterval = 5 * time.Minute
)

var errStopped = failf("it was stopped")

// supervisor keeps one server up. Its run method is its only goroutine.
type supervisor struct {
	name    string
	version string // ours
	dial    dialer
	log     *slog.Logger
	changed func() // called after tools has been replaced

	protocol string // the version to begin with; used by run only

	mu      sync.Mutex
	session *session // nil while the server is down
	tools   []definition
	fault   error // why the server is down; nil while it is up or was not tried
}

// run keeps the server up until ctx ends. It calls tried, perhaps repeatedly, once the
// first attempt has succeeded or failed.
func (s *supervisor) run(ctx context.Context, tried func()) {
	defer s.setDown(errStopped)
	var pause time.Duration
	for {
		began := time.Now()
		err := s.serve(ctx, tried)
		tried()
		if ctx.Err() != nil {
			return
		}
		// The first restart after a stable time is immediate.
		if time.Since(began) >= stableTime {
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

// serve runs one session from its opening to its end, and returns why it ended. It calls
// up once the tools are known.
func (s *supervisor) serve(ctx context.Context, up func()) error {
	session, err := connect(ctx, s.dial, s.version, s.protocol)
	if err != nil {
		if errors.Is(err, errNoAnswer) {
			// Perhaps the server answers to the other way to begin; try that next.
			s.protocol = map[string]string{"": initialize, initialize: ""}[s.protocol]
		}
		s.setDown(err)
		return err
	}
	defer session.close()
	for first := true; ; first = false {
		tools, err := s.list(session)
		if err != nil {
			err = session.cause(err)
			s.setDown(err)
			return err
		}
		if s.setUp(session, tools); first {
			s.log.Info("an MCP server is up", "server", s.name, "tools", len(tools))
			up()
		}
		if !session.waitForRelist(relistGap) {
			err := session.cause(io.EOF)
			s.setDown(err)
			return err
		}
	}
}

// list returns the server's tools without those that cannot be used: an invalid definition
// or a repeated name costs only that tool, which is logged.
func (s *supervisor) list(on *session) ([]definition, error) {
	can := on.client.InitializeResult().Capabilities
	if can == nil || can.Tools == nil {
		return nil, nil
	}
	ctx, stop := context.WithTimeout(on.ctx, maxStart)
	defer stop()
	var out []definition
	seen, c := map[string]bool{}, catalog{known: s.definitions()}
	for t, err := range on.client.Tools(ctx, nil) {
		switch {
		case err != nil:
			return nil, err
		case len(out) == maxTools:
			s.log.Warn("an MCP server has too many tools; the rest is dropped", "server", s.name, "kept", maxTools)
			return out, nil
		case seen[t.Name]:
			s.logDropped(t.Name, errors.New("its name is taken by another tool of the server"))
			continue
		}
		seen[t.Name] = true
		d, err := c.define(t)
		if err != nil {
			s.logDropped(t.Name, err)
			continue
		}
		out = append(out, d)
	}
	return out, nil
}

// logDropped logs that a tool is not offered. The name is the server's, so it is cleaned.
func (s *supervisor) logDropped(name string, err error) {
	s.log.Warn("a tool of an MCP server is dropped", "server", s.name, "tool", cleanName(name), "error", err)
}

// definitions returns the tools that were listed last, by name.
func (s *supervisor) definitions() map[string]definition {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := make(map[string]definition, len(s.tools))
	for _, d := range s.tools {
		known[d.name] = d
	}
	return known
}

// setUp makes calls go through a session, and replaces the tools.
func (s *supervisor) setUp(on *session, tools []definition) {
	s.mu.Lock()
	s.session, s.tools, s.fault = on, tools, nil
	s.mu.Unlock()
	s.changed()
}

// setDown makes calls fail. The tools stay in the set.
func (s *supervisor) setDown(cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session, s.fault = nil, cause
}

// current returns the session for calls, or an error for the model if there is none.
func (s *supervisor) current() (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fault == errStopped {
		return nil, fmt.Errorf("the MCP server %q is not running any more", s.name)
	}
	if s.session == nil || s.session.ctx.Err() != nil {
		return nil, fmt.Errorf(
			"the MCP server %q is down and is being restarted; try again later or do without it", s.name)
	}
	return s.session, nil
}
