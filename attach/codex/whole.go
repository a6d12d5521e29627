package codex

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"candor/attach/rows"
)

// WithArguments returns the payload of a hook before a command with all arguments of the call. Hooks leave some out,
// such as the folder in which the command runs, but the rollout has the call before it runs. A hook that asks whether a
// command may leave the sandbox does not name the call either; it gets the only running call that asked for this. Any
// other payload stays unchanged, as does a payload whose rollout cannot be read or lacks the call. open opens the file
// that the payload names.
func WithArguments(raw []byte, open func(path string) (io.ReadSeekCloser, error)) []byte {
	var p payload
	if json.Unmarshal(raw, &p) != nil || p.Tool != shell || p.File == "" ||
		p.Event != "PreToolUse" && p.Event != permissionRequestEvent {
		return raw
	}
	return rows.Complete(raw, p.File, open, func(file io.ReadSeeker) (added, bool) {
		found := p.callIn(file)
		return found, found.Call != ""
	})
}

// added is what [WithArguments] adds to a payload.
type added struct {
	Call      string          `json:"call,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// callIn returns the call that a payload is about as the rollout has it. Of several it is the last with the id, or
// where the payload has none there has to be just one that fits; else it is empty.
func (p *payload) callIn(file io.ReadSeeker) (found added) {
	ended, several := map[string]bool{}, false
	err := rows.Backward(file, func(line []byte) bool {
		// Most of a file are results, which are long to decode.
		if !bytes.Contains(line, []byte(`"function_call`)) {
			return true
		}
		var r row
		var item responseItem
		if json.Unmarshal(line, &r) != nil || r.Type != "response_item" || json.Unmarshal(r.Payload, &item) != nil {
			return true
		}
		asked := json.RawMessage(item.Arguments)
		switch {
		case item.Type == "function_call_output":
			ended[item.Call] = true
		case item.Type == "function_call" && !ended[item.Call] && json.Valid(asked) && p.fits(item.Call, asked):
			if found.Call == "" {
				found = added{item.Call, asked}
			}
			several = found.Call != item.Call
		}
		// What has the id is the call; without one another may fit as well.
		return !several && (found.Call == "" || p.Event != "PreToolUse")
	})
	if err != nil || several {
		return added{}
	}
	return found
}

// fits reports whether a payload may be about a call.
func (p *payload) fits(id string, arguments json.RawMessage) bool {
	if p.Event == "PreToolUse" {
		return id == p.Call
	}
	return p.escalates(arguments)
}

// networkAccess begins the description of a prompt about the network, which hooks tell of like a command's.
const networkAccess = "network-access "

// escalates reports whether a call with these arguments asks for what the payload does: to run the command of the
// payload outside of the sandbox, for the reason that the payload has. A reason that reads like the program's
// description of a prompt about the network is none, since the model could have such a prompt approved by it.
func (p *payload) escalates(arguments json.RawMessage) bool {
	var told struct {
		Command string `json:"command"`
		Why     string `json:"description"`
	}
	var asked struct {
		Command string `json:"cmd"`
		Why     string `json:"justification"`
		Sandbox string `json:"sandbox_permissions"`
	}
	return json.Unmarshal(p.Input, &told) == nil && json.Unmarshal(arguments, &asked) == nil &&
		told.Command == asked.Command && told.Why == asked.Why && told.Why != "" &&
		asked.Sandbox == "require_escalated" && !strings.HasPrefix(asked.Why, networkAccess)
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
