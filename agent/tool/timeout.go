package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"candor/agent"
)

// WithTimeout returns t with a limit on the duration of each run. A run that exceeds it
// fails with an error that names the tool and the limit and wraps
// context.DeadlineExceeded. The limit works through the context, so a tool that ignores
// its context is not stopped; a result that it still returns counts.
func WithTimeout(t agent.Tool, limit time.Duration) agent.Tool {
	return &timeLimited{Tool: t, limit: limit}
}

// timeLimited is a tool with a time limit for each run.
type timeLimited struct {
	agent.Tool
	limit time.Duration
}

// Run implements agent.Tool.
func (l *timeLimited) Run(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
	exceeded := fmt.Errorf("%s was stopped after %s, its time limit: %w",
		l.Spec().Name, l.limit, context.DeadlineExceeded)
	ctx, cancel := context.WithTimeoutCause(ctx, l.limit, exceeded)
	defer cancel()
	out, err := l.Tool.Run(ctx, args)
	// The cause distinguishes this limit from a deadline of the caller.
	if err != nil && context.Cause(ctx) == exceeded {
		return nil, exceeded
	}
	return out, err
}
