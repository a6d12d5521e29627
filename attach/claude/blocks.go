package claude

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"candor/attach"
	"candor/attach/rows"
)

// synthetic is the model of answers that the program wrote itself, such as the news of an error.
const synthetic = "<synthetic>"

// answer is the message of the model whose rows are being read.
type answer struct {
	// The id of the message, and the last of its sightings, whose Group is that id unless another answer has it.
	id   string
	last attach.Sighting
	// A person's message or the result of a call stands behind its last row.
	between bool
	// The largest usage that its rows had.
	used attach.Used
	// Its texts, whether it asked for calls, and why the model ended it, in the word of the provider. lost says that a
	// row was lost since it began.
	texts       []string
	calls, lost bool
	stop        string
}

// goOn are the words of the provider for an answer behind which the model goes on; any other word ends the turn.
var goOn = []string{"", callsTools, "pause_turn"}

// ends reports whether the model said with the answer that the turn is over.
func (a *answer) ends() bool { return !slices.Contains(goOn, a.stop) }

// isNext reports whether a row of the model begins another answer. Some providers give all answers one id, or none.
// Results may stand between the rows of one answer, since calls begin before it is whole; then the places of its blocks
// go on.
func (a *answer) isNext(in *row) bool {
	if a.last.Group == "" || a.id != in.Message.ID {
		return true
	}
	return a.between && (in.BlockIndex == nil || *in.BlockIndex < a.last.Index)
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
	s := r.sighting(in)
	if a := &r.answer; a.isNext(in) {
		s.Group = r.groupOf(in)
		out = r.close()
	} else {
		s.Group, s.Index = a.last.Group, a.last.Index
	}
	if in.BlockIndex != nil {
		s.Index = *in.BlockIndex
	}
	r.answer.id, r.answer.between = in.Message.ID, false
	r.answer.stop = cmp.Or(in.Message.StopReason, r.answer.stop)
	for i := range list {
		if one, ok := r.part(&list[i], s); ok {
			out = append(out, one)
		}
		s.Index++
	}
	r.answer.last = s
	r.answer.count(in.Message.Usage)
	r.touch(s)
	return out
}

// groupOf returns the id of the answer that a row begins: the message's, or that of the row where another answer had it
// or there is none.
func (r *Reader) groupOf(in *row) string {
	if in.Message.ID != "" && in.Message.ID != r.answer.id {
		return in.Message.ID
	}
	return cmp.Or(in.UUID, fmt.Sprintf("answer-%d", r.report.Rows))
}

// failed returns the end of a turn that failed, if a row that the program wrote says so.
func (r *Reader) failed(in *row) []attach.Sighting {
	if !in.IsAPIError {
		r.report.Skip("assistant synthetic")
		return nil
	}
	text, _ := r.text(in.Message.Content)
	r.answer.stop = ""
	out := r.close()
	return append(out, r.ended(r.sighting(in), attach.Ended{Error: text})...)
}

// part returns the sighting of a block of an answer; ok is false if it has none.
func (r *Reader) part(b *block, s attach.Sighting) (one attach.Sighting, ok bool) {
	switch b.Type {
	case "text":
		text, cut := rows.Shorten(b.Text)
		r.countCut(cut)
		if text == "" {
			return s, false
		}
		r.answer.texts = append(r.answer.texts, text)
		s.Said = &attach.Said{Text: text, Final: r.answer.ends()}
		return s, true
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
		if b.Name == "" {
			r.report.Malformed++
			return s, false
		}
		called, cut := calledOf(b.Name, b.Input)
		r.countCut(cut)
		s.Call, s.Called = r.calls.Began(b.ID, fmt.Sprintf("%s-%d", s.Group, s.Index)), called
		if isForeign(b.Name) && len(r.foreign) < maxForeign {
			r.foreign[s.Call] = true
		}
		r.answer.calls = true
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

// comesTo returns what an answer came to, once all of its rows were read: its usage, and the end of the turn if it was
// the last one.
func (a *answer) comesTo() (out []attach.Sighting) {
	s := a.last
	s.Index = 0
	if a.used != (attach.Used{}) && s.Group != "" {
		one := s
		one.Used = &a.used
		out = append(out, one)
	}
	if a.stop != "" && s.Group != "" && !a.usual() {
		one := s
		one.Stopped = &attach.Stopped{Reason: a.stop}
		out = append(out, one)
	}
	if a.ends() {
		s.Ended = a.end()
		out = append(out, s)
	}
	return out
}

// callsTools is the word of the provider for an answer that asks for calls.
const callsTools = "tool_use"

// usual reports whether the model ended the answer as models do: it was done, or asked for calls.
func (a *answer) usual() bool {
	return a.stop == callsTools || a.stop == "end_turn" || a.stop == "stop_sequence"
}

// end returns how the turn ended with the answer. What a refusal has of a text is no answer.
func (a *answer) end() *attach.Ended {
	if a.stop == "refusal" {
		return &attach.Ended{Error: "The model refused to answer."}
	}
	return &attach.Ended{Answer: a.text()}
}

// text returns what the model said in the answer.
func (a *answer) text() string {
	text, _ := rows.Shorten(strings.Join(a.texts, "\n\n"))
	return text
}

// close ends the answer, and returns what it came to.
func (r *Reader) close() (out []attach.Sighting) {
	a := r.answer
	if a.last.Group == "" {
		return nil
	}
	r.answer = answer{id: a.id}
	if r.spoken = ""; !a.calls {
		r.spoken = a.text()
	}
	if a.stop == callsTools && !a.calls && !a.lost {
		s := a.last
		s.Index, s.Stopped = 0, &attach.Stopped{Reason: attach.NoCall}
		out = append(out, s)
	}
	if out = append(out, a.comesTo()...); a.ends() {
		r.isDone(a.last)
	}
	return out
}
