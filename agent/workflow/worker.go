package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"candor/agent"
	"candor/safety"
	"candor/session/pause"
)

// worker is what the nodes of a type do. Its exported fields are the node's config.
type worker interface {
	// check reports a config that is wrong, when the definition is read.
	check() error
	// run does the node's work and returns its outputs, null if there are none.
	run(context.Context, *site) (safety.JSON, error)
}

// site is where a node does its work: one run of its workflow.
type site struct {
	dispatcher *agent.Dispatcher
	layer      *safety.Layer // with the session's memory
	rec        agent.Recorder
	inputs     safety.JSON
}

// noop does nothing.
type noop struct{}

func (*noop) check() error { return nil }

func (*noop) run(context.Context, *site) (safety.JSON, error) { return safety.JSON{}, nil }

// identity returns the run's inputs.
type identity struct{}

func (*identity) check() error { return nil }

func (*identity) run(_ context.Context, s *site) (safety.JSON, error) { return s.inputs, nil }

// delay waits for so many milliseconds, unless the run's inputs say another number.
type delay struct {
	MS *float64 `json:"delayMs"`
}

// maxDelay bounds how many milliseconds a node waits.
const maxDelay = 60_000

func (d *delay) check() error {
	if d.MS == nil || !(*d.MS >= 0 && *d.MS <= maxDelay) {
		return fmt.Errorf("delayMs has to be a number from 0 to %d", maxDelay)
	}
	return nil
}

func (d *delay) run(ctx context.Context, s *site) (safety.JSON, error) {
	in := delay{MS: new(*d.MS)}
	if err := json.Unmarshal(s.inputs.Raw(), &in); err != nil {
		return safety.JSON{}, fmt.Errorf("inputs: %w", err)
	}
	if err := in.check(); err != nil {
		return safety.JSON{}, fmt.Errorf("inputs: %w", err)
	}
	return safety.JSON{}, pause.For(ctx, time.Duration(*in.MS*float64(time.Millisecond)))
}

// failure fails.
type failure struct {
	Message string `json:"message"`
}

func (f *failure) check() error {
	if f.Message == "" {
		return errors.New("it has no message, which says how the node fails")
	}
	return nil
}

func (f *failure) run(context.Context, *site) (safety.JSON, error) {
	return safety.JSON{}, errors.New(f.Message)
}

// reducer folds messages: those of its config, then those of the run's inputs.
type reducer struct {
	Messages json.RawMessage `json:"messages"`
}

func (r *reducer) check() error {
	if r.Messages == nil {
		return nil
	}
	_, err := decodeMessages(r.Messages)
	return err
}

func (r *reducer) run(_ context.Context, s *site) (safety.JSON, error) {
	var in struct {
		Messages json.RawMessage `json:"messages"`
	}
	if err := json.Unmarshal(s.inputs.Raw(), &in); err != nil {
		return safety.JSON{}, fmt.Errorf("inputs: %w", err)
	}
	folded := []Message{}
	for _, raw := range []json.RawMessage{r.Messages, in.Messages} {
		if raw == nil {
			continue
		}
		list, err := decodeMessages(raw)
		if err != nil {
			return safety.JSON{}, err
		}
		for _, m := range list {
			folded = Apply(folded, m)
		}
	}
	out, err := json.Marshal(map[string][]Message{"messages": folded})
	if err != nil {
		return safety.JSON{}, err
	}
	cleaned, _ := s.layer.CleanJSON(out)
	return cleaned, nil
}
