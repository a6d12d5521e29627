package codex

import (
	"bytes"
	"encoding/json"
	"io"

	"candor/attach/rows"
)

// maxTail bounds the end of a rollout in which a call is looked for, in bytes.
const maxTail = 64 << 20

// WithArguments returns the payload of a hook before a command with all arguments of the call, of which hooks leave out
// such as the folder in which the command runs: the rollout has the call before it runs. A payload of something else,
// or whose rollout cannot be read or does not have the call, stays as it is. open opens the file that the payload
// names.
func WithArguments(raw []byte, open func(path string) (io.ReadSeekCloser, error)) []byte {
	var p payload
	if json.Unmarshal(raw, &p) != nil || p.Event != "PreToolUse" || p.Tool != shell || p.File == "" {
		return raw
	}
	in, err := open(p.File)
	if err != nil {
		return raw
	}
	defer in.Close()
	if size, err := in.Seek(0, io.SeekEnd); err != nil {
		return raw
	} else if _, err := in.Seek(max(0, size-maxTail), io.SeekStart); err != nil {
		return raw
	}
	arguments, ok := argumentsOf(p.Call, in)
	if !ok {
		return raw
	}
	var all map[string]json.RawMessage
	_ = json.Unmarshal(raw, &all) // it was an object above
	all["candor"], _ = json.Marshal(added{arguments})
	more, err := json.Marshal(all)
	if err != nil {
		return raw
	}
	return more
}

// added is what [WithArguments] adds to a payload.
type added struct {
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// argumentsOf returns the arguments of a call as the rollout has them, or the end of one: those of the last call of
// that id.
func argumentsOf(id string, in io.Reader) (arguments json.RawMessage, ok bool) {
	var place rows.Place
	_, err := place.Each(in, func(line []byte, _ bool) bool {
		if !bytes.Contains(line, []byte(id)) {
			return true
		}
		var r row
		var item responseItem
		if json.Unmarshal(line, &r) != nil || r.Type != "response_item" || json.Unmarshal(r.Payload, &item) != nil ||
			item.Type != "function_call" || item.Call != id {
			return true
		}
		if ok = json.Valid([]byte(item.Arguments)); ok {
			arguments = json.RawMessage(item.Arguments)
		}
		return true
	})
	return arguments, ok && err == nil
}

// arguments returns what a call runs with, as far as it is known to be all. Of a command that needs the rollout's
// word, which has to be about the same command.
func (p *payload) arguments() json.RawMessage {
	if p.Tool != shell {
		return p.Input
	}
	var told struct {
		Command string `json:"command"`
	}
	var asked struct {
		Command *string `json:"cmd"`
	}
	if json.Unmarshal(p.Input, &told) != nil || json.Unmarshal(p.Added.Arguments, &asked) != nil ||
		asked.Command != nil && *asked.Command != told.Command {
		return nil
	}
	return p.Added.Arguments
}
