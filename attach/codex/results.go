package codex

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"candor/attach"
	"candor/attach/rows"
)

// maxCalls bounds the calls that are remembered of a rollout. What comes after them is understood less well: of a
// command in the background both the beginning and the end of its output are given.
const maxCalls = 4096

// maxRunning bounds what is kept of the output of a command that still runs, in bytes.
const maxRunning = 2 << 10

// call is what is remembered of a call.
type call struct {
	turn string
	// An event told how it ended, so that what the model read of it is a repetition.
	ended bool
	// An event told that it failed, but not how; or which sub-agent it began.
	failed, spawned bool
	// It is one that begins a sub-agent.
	delegates bool
	// The result of a command that still runs, which is given if the turn ends first.
	running string
}

// callTable has those of a rollout, by id.
type callTable map[string]*call

// began remembers a call.
func (c callTable) began(id, turn, tool string) {
	if len(c) < maxCalls {
		c[id] = &call{turn: turn, delegates: spawns(tool)}
	}
}

// of returns what is remembered of a call; of one that is not known it is nothing.
func (c callTable) of(id string) *call {
	if known := c[id]; known != nil {
		return known
	}
	return &call{}
}

// returned returns a sighting of a call's end, which belongs to the call's turn.
func (r *Reader) returned(in row, id string) attach.Sighting {
	s := r.sighting(in)
	if s.Turn = or(r.calls.of(id).turn, s.Turn); s.Turn == r.turn.root {
		r.turn.heard = s.At
	}
	s.Call, s.Returned = id, &attach.Returned{}
	return s
}

// told returns how a call ended, of the text that the model read.
func (r *Reader) told(in row, i *responseItem) []attach.Sighting {
	known := r.calls.of(i.Call)
	// The text is read before it is known whether it counts, so that what is cut or sealed in it is counted always.
	text, whole := r.text(i.Output)
	if known.ended {
		r.report.Skip("result that an event told")
		return nil
	}
	end := outcomeOf(text)
	if end.running {
		known.running = text[:min(len(text), maxRunning)]
		return nil
	}
	// What is left is how the call ended, in the program's own words or the tool's.
	s := r.returned(in, i.Call)
	s.Returned.Partial = !whole
	end.failed = end.failed || known.failed
	r.settle(&s, end, false)
	// Files that lack the event tell of a sub-agent in the result alone.
	return append(r.spawnedBy(in, i.Call, end.text), s)
}

// settle fills in how a call ended. outside says that the file has only a part of the result.
func (r *Reader) settle(s *attach.Sighting, end outcome, outside bool) {
	end.settle(s.Returned)
	if outside && s.Returned.Partial {
		r.report.Outside++
	}
}

// settle fills in how a call ended. An error is never partial.
func (o outcome) settle(to *attach.Returned) {
	// What stopped or refused a call counts before the code that it left behind.
	switch {
	case o.cancelled:
		to.Error, to.Cancelled = or(o.text, "it was stopped"), true
	case o.denied:
		to.Error, to.Denied = or(o.text, "it was refused"), true
	case o.code != 0 || o.failed:
		to.Error = or(o.text, "it failed, and the program does not say how")
		if o.code != 0 {
			to.Error = strings.TrimRight(fmt.Sprintf("Exit code %d\n%s", o.code, o.text), "\n")
		}
	default:
		to.Result, _ = json.Marshal(o.text) // of a string
		return
	}
	to.Error, _ = rows.Shorten(to.Error)
	to.Partial = false
}

// Returned derives how a call ended from the text that the model received, which may be cut. For a command that still
// runs, its output so far is a part of its result.
func Returned(text string, failed, cut bool) *attach.Returned {
	end := outcomeOf(text)
	end.failed = end.failed || failed
	to := &attach.Returned{Partial: cut || end.running}
	end.settle(to)
	return to
}

// outcome is how a call ended, as the text for the model says.
type outcome struct {
	text    string
	code    int
	running bool

	failed, denied, cancelled bool
}

// failures begin what the program tells the model of a call that it could not run.
var failures = []string{"unsupported call: ", "unsupported custom tool call: ", "failed to parse function arguments: ",
	"apply_patch verification failed: ", "unable to locate image at ", "exec_command failed for ",
	"execution error: ", "tool call error: "}

// refusals are what the program tells the model of a call that a person refused. A tool may have such words within a
// text of its own.
var refusals = []string{"rejected by user", "exec command rejected by user", "patch rejected by user",
	"user rejected MCP tool call"}

// outcomeOf reads the text that the model was told of a call. Commands have lines of the program's own before their
// output; older versions have a JSON object around it.
func outcomeOf(text string) outcome {
	var old struct {
		Output   *string `json:"output"`
		Metadata struct {
			ExitCode *int `json:"exit_code"`
		} `json:"metadata"`
	}
	if strings.HasPrefix(text, "{") && json.Unmarshal([]byte(text), &old) == nil && old.Output != nil &&
		old.Metadata.ExitCode != nil {
		return outcome{text: *old.Output, code: *old.Metadata.ExitCode}
	}
	if head, output, ok := strings.Cut(text, "Output:\n"); ok && isHead(head) {
		return outcomeOfCommand(head, output)
	}
	// Any other text is the tool's own. Only what the program is known to say is a failure.
	e := outcome{text: text}
	for _, begins := range failures {
		e.failed = e.failed || strings.HasPrefix(text, begins)
	}
	e.cancelled = strings.HasPrefix(text, "aborted by user") || text == "aborted"
	e.denied = slices.Contains(refusals, text) || e.failed && strings.Contains(text, "rejected by user")
	return e
}

// outcomeOfCommand reads the lines before the output of a command.
func outcomeOfCommand(head, output string) outcome {
	e := outcome{text: output, running: strings.Contains(head, "Process running with session ID ")}
	if e.code = codeIn(head, "Process exited with code "); e.code == 0 {
		e.code = codeIn(head, exitCode)
	}
	// A patch that was piped through the shell has both kinds of lines. Whatever a command writes, it failed if the
	// program says so.
	if inner, patch, ok := strings.Cut(output, "Output:\n"); ok && strings.HasPrefix(inner, exitCode) && e.code == 0 {
		e.text, e.code = patch, codeIn(inner, exitCode)
	}
	return e
}

// exitCode begins the line with the exit code of a patch, and in older versions of a command.
const exitCode = "Exit code: "

// codeIn returns the number behind a text in the lines before an output; 0, which is no failure, if there is none.
func codeIn(head, before string) (code int) {
	if _, after, ok := strings.Cut(head, before); ok {
		line, _, _ := strings.Cut(after, "\n")
		code, _ = strconv.Atoi(line)
	}
	return code
}

// isHead reports whether lines are those that the program writes before the output of a command.
func isHead(head string) bool {
	return strings.HasPrefix(head, "Chunk ID: ") || strings.HasPrefix(head, "Wall time: ") ||
		strings.HasPrefix(head, exitCode)
}

// text returns the text of a result, and whether it is all there is. What is not text, such as images, is dropped and
// counted.
func (r *Reader) text(output json.RawMessage) (text string, whole bool) {
	whole = true
	if output = bytes.TrimSpace(output); json.Unmarshal(output, &text) != nil {
		var list []part
		if json.Unmarshal(output, &list) != nil {
			r.report.Skip("result without text")
			return "", false
		}
		for _, p := range list {
			whole = whole && p.Text != ""
		}
		if text = joined(list); !whole {
			r.report.Sealed += len(output) - len(text)
		}
	}
	text, cut := rows.Shorten(text)
	r.countCut(cut)
	return text, whole && !cut
}

// unfinished returns the results of commands that still ran when the turn ended: what they had written until then.
func (r *Reader) unfinished(in row) (out []attach.Sighting) {
	// In the order of their ids, so that a file gives the same each time.
	for _, id := range slices.Sorted(maps.Keys(r.calls)) {
		c := r.calls[id]
		if c.running == "" || c.ended {
			continue
		}
		s := r.returned(in, id)
		s.Returned.Partial = true
		r.settle(&s, outcome{text: strings.ToValidUTF8(c.running, "")}, true)
		out = append(out, s)
		c.running = ""
	}
	return out
}
