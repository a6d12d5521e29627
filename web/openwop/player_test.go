package openwop_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// patience is how long the player waits for what a case says will happen. It ends a case that
// would wait for ever; what a case passes by, it passes long before.
const patience = time.Minute

// playedCase is a case of testdata/cases: the steps of one client. It fails at the first step
// that does. Its Requires names parts that a host may lack; this one has them all.
type playedCase struct {
	Name, Group, Basis, Why, Note string
	Version                       int
	Requires                      []string
	Steps                         []step
}

// step is a request with what its answer has to be; or a wait, or the end of a step in the
// background.
type step struct {
	Wait                   int // milliseconds before it
	Method, Path           string
	Headers                map[string]*string // null: this header is not sent
	Body                   json.RawMessage
	RawBody, RawBodyBase64 *string
	BodyGen                *madeBody
	Expect                 any // an expectation, its variables not yet put in
	Save                   map[string]string
	Retry                  *retry
	Stream                 reading
	Background, Join       string
	Parallel               int
	Group                  together
	AbortAfterMs           int
	SkipIfUnset, Unset     []string
	SkipIf                 []condition
}

// retry repeats a step until it holds, or until its conditions do while it always holds.
type retry struct {
	MaxMs, EveryMs int
	Until          []condition
}

// together is what answers at the same time have to have in common.
type together struct {
	AtLeast                  map[string]int // by status, or 2xx
	SameIn2xx, DistinctIn2xx []string       // pointers
}

// player plays one case against a host.
type player struct {
	base       string
	version    int
	schemas    schemas
	vars       variables
	transport  http.RoundTripper
	background map[string]*behind
}

// behind is a step in the background.
type behind struct {
	begun, ended chan struct{}
	once         sync.Once
	err          error // once it ended
}

// play plays the steps. What is still in the background at their end is cut off, unchecked.
func (p *player) play(ctx context.Context, c playedCase) error {
	ctx, cut := context.WithCancel(ctx)
	defer func() {
		cut()
		for _, b := range p.background {
			<-b.ended
		}
	}()
	for i, st := range c.Steps {
		if err := p.step(ctx, st); err != nil {
			return fmt.Errorf("step %d %s %.80s: %w", i+1, st.Method, st.Path+st.Join, err)
		}
	}
	return nil
}

// step plays one step, unless it is to be skipped.
func (p *player) step(ctx context.Context, st step) error {
	if err := wait(ctx, st.Wait); err != nil {
		return err
	}
	if st.Join != "" {
		b := p.background[st.Join]
		<-b.ended
		return b.err
	}
	if st.Method == "" || p.skips(st) {
		return nil
	}
	if err := p.send(ctx, st); err != nil {
		return err
	}
	p.vars.unset(st.Unset)
	return nil
}

// skips says whether a variable is missing that the step needs, or a condition holds.
func (p *player) skips(st step) bool {
	missing := func(name string) bool { _, ok := p.vars.get(name); return !ok }
	return slices.ContainsFunc(st.SkipIfUnset, missing) || slices.ContainsFunc(st.SkipIf, p.vars.holds)
}

// send sends the request of a step in the way it says.
func (p *player) send(ctx context.Context, st step) error {
	switch {
	case st.Background != "":
		p.start(ctx, st)
		return nil
	case st.Parallel > 0:
		return p.sendTogether(ctx, st)
	case st.Retry != nil:
		return p.sendUntil(ctx, st)
	}
	_, err := p.exchange(ctx, st, &p.vars, nil)
	return err
}

// start starts a step in the background and awaits the beginning of its answer.
func (p *player) start(ctx context.Context, st step) {
	b := &behind{begun: make(chan struct{}), ended: make(chan struct{})}
	p.background[st.Background] = b
	begun := func() { b.once.Do(func() { close(b.begun) }) }
	go func() {
		defer close(b.ended)
		defer begun()
		_, b.err = p.exchange(ctx, st, &p.vars, begun)
	}()
	<-b.begun
}

// sendTogether sends a step's request several times at once. The variables are then those of the
// first that succeeded.
func (p *player) sendTogether(ctx context.Context, st step) error {
	p.vars.makeUUIDs(st)
	answers, errs := make([]reply, st.Parallel), make([]error, st.Parallel)
	vars := make([]variables, st.Parallel)
	var all sync.WaitGroup
	for i := range answers {
		vars[i].copy(&p.vars)
		all.Go(func() { answers[i], errs[i] = p.exchange(ctx, st, &vars[i], nil) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if i := slices.IndexFunc(answers, reply.succeeded); i >= 0 {
		p.vars.copy(&vars[i])
	}
	return st.Group.check(answers)
}

// check checks the answers to a group.
func (g together) check(answers []reply) error {
	var succeeded []reply
	have := map[string]int{}
	for _, a := range answers {
		have[fmt.Sprint(a.status)]++
		if a.succeeded() {
			succeeded = append(succeeded, a)
			have["2xx"]++
		}
	}
	for status, n := range g.AtLeast {
		if have[status] < n {
			return fmt.Errorf("%d of %s, want %d: %v", have[status], status, n, have)
		}
	}
	for _, pointer := range g.SameIn2xx {
		if n := distinct(succeeded, pointer); n > 1 {
			return fmt.Errorf("%s has %d values", pointer, n)
		}
	}
	for _, pointer := range g.DistinctIn2xx {
		if n := distinct(succeeded, pointer); n != len(succeeded) {
			return fmt.Errorf("%s has %d values in %d answers", pointer, n, len(succeeded))
		}
	}
	return nil
}

// distinct returns how many values the answers have at a pointer.
func distinct(answers []reply, pointer string) int {
	values := map[string]bool{}
	for _, a := range answers {
		v, ok := a.at(pointer)
		values[fmt.Sprint(ok, v)] = true
	}
	return len(values)
}

// sendUntil sends a step's request until it holds.
func (p *player) sendUntil(ctx context.Context, st step) error {
	for end := time.Now().Add(patience); ; {
		_, err := p.exchange(ctx, st, &p.vars, nil)
		unmet := func(c condition) bool { return !p.vars.holds(c) }
		switch {
		case err != nil && st.Retry.Until != nil:
			return err
		case err == nil && !slices.ContainsFunc(st.Retry.Until, unmet):
			return nil
		case time.Now().After(end):
			return fmt.Errorf("not reached in %s: %v %w", patience, st.Retry.Until, err)
		}
		if err := wait(ctx, st.Retry.EveryMs); err != nil {
			return err
		}
	}
}

// exchange sends a step's request once, and checks and saves its answer.
func (p *player) exchange(ctx context.Context, st step, vars *variables, begun func()) (reply, error) {
	r, err := p.request(st, vars)
	if err != nil {
		return reply{}, err
	}
	a, err := p.receive(ctx, r, st, begun)
	if err != nil || a.aborted {
		return a, err
	}
	want, err := vars.put(st.Expect)
	if err != nil {
		return a, err
	}
	x, err := decoded[expectation](want)
	if err != nil {
		return a, err
	}
	if err := p.check(a, x, vars); err != nil {
		return a, err
	}
	return a, vars.save(st, a)
}

// wait waits for as many milliseconds as a case asks for.
func wait(ctx context.Context, ms int) error {
	select {
	case <-time.After(time.Duration(ms) * time.Millisecond):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
