package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// stopGrace is how long a tool may take to return once its turn has been stopped. A tool
// that takes longer, because it ignores its context or waits for the system, is left
// behind: an interrupt and the end of the process do not wait for it.
const stopGrace = 3 * time.Second

// errLeftBehind is wrapped by the error of a call whose tool did not stop in time.
var errLeftBehind = errors.New("the tool did not stop in time and was left behind")

// runTool runs a tool and returns its result, or stopGrace after the end of ctx an error
// that wraps errLeftBehind. The tool then ends in its own time, and its result is dropped.
// A panic becomes an error and affects no other call.
func runTool(ctx context.Context, t Tool, args json.RawMessage) (json.RawMessage, error) {
	var (
		result json.RawMessage
		err    error
		ended  = make(chan struct{})
	)
	go func() {
		defer close(ended)
		result, err = runRecovered(ctx, t, args)
	}()
	select {
	case <-ended:
		return result, err
	case <-ctx.Done():
	}
	grace := time.NewTimer(stopGrace)
	defer grace.Stop()
	select {
	case <-ended:
		return result, err
	case <-grace.C:
		return nil, fmt.Errorf("%w: %w", errLeftBehind, ctx.Err())
	}
}

// runRecovered runs a tool and returns an error for a panic.
func runRecovered(ctx context.Context, t Tool, args json.RawMessage) (result json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, fmt.Errorf("the tool panicked: %v", p)
		}
	}()
	return t.Run(ctx, args)
}
