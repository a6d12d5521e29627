package claude

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"candor/attach"
	"candor/attach/rows"
)

// interrupted is the message that the program writes when a person stops a turn, and not one that a person begins so.
var interrupted = regexp.MustCompile(`^\[Request interrupted by user[^\]\n]*\]$`)

// maxForeign bounds the calls of MCP servers' tools of which no result was read. The result of one behind them is read
// as that of a tool of the program's own.
const maxForeign = 4096

// isForeign reports whether a tool is one of an MCP server. What the server writes is no word of the program's: neither
// that a call began a sub-agent or was stopped, nor which part of a result is all of it.
func isForeign(tool string) bool { return strings.HasPrefix(tool, "mcp__") }

// notification begins the message by which the program tells the model of a sub-agent that ended.
const notification = "<task-notification>"

// originalFile is a member of an edit's result: the whole file as it was, which is no part of what the tool answered.
const originalFile = "originalFile"

// user returns the sightings of a row that is a person's message, a message of the program, or results of calls.
func (r *Reader) user(in *row) []attach.Sighting {
	list, ok := blocks(in.Message.Content)
	if !ok {
		r.report.Malformed++
		return nil
	}
	results := 0
	for i := range list {
		if list[i].Type == "tool_result" {
			results++
		}
	}
	if results == 0 {
		return r.prompt(in, list)
	}
	var out []attach.Sighting
	for i := range list {
		switch b := &list[i]; {
		case b.Type != "tool_result":
			r.report.Skip("block " + b.Type + " beside a result")
			continue
		default:
			b.ToolUseID = r.calls.Ended(b.ToolUseID)
		}
		switch b := &list[i]; {
		case !rows.IsID(b.ToolUseID):
			r.report.Malformed++
		case results == 1:
			out = append(out, r.result(in, b, in.ToolUseResult)...)
		default:
			out = append(out, r.result(in, b, nil)...)
		}
	}
	return out
}

// prompt returns the sighting of a message.
func (r *Reader) prompt(in *row, list []block) []attach.Sighting {
	text := r.joined(list)
	stopped := interrupted.MatchString(text)
	begins := in.AgentID == "" && !in.IsMeta && !in.IsCompactSummary && !stopped && text != ""
	command, ofClient := commandOf(text)
	if begins && in.PromptID == "" && (!ofClient || command != "") {
		r.turn = in.UUID // of a version that does not number prompts
	}
	s := r.sighting(in)
	switch {
	// The program writes this in the person's name when the person stops the turn; it begins none.
	case stopped:
		out := r.close()
		return append(out, r.ended(s, attach.Ended{Interrupted: true})...)
	case in.AgentID != "":
		// The parameters of the call have it.
		r.report.Skip("user task of a sub-agent")
		return nil
	case in.IsMeta, in.IsCompactSummary:
		r.report.Skip("user message of the program")
		return nil
	case text == "":
		r.report.Skip("user message without text")
		return nil
	case ofClient:
		r.report.Skip("user command of the client")
		r.command = nil // what it printed says that the client carried it out
		if command != "" {
			command, _ = rows.Shorten(command)
			s.Prompted = &attach.Prompted{Text: command}
			r.command = &s
		}
		return nil
	}
	r.command = nil
	text, cut := rows.Shorten(text)
	r.countCut(cut)
	s.Prompted = &attach.Prompted{Text: text, By: promptedBy(in.Origin.Kind, text)}
	return r.begin(s)
}

// promptedBy returns what wrote a message in the place of a person, or "".
func promptedBy(origin, text string) string {
	if origin == "" && strings.HasPrefix(text, notification) {
		return "task-notification"
	}
	if origin == "human" {
		return ""
	}
	return strings.TrimSpace(rows.PlainKind(origin))
}

// result returns the sightings of a call's result. kept is what the program keeps of it for itself, in the form in
// which hooks have it.
func (r *Reader) result(in *row, b *block, kept json.RawMessage) []attach.Sighting {
	s := r.sighting(in)
	s.Call, s.Returned = b.ToolUseID, &attach.Returned{}
	text, whole := r.text(b.Content)
	foreign := r.foreign[b.ToolUseID]
	delete(r.foreign, b.ToolUseID)
	if b.IsError || in.ToolDenialKind != "" {
		s.Returned.Error = text
		s.Returned.Denied = in.ToolDenialKind != "" ||
			isRefusal(text) && (!foreign || string(kept) == `"User rejected tool use"`)
		return []attach.Sighting{s}
	}
	s.Returned.Partial = !whole
	outside := !foreign && strings.HasPrefix(text, "<persisted-output>")
	// Hooks have the result as the program keeps it, so that is what both channels give. Failures, results of the calls
	// of sub-agents, and several results in one row have only the text that the model read.
	known, isObject := detailOf(kept, foreign)
	if isObject {
		var cut bool
		s.Returned.Result, cut = bounded(kept, foreign)
		outside = known.Persisted != ""
		s.Returned.Partial = outside || cut
		s.Returned.Cancelled = known.Interrupted
		r.countCut(cut)
	} else {
		s.Returned.Result, _ = json.Marshal(text) // of a string
		s.Returned.Partial = s.Returned.Partial || outside
	}
	if outside { // what is cut here is counted as that
		r.report.Outside++
	}
	return append(known.spawned(s), s)
}

// isRefusal reports whether a failure is a person's no, in the words of versions that do not mark it.
func isRefusal(text string) bool {
	return strings.HasPrefix(text, "The user doesn't want to proceed with this tool use")
}

// detail is what is read of the result that the program keeps for itself.
type detail struct {
	// The file with the whole result, if this is its beginning.
	Persisted string `json:"persistedOutputPath"`
	// A person stopped the call.
	Interrupted bool `json:"interrupted"`

	// The sub-agent that the call began, and whether it works in the background. Then its answer comes later, as a
	// message to the model that begins a turn or stands beside the results of other calls.
	AgentID   string `json:"agentId"`
	AgentType string `json:"agentType"`
	Model     string `json:"resolvedModel"`
	IsAsync   bool   `json:"isAsync"`
}

// bounded returns a result that the program keeps for itself, within bounds, and whether it was cut. Of a file that
// was read it is the text: what else the program keeps of it are the path, which the parameters have, and counts.
func bounded(kept json.RawMessage, foreign bool) (result json.RawMessage, cut bool) {
	if foreign {
		return rows.BoundJSON(kept, "")
	}
	var read struct {
		Type string `json:"type"`
		File struct {
			Content *string `json:"content"`
		} `json:"file"`
	}
	if json.Unmarshal(kept, &read) == nil && read.Type == "text" && read.File.Content != nil {
		kept, _ = json.Marshal(*read.File.Content) // of a string
	}
	return rows.BoundJSON(kept, originalFile)
}

// detailOf decodes the result that the program keeps for itself; isObject is false if it is none that is kept so. That
// of a foreign tool tells nothing.
func detailOf(raw json.RawMessage, foreign bool) (d detail, isObject bool) {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || raw[0] != '{' {
		return detail{}, false
	}
	if foreign || json.Unmarshal(raw, &d) != nil {
		return detail{}, true // members of a tool that only happen to have these names
	}
	return d, true
}

// spawned returns the beginning of the sub-agent that the call of a result began, if it began one.
func (d detail) spawned(s attach.Sighting) []attach.Sighting {
	if !rows.IsID(d.AgentID) {
		return nil
	}
	kind, _ := rows.Shorten(d.AgentType)
	model, _ := rows.Shorten(d.Model)
	s.Sub, s.Returned = d.AgentID, nil
	s.Spawned = &attach.Spawned{Kind: kind, Model: model, Background: d.IsAsync}
	return []attach.Sighting{s}
}

// text returns the text of a result, and whether it is all there is. What is not text, such as images, is dropped
// and counted.
func (r *Reader) text(content json.RawMessage) (text string, whole bool) {
	list, ok := blocks(content)
	if !ok {
		r.report.Skip("result without text")
		return "", len(content) == 0 || string(content) == "null"
	}
	whole = true
	for i := range list {
		if list[i].Type != "text" {
			r.report.Skip("block " + list[i].Type + " in a result")
			whole = false
		}
	}
	if !whole {
		r.report.Sealed += len(content)
	}
	text, cut := rows.Shorten(r.joined(list))
	r.countCut(cut)
	return text, whole && !cut
}

// joined returns the texts among blocks.
func (r *Reader) joined(list []block) string {
	var texts []string
	for i := range list {
		if list[i].Type == "text" && list[i].Text != "" {
			texts = append(texts, list[i].Text)
		}
	}
	return strings.Join(texts, "\n")
}
