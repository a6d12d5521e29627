package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"candor/agent"
)

// Timeout is t with at most d for each run. A run that takes longer fails with
// an error that names the tool and d and wraps context.DeadlineExceeded. The
// limit works through the context, so it is as prompt as t is in heeding it; a
// result that t gives all the same counts.
func Timeout(t agent.Tool, d time.Duration) agent.Tool {
	return &limited{Tool: t, after: d}
}

type limited struct {
	agent.Tool
	after time.Duration
}

func (l *limited) Run(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
	late := fmt.Errorf("%s was stopped after %s, its time limit: %w",
		l.Spec().Name, l.after, context.DeadlineExceeded)
	ctx, cancel := context.WithTimeoutCause(ctx, l.after, late)
	defer cancel()
	out, err := l.Tool.Run(ctx, args)
	// The cause tells our limit from one that was set further out.
	if err != nil && context.Cause(ctx) == late {
		return nil, late
	}
	return out, err
}
