package gemini

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"candor/attach"
	"candor/attach/rows"
)

// takeCall gives a call and how it ended, as far as that was not given yet; alone says that no other call is in the
// answer.
func (r *Reader) takeCall(s attach.Sighting, c *call, alone bool) {
	if c.Name == "" {
		r.report.Malformed++
		return
	}
	c.ID = r.names.Began(c.ID, fmt.Sprintf("%s%s-%d", r.sub, s.Group, s.Index))
	s.Call = c.ID
	returned, known := r.last.called[c.ID]
	if !known {
		one := s
		var cut bool
		one.Called, cut = calledOf(c.Name, c.Args)
		r.countCut(cut)
		r.give(one)
	}
	if !returned {
		returned = r.ended(s, c, alone)
	}
	r.last.called[c.ID] = returned
}

// calledOf returns a call with its parameters, and whether they were cut. Equal parameters are the same bytes, since
// calls of hooks are found in the file by them.
func calledOf(tool string, args json.RawMessage) (c *attach.Called, cut bool) {
	name, _ := rows.Shorten(tool)
	params, cut := rows.BoundJSON(canonical(args), "")
	return &attach.Called{Tool: name, Params: params}, cut
}

// canonical returns a value in the form in which equal values are equal bytes.
func canonical(raw json.RawMessage) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var value any
	if d.Decode(&value) != nil {
		return raw // there is none
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(value) // of a decoded value
	return bytes.TrimSpace(b.Bytes())
}

// ended gives how a call ended. It returns false if the call has not ended.
func (r *Reader) ended(s attach.Sighting, c *call, alone bool) bool {
	if c.Status != "success" && c.Status != "error" && c.Status != "cancelled" {
		return false
	}
	list, ok := parts(c.Result)
	if !ok {
		r.report.Malformed++
		return true
	}
	s.Index, s.At = 0, rows.Time(c.Time)
	if !alone {
		s.At = rows.Time("") // the end of the last call of the answer
	}
	// What the model was told counts. What the person was shown is often shorter, or empty.
	output, failure := outcome(list)
	r.report.Sealed += inline(list)
	ret := &attach.Returned{Partial: inline(list) > 0}
	if c.Status == "success" {
		var cut bool
		ret.Result, cut = resultOf(output, c.Display)
		ret.Partial = ret.Partial || cut
		r.countCut(cut)
	} else {
		var cut bool
		ret.Error, cut = rows.Shorten(firstOf(failure, output, "it failed, and the program does not say how"))
		r.countCut(cut)
		ret.Denied = isRefusal(ret.Error)
		ret.Cancelled = c.Status == "cancelled" && !ret.Denied
	}
	r.spawned(s, c, output)
	s.Returned = ret
	r.give(s)
	return true
}

// outcome returns what the model was told of a call: its output, and its failure.
func outcome(list []part) (output, failure string) {
	for _, p := range list {
		if p.Response == nil {
			output += p.Text
			continue
		}
		output += plain(p.Response.Response.Output)
		failure += plain(p.Response.Response.Error)
	}
	return output, failure
}

// plain returns a text, or any other value as JSON.
func plain(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// resultOf returns the result of a call, and whether it was cut: what the model was told, and beside it what the person
// was shown if that is how a file was changed.
func resultOf(output string, display json.RawMessage) (result json.RawMessage, cut bool) {
	text, cut := rows.Shorten(output)
	if !bytes.Contains(display, []byte(`"fileDiff"`)) || display[0] != '{' {
		result, _ = json.Marshal(text) // of a string
		return result, cut
	}
	// The files as they were and are would be the largest part of it, and are no result.
	var shown struct {
		Diff string `json:"fileDiff"`
		File string `json:"filePath"`
	}
	_ = json.Unmarshal(display, &shown) // members of other types are left out
	diff, cutDiff := rows.Shorten(shown.Diff)
	file, _ := rows.Shorten(shown.File)
	result, _ = json.Marshal(map[string]string{"output": text, "fileDiff": diff, "filePath": file})
	bounded, cutAll := rows.BoundJSON(result, "")
	return bounded, cut || cutDiff || cutAll
}

// refusals begin what the program says of a call that a person or a rule refused. A tool may have such words within a
// failure of its own.
var refusals = []string{"[Operation Cancelled] Reason: User denied execution", "User denied execution",
	"Tool execution denied by policy"}

// isRefusal reports whether a failure says that a person or a rule refused the call.
func isRefusal(text string) bool {
	return slices.ContainsFunc(refusals, func(begin string) bool { return strings.HasPrefix(text, begin) })
}

// firstOf returns the first text that is not blank.
func firstOf(texts ...string) string {
	for _, text := range texts {
		if strings.TrimSpace(text) != "" {
			return text
		}
	}
	return ""
}
