package script

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"candor/agent"
)

// The bounds of a script: its size, and a delay in it.
const (
	maxBytes = 8 << 20
	maxDelay = 10 * time.Minute
)

// file is the outermost object. Steps, tools and agents stay raw, so that an error in
// one of them can name it.
type file struct {
	Steps  []json.RawMessage          `json:"steps"`
	Turns  []turnFile                 `json:"turns"`
	Tools  map[string]json.RawMessage `json:"tools"`
	Deny   []string                   `json:"deny"`
	Agents map[string]json.RawMessage `json:"agents"`
}

// turnFile is a turn with steps of its own.
type turnFile struct {
	Message string            `json:"message"`
	Steps   []json.RawMessage `json:"steps"`
}

// step is one answer of the model. Exactly one of Calls, Text and Error is set.
type step struct {
	Narrative string     `json:"narrative"`
	Calls     []toolCall `json:"tool_calls"`
	Text      *string    `json:"text"`
	Error     *string    `json:"error"`
	DelayMS   int64      `json:"delay_ms"`
	Pieces    []int      `json:"pieces"`   // how many bytes of the text come at a time, the last for all the rest
	PieceMS   int64      `json:"piece_ms"` // how long each piece takes to come
	Sealed    int        `json:"sealed_bytes"`
	Summary   string     `json:"summary"` // of the reasoning, by the provider
	Stop      string     `json:"stop"`    // why the model stopped, in the word of any provider
}

// toolCall is a call that a step makes. Arguments may be any JSON, since models write
// wrong ones, too; none means an empty object.
type toolCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Rationale string          `json:"rationale"`
	Before    string          `json:"before"` // the end of the narrative, which stands before this call
}

// outcome is what a tool does when it is called. Exactly one of Result, Error and Panic
// is set; a result of null is one.
type outcome struct {
	Result  json.RawMessage `json:"result"`
	Error   *string         `json:"error"`
	Panic   *string         `json:"panic"`
	DelayMS int64           `json:"delay_ms"`

	Approval string         `json:"approval"`
	mode     agent.Approval // Approval, parsed
}

// Load reads a script of at most 8 MiB and checks it. Its errors name the line, the step
// or the tool that is wrong.
func Load(r io.Reader) (*Script, error) {
	raw, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("script: %w", err)
	}
	if len(raw) > maxBytes {
		return nil, fmt.Errorf("script: it is larger than %d bytes", maxBytes)
	}
	s, err := parse(filledIn(raw))
	if err != nil {
		return nil, fmt.Errorf("script: %w", err)
	}
	return s, nil
}

// parse decodes a script and those of its sub-agents.
func parse(raw []byte) (*Script, error) {
	var f file
	err := decodeStrictly(raw, &f)
	if err != nil {
		return nil, err
	}
	s := &Script{denied: f.Deny, turns: make(map[string][]step, len(f.Turns)),
		agents: make(map[string]*Script, len(f.Agents))}
	if s.steps, err = readSteps(f.Steps); err != nil {
		return nil, err
	}
	for _, t := range f.Turns {
		if s.turns[t.Message], err = readSteps(t.Steps); err != nil {
			return nil, fmt.Errorf("turn %q: %w", t.Message, err)
		}
	}
	if s.tools, err = readTools(f.Tools); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(f.Agents)) {
		if s.agents[name], err = parse(f.Agents[name]); err != nil {
			return nil, fmt.Errorf("agent %q: %w", name, err)
		}
	}
	return s, nil
}

// decodeStrictly decodes exactly one value. Unknown members are errors: a script is
// written by hand, and a typing error has to be noticed.
func decodeStrictly(raw []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return explain(err, raw)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows after its end")
	}
	return nil
}

// explain turns a decoding error into one that the author of a script can use.
func explain(err error, raw []byte) error {
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		line := 1 + bytes.Count(raw[:min(int(e.Offset), len(raw))], []byte("\n"))
		return fmt.Errorf("line %d is not JSON: %w", line, e)
	}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%s cannot be %s", cmp.Or(e.Field, "it"), e.Value)
	}
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("it is empty")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it ends in the middle")
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// readSteps decodes and checks the steps. Each but the last has to call tools, or the
// turn would end before the others.
func readSteps(raw []json.RawMessage) ([]step, error) {
	if len(raw) == 0 {
		return nil, errors.New("it has no steps")
	}
	steps := make([]step, len(raw))
	for i := range raw {
		err := decodeStrictly(raw[i], &steps[i])
		if err == nil {
			err = steps[i].check()
		}
		if err == nil && i > 0 && len(steps[i-1].Calls) == 0 && steps[i-1].Stop != "pause_turn" {
			err = fmt.Errorf("it is never reached: step %d ends the turn", i)
		}
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return steps, nil
}

// check reports a step that does nothing, or more than one thing, and fills in the
// arguments that calls leave out.
func (s *step) check() error {
	kinds := 0
	for _, is := range []bool{len(s.Calls) > 0, s.Text != nil, s.Error != nil} {
		if is {
			kinds++
		}
	}
	switch {
	case kinds != 1:
		return errors.New("it needs exactly one of tool_calls, text and error")
	case s.Narrative != "" && len(s.Calls) == 0:
		return errors.New("a narrative stands before tool_calls; an answer goes into text")
	}
	for i := range s.Calls {
		c := &s.Calls[i]
		if c.Name == "" {
			return fmt.Errorf("call %d has no name", i+1)
		}
		if c.Arguments == nil {
			c.Arguments = json.RawMessage("{}")
		}
	}
	for _, n := range s.Pieces {
		if n < 1 {
			return fmt.Errorf("pieces has %d; a piece has at least one byte", n)
		}
	}
	if s.Sealed < 0 {
		return fmt.Errorf("sealed_bytes is %d; it is a number of bytes", s.Sealed)
	}
	return errors.Join(checkDelay("delay_ms", s.DelayMS), checkDelay("piece_ms", s.PieceMS))
}

func checkDelay(name string, ms int64) error {
	if ms < 0 || ms > maxDelay.Milliseconds() {
		return fmt.Errorf("%s is %d; it goes from 0 to %d", name, ms, maxDelay.Milliseconds())
	}
	return nil
}

// readTools decodes and checks the tools, in the order of their names.
func readTools(raw map[string]json.RawMessage) ([]agent.Tool, error) {
	tools := make([]agent.Tool, 0, len(raw))
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		t := &scripted{name: name}
		err := decodeStrictly(raw[name], &t.outcome)
		if err == nil {
			err = t.outcome.check()
		}
		if err == nil && name == "" {
			err = errors.New("it has no name")
		}
		if err != nil {
			return nil, fmt.Errorf("tool %q: %w", name, err)
		}
		tools = append(tools, t)
	}
	return tools, nil
}

// check reports a tool that has no outcome, or several, and parses its approval.
func (o *outcome) check() (err error) {
	if o.Approval != "" {
		if o.mode, err = agent.ParseApproval(o.Approval); err != nil {
			return fmt.Errorf("approval: %w", err)
		}
	}
	kinds := 0
	for _, is := range []bool{o.Result != nil, o.Error != nil, o.Panic != nil} {
		if is {
			kinds++
		}
	}
	if kinds != 1 {
		return errors.New("it needs exactly one of result, error and panic")
	}
	return checkDelay("delay_ms", o.DelayMS)
}
