package claude

import (
	"encoding/json"
	"strings"

	"candor/attach"
	"candor/attach/rows"
)

// synthetic is the model of answers that the program wrote itself, such as the news of an error.
const synthetic = "<synthetic>"

// answer is the message of the model whose rows are being read.
type answer struct {
	// The last of its sightings, whose Group is the message's id.
	last attach.Sighting
	// The largest usage that its rows had.
	used attach.Used
	// Its texts, if it is the turn's answer.
	final []string
}

// assistant returns the sightings of a row of the model, and what the answer before it came to.
func (r *Reader) assistant(in *row) []attach.Sighting {
	if in.IsAPIError || in.Message.Model == synthetic {
		return r.failed(in)
	}
	list, ok := blocks(in.Message.Content)
	if !ok {
		r.report.Malformed++
		return nil
	}
	// Results may stand between the rows of an answer, since calls begin before the answer is whole. So an answer is
	// over when another one begins, and not when its rows are interrupted.
	var out []attach.Sighting
	if in.Message.ID != r.answer.last.Group {
		out = r.close()
	}
	s := r.sighting(in)
	s.Group, s.Index = in.Message.ID, in.BlockIndex
	for i := range list {
		if one, ok := r.part(&list[i], s, in.Message.StopReason == "end_turn"); ok {
			out = append(out, one)
		}
		s.Index++
	}
	r.answer.last = s
	r.answer.count(in.Message.Usage)
	return out
}

// failed returns the end of a turn that failed, if a row that the program wrote says so.
func (r *Reader) failed(in *row) []attach.Sighting {
	if !in.IsAPIError {
		r.report.Skip("assistant synthetic")
		return nil
	}
	s := r.sighting(in)
	text, _ := r.text(in.Message.Content)
	s.Ended = &attach.Ended{Error: text}
	r.answer.final = nil
	return append(r.close(), s)
}

// part returns the sighting of a block of an answer; ok is false if it has none.
func (r *Reader) part(b *block, s attach.Sighting, final bool) (one attach.Sighting, ok bool) {
	switch b.Type {
	case "text":
		text, cut := rows.Shorten(b.Text)
		r.countCut(cut)
		if final {
			r.answer.final = append(r.answer.final, text)
		}
		s.Said = &attach.Said{Text: text, Final: final}
		return s, text != ""
	case "thinking", "redacted_thinking":
		// What is sealed stops here: nobody can read it, and the rules of safety would spend seconds on it.
		r.report.Sealed += len(b.Signature) + len(b.Redacted)
		text, cut := rows.Shorten(b.Thinking)
		r.countCut(cut)
		if text != "" {
			s.Said = &attach.Said{Text: text, Summary: true}
		} else {
			s.Sealed = &attach.Sealed{Bytes: len(b.Signature) + len(b.Redacted)}
		}
		return s, true
	case "tool_use":
		if !rows.IsID(b.ID) || b.Name == "" {
			r.report.Malformed++
			return s, false
		}
		called, cut := calledOf(b.Name, b.Input)
		r.countCut(cut)
		s.Call, s.Called = b.ID, called
		if isForeign(b.Name) && len(r.foreign) < maxForeign {
			r.foreign[b.ID] = true
		}
		return s, true
	}
	r.report.Skip("block " + b.Type)
	return s, false
}

// calledOf returns a call with its parameters, and whether they were cut.
func calledOf(tool string, input json.RawMessage) (c *attach.Called, cut bool) {
	name, _ := rows.Shorten(tool)
	params, cut := rows.BoundJSON(input, "")
	return &attach.Called{Tool: name, Params: params}, cut
}

// count takes the largest usage that the rows of an answer have.
func (a *answer) count(u *usage) {
	if u == nil || u.Output < a.used.Output || min(u.Input, u.Written, u.Cached, u.Output, u.Details.Thinking) < 0 {
		return
	}
	a.used = attach.Used{Input: u.Input + u.Written + u.Cached, Output: u.Output, Cached: u.Cached,
		Reasoning: u.Details.Thinking}
}

// close returns what an answer came to, once all of its rows were read: its usage, and the end of the turn if it
// was the last one.
func (r *Reader) close() (out []attach.Sighting) {
	a := r.answer
	r.answer = answer{}
	s := a.last
	s.Index = 0
	if a.used != (attach.Used{}) && s.Group != "" {
		one := s
		one.Used = &a.used
		out = append(out, one)
	}
	if len(a.final) > 0 {
		text, cut := rows.Shorten(strings.Join(a.final, "\n\n"))
		r.countCut(cut)
		s.Ended = &attach.Ended{Answer: text}
		out = append(out, s)
	}
	return out
}
