package opencode

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"candor/attach"
	"candor/attach/rows"
)

// refusals are the words with which the program says that a person or a rule refused a call, and ours.
var refusals = []string{"The user rejected permission", "The user has specified a rule which prevents", attach.Denied}

// aborted is what it says of a call that somebody stopped.
const aborted = "Tool execution aborted"

// detail is what is read of the metadata of a call.
type detail struct {
	// The session of the sub-agent that the call began, and its model.
	Session string `json:"sessionId"`
	Model   struct {
		ID string `json:"modelID"`
	} `json:"model"`
	// The output has the beginning or the end only; a file has the rest.
	Truncated bool `json:"truncated"`

	// Of a command, the status it ended with; of an edit, what it changed.
	Exit json.RawMessage `json:"exit"`
	Diff string          `json:"diff"`
}

// unknownTool is what the program keeps of a call of a tool that does not exist, as one of the tool invalid.
type unknownTool struct {
	Tool  string `json:"tool"`
	Error string `json:"error"`
}

// call returns a call, the sub-agent that it began, and how it ended, as far as the program knows.
func (t *taking) call(in *part, s attach.Sighting) []attach.Sighting {
	if in.Tool == "" {
		t.report.Malformed++
		return nil
	}
	t.calls = true
	if t.names == nil {
		t.names = &rows.Calls{}
	}
	in.CallID = t.names.Began(in.CallID, fmt.Sprintf("%s-%d", t.message.ID, s.Index))
	// Of a call that is pending the model has not said all of the parameters.
	if in.State.Status == "pending" {
		return nil
	}
	s.Call, s.At = in.CallID, in.State.Time.Start.time()
	if in.Tool == "invalid" {
		return t.unknown(in, s)
	}
	called, returned := s, s
	called.Called = t.called(in.Tool, in.State.Input)
	out := []attach.Sighting{called}
	// The metadata of a call that runs may already name the sub-agent.
	known, ok := detailOf(in.State.Metadata)
	if ok {
		out = append(out, begun(in, known, s)...)
	}
	returned.At = in.State.Time.End.time()
	switch in.State.Status {
	case "running":
		return out
	case "completed":
		returned.Returned = t.result(in, known)
	case "error":
		returned.Returned = t.failure(in)
	default:
		t.report.Skip("tool " + in.State.Status)
		return out
	}
	returned.Returned.Took = took(in)
	return append(out, returned)
}

// called returns a call with its parameters.
func (t *taking) called(tool string, input json.RawMessage) *attach.Called {
	name, _ := rows.Shorten(tool)
	params, cut := rows.BoundJSON(input, "")
	t.countCut(cut)
	return &attach.Called{Tool: name, Params: params}
}

// unknown returns a call of a tool that does not exist. Its parameters are not kept anywhere.
func (t *taking) unknown(in *part, s attach.Sighting) []attach.Sighting {
	var was unknownTool
	if json.Unmarshal(in.State.Input, &was) != nil || was.Tool == "" {
		t.report.Malformed++
		return nil
	}
	// The program tells the model what was wrong in the tool's result, with the status of one that succeeded.
	called, returned := s, s
	called.Called = t.called(was.Tool, nil)
	if in.State.Status == "running" {
		return []attach.Sighting{called}
	}
	text, cut := rows.Shorten(was.Error)
	t.countCut(cut)
	if text == "" {
		text = "there is no such tool"
	}
	returned.At = in.State.Time.End.time()
	returned.Returned = &attach.Returned{Error: text, Took: took(in)}
	return []attach.Sighting{called, returned}
}

// result returns what a call that ended well gave: its output, and beside it the status of a command or the change of
// an edit.
func (t *taking) result(in *part, known detail) *attach.Returned {
	output, cut := rows.Shorten(in.State.Output)
	t.countCut(cut)
	out := &attach.Returned{Partial: cut || known.Truncated}
	if len(in.State.Attachments) > 0 && string(in.State.Attachments) != "null" {
		t.report.Sealed += len(in.State.Attachments)
		out.Partial = true
	}
	if known.Truncated {
		t.report.Outside++
	}
	// Most tools keep beside the output what only their own view reads, often the output once more.
	var result any = output
	if len(known.Exit) > 0 || known.Diff != "" {
		result = struct {
			Output string          `json:"output"`
			Exit   json.RawMessage `json:"exitCode,omitempty"`
			Diff   string          `json:"diff,omitempty"`
		}{output, known.Exit, known.Diff}
	}
	raw, err := json.Marshal(result)
	if err != nil { // known.Exit was decoded, so that nothing fails
		raw = nil
	}
	out.Result, cut = rows.BoundJSON(raw, "")
	t.countCut(cut)
	out.Partial = out.Partial || cut
	return out
}

// failure returns how a call failed.
func (t *taking) failure(in *part) *attach.Returned {
	text, cut := rows.Shorten(in.State.Error)
	t.countCut(cut)
	if strings.TrimSpace(text) == "" {
		text = "it failed, and the program does not say how"
	}
	return &attach.Returned{Error: text, Partial: cut, Cancelled: text == aborted,
		Denied: slices.ContainsFunc(refusals, func(begin string) bool { return strings.HasPrefix(text, begin) })}
}

// begun returns the beginning of the sub-agent that a call began, if it began one. The program notes the session of the
// sub-agent as soon as there is one, while the call still runs.
func begun(in *part, known detail, s attach.Sighting) []attach.Sighting {
	if in.Tool != "task" || !rows.IsID(known.Session) {
		return nil
	}
	var params struct {
		Kind string `json:"subagent_type"`
	}
	_ = json.Unmarshal(in.State.Input, &params) // without a kind it is an agent like any other
	kind, _ := rows.Shorten(params.Kind)
	model, _ := rows.Shorten(known.Model.ID)
	s.Sub, s.Spawned = known.Session, &attach.Spawned{Kind: kind, Model: model}
	return []attach.Sighting{s}
}

// took returns how long a call ran; zero if that is not known. Both times are the program's, so that they can be
// subtracted.
func took(in *part) time.Duration {
	from, to := in.State.Time.Start.time(), in.State.Time.End.time()
	if from.IsZero() || !to.After(from) {
		return 0
	}
	return to.Sub(from)
}

// detailOf decodes what a tool keeps beside its output; ok is false if there is nothing that is known.
func detailOf(raw json.RawMessage) (d detail, ok bool) {
	if len(raw) == 0 || json.Unmarshal(raw, &d) != nil {
		return detail{}, false
	}
	return d, true
}
