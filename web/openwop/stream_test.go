package openwop_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// reading is how far a stream of events is read.
type reading struct {
	MaxMs, StopAfterEvents int
	ReadNothing            bool
	MaxMsVar               string
	Factor                 float64
}

// frame is one frame of a stream.
type frame struct{ id, event, data string }

// streams says whether the answer is a stream.
func (r reply) streams() bool {
	return strings.HasPrefix(r.header.Get("Content-Type"), "text/event-stream")
}

// events returns the events of an answer: its list of them, or what its frames hold.
func (r reply) events() ([]m, error) {
	members, _ := r.at("/events")
	list, _ := members.([]any)
	if r.streams() {
		for _, f := range r.frames {
			list = append(list, f.events()...)
		}
	}
	var all []m
	for _, member := range list {
		event, _ := member.(m)
		if _, ok := event["sequence"]; !ok && r.streams() {
			continue
		}
		if _, ok := number(event["sequence"]); !ok {
			return nil, fmt.Errorf("an event has no sequence: %v", member)
		}
		all = append(all, event)
	}
	return all, nil
}

// events returns what a frame holds: an event, or a list of them.
func (f frame) events() []any {
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(f.data))
	if err != nil {
		return nil
	}
	if list, ok := value.([]any); ok {
		return list
	}
	return []any{value}
}

// line is one of a stream, or why there are no more.
type line struct {
	text string
	err  error
}

// follow reads a stream until the host closes it, or for as long as the step says. What the step
// expects of the stream may come later than that on a slow machine, and is awaited.
func (p *player) follow(ctx context.Context, st step, body io.ReadCloser, a *reply) error {
	ms := st.Stream.MaxMs
	if st.Stream.MaxMsVar != "" {
		value, err := p.vars.need(st.Stream.MaxMsVar)
		n, ok := number(value)
		if err != nil || !ok {
			return fmt.Errorf("%s is no number of milliseconds", st.Stream.MaxMsVar)
		}
		ms = int(n * st.Stream.Factor)
	}
	if st.Stream.ReadNothing {
		_ = wait(ctx, ms) // its end is the case's
		return nil
	}
	lines := make(chan line)
	go readLines(body, lines)
	defer func() {
		_ = body.Close()
		for range lines { // until readLines has ended
		}
	}()
	return a.readFrames(lines, time.After(time.Duration(ms)*time.Millisecond), st)
}

// readLines reads lines until there are no more.
func readLines(from io.Reader, to chan<- line) {
	defer close(to)
	for r := bufio.NewReader(from); ; {
		text, err := r.ReadString('\n')
		to <- line{strings.TrimRight(text, "\r\n"), err}
		if err != nil {
			return
		}
	}
}

// readFrames reads the frames of a stream until it ends, or has what the step expects and over comes.
func (r *reply) readFrames(lines <-chan line, over <-chan time.Time, st step) error {
	passed := false
	for next := map[string][]string{}; ; {
		select {
		case <-over:
			passed = true
		case l := <-lines:
			if l.err != nil {
				r.closed = l.err == io.EOF
				return nil
			}
			if !utf8.ValidString(l.text) {
				return fmt.Errorf("a line is not UTF-8: %q", l.text)
			}
			next = r.take(l.text, next)
		}
		stop := st.Stream.StopAfterEvents
		if passed && r.has(st.Expect) || stop > 0 && len(r.frames) >= stop {
			return nil
		}
	}
}

// take takes a line of a stream, and returns the fields of the frame that it is in.
func (r *reply) take(text string, next map[string][]string) map[string][]string {
	field, value, _ := strings.Cut(text, ":")
	switch {
	case text == "":
		if data, ok := next["data"]; ok {
			event := last(next["event"], "message")
			r.frames = append(r.frames, frame{last(next["id"], ""), event, strings.Join(data, "\n")})
		}
		return map[string][]string{}
	case field == "":
		r.comments++
	default:
		next[field] = append(next[field], strings.TrimPrefix(value, " "))
	}
	return next
}

// has says whether a stream has as much as a step expects; then it need not be read on.
func (r *reply) has(expect any) bool {
	x, ok := valueAt(expect, "/sse")
	if !ok {
		x, _ = valueAt(expect, "/if200/sse")
	}
	raw, _ := json.Marshal(x)
	var want struct {
		Closes                bool
		Events                []string
		MinCount, MinComments int
	}
	_ = json.Unmarshal(raw, &want) // a variable is in none of these
	return !want.Closes && len(r.frames) >= want.MinCount && r.comments >= want.MinComments &&
		inOrder(want.Events, r.names())
}

// names returns those of the frames.
func (r *reply) names() []string {
	names := make([]string, len(r.frames))
	for i, f := range r.frames {
		names[i] = f.event
	}
	return names
}

// last returns the last of a list, or other if it is empty.
func last[T any](list []T, other T) T {
	if len(list) == 0 {
		return other
	}
	return list[len(list)-1]
}
