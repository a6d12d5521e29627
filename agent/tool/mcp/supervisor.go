package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"
)

const (
	firstPause = 500 * time.Millisecond // before the second restart in a row
	lastPause  = time.Minute
	stableTime = time.Minute // a server that was up this long starts with no pause again
	// Tools are listed again when the server says that they changed, but not more often
	// than relistGap, and for at most a tenth of the time. They are also listed every
	// relistInterval, because the stream of notifications can be cut by a proxy without
	// either side noticing.
	relistGap      = 100 * time.Millisecond
	relistInterval = 5 * time.Minute
)

var errStopped = failf("it was stopped")

// supervisor keeps one server up. Its run method is its only goroutine.
type supervisor struct {
	key     string // the server's name in the configuration
	name    string // the same, fit to be shown
	version string // ours
	dial    dialer
	clean   func(string) string // makes the server's text fit to be shown
	limit   time.Duration       // of a call
	log     *slog.Logger
	changed func() // called after tools has been replaced

	protocol string // the version to begin with; used by run only
	down     repetition
	dropped  repetition
	lastDrop string // what was dropped from the latest list
	noise    sync.Once

	mu      sync.Mutex
	session *session // nil while the server is down
	listed  bool     // the server has listed its tools once
	offered bool     // changed has returned since
	tools   []definition
	fault   error // why the server is down; nil while it is up or was not tried
}

// repetition counts warnings that are alike, so that a server cannot fill the log.
type repetition struct{ times int }

// next counts one more warning, and reports whether to log it: the first, and those whose
// number is a power of ten.
func (r *repetition) next() bool {
	r.times++
	n := r.times
	for n%10 == 0 {
		n /= 10
	}
	return n == 1
}

// run keeps the server up until ctx ends. It calls tried, perhaps repeatedly, once the
// first attempt has succeeded or failed.
func (s *supervisor) run(ctx context.Context, tried func()) {
	defer s.setDown(errStopped)
	var pause time.Duration
	logged := true
	for {
		began := time.Now()
		err := s.serve(ctx, func(tools int) {
			tried()
			if logged {
				s.log.Info("an MCP server is up", "server", s.name, "tools", tools)
			}
		})
		tried()
		if ctx.Err() != nil {
			return
		}
		// The first restart after a stable time is immediate.
		if time.Since(began) >= stableTime {
			pause, s.down = 0, repetition{}
		}
		if logged = s.down.next(); logged {
			s.log.Warn("an MCP server is down",
				"server", s.name, "error", err, "restart_in", pause, "times", s.down.times)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		pause = min(max(2*pause, firstPause), lastPause)
	}
}

// serve runs one session from its opening to its end, and returns why it ended. It calls
// up once the tools are known, with their number.
func (s *supervisor) serve(ctx context.Context, up func(tools int)) error {
	session, err := connect(ctx, s.dial, s.sayNoise, s.version, s.protocol)
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
		began := time.Now()
		tools, err := s.list(session)
		if err != nil {
			err = session.cause(err)
			s.setDown(err)
			return err
		}
		if s.setUp(session, tools); first {
			up(len(tools))
		}
		if !session.waitForRelist(min(max(relistGap, 10*time.Since(began)), lastPause)) {
			err := session.cause(io.EOF)
			s.setDown(err)
			return err
		}
	}
}

// sayNoise logs once that the server writes something else than messages.
func (s *supervisor) sayNoise() {
	s.noise.Do(func() {
		s.log.Warn("an MCP server writes something else than messages to its output, which is skipped",
			"server", s.name)
	})
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
	s.session, s.listed, s.tools, s.fault = on, true, tools, nil
	s.mu.Unlock()
	s.changed()
	s.mu.Lock()
	s.offered = true
	s.mu.Unlock()
}

// setDown makes calls fail. The tools stay in the set.
func (s *supervisor) setDown(cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session, s.fault = nil, cause
}

// current returns the session for calls of a tool, or an error for the model if there is
// none, or if the server has changed the tool: the call was made, and perhaps approved, for
// what the tool was.
func (s *supervisor) current(tool, digest string) (on *session, asTask bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fault == errStopped {
		return nil, false, fmt.Errorf("the MCP server %q is not running any more", s.name)
	}
	if s.session == nil || s.session.ctx.Err() != nil {
		return nil, false, fmt.Errorf(
			"the MCP server %q is down and is being restarted; try again later or do without it", s.name)
	}
	same := func(d definition) bool { return d.name == tool && d.digest == digest }
	at := slices.IndexFunc(s.tools, same)
	if at < 0 {
		return nil, false, fmt.Errorf("the MCP server %q has changed or removed this tool since the call was made, "+
			"so the call was not run; make it again if the tool is still there", s.name)
	}
	return s.session, s.tools[at].asTask, nil
}
