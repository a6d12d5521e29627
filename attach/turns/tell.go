package turns

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"candor/attach"
	"candor/attach/rows"
)

// unsaid is the error of a call of which the program says only that it failed.
const unsaid = "it failed, and the program does not say how"

// About tells of the session, if it is anything new.
func (r *Reader) About(news attach.About) {
	for _, pair := range []struct{ was, is *string }{{&r.about.Folder, &news.Folder}, {&r.about.Title, &news.Title},
		{&r.about.Model, &news.Model}, {&r.about.Version, &news.Version}, {&r.about.ForkOf, &news.ForkOf}} {
		*pair.is, _ = rows.Shorten(*pair.is)
		if *pair.is == *pair.was {
			*pair.is = ""
		} else if *pair.is != "" {
			*pair.was = *pair.is
		}
	}
	if news == (attach.About{}) {
		return
	}
	s := r.sighting(time.Time{}, "")
	s.Turn, s.About = "", &news
	r.give(s)
}

// Prompt tells a message that begins a turn with its id, and ends the turn before it. by is empty for a person's.
func (r *Reader) Prompt(id string, at time.Time, text, by string) {
	if strings.TrimSpace(text) == "" {
		r.Skip("user message without text")
		return
	}
	r.Close(attach.Ended{})
	r.turn, r.lost = id, false
	delete(r.answers, "")
	r.open = r.sighting(at, "")
	s := r.open
	s.Prompted = &attach.Prompted{Text: r.shorten(text), By: by}
	r.give(s)
}

// Answer begins an answer of the model with its id, which is in several rows if the last one had the same. sub is the
// id of the sub-agent whose answer it is, or "". What is told next is in the answer.
func (r *Reader) Answer(id string, at time.Time, sub string) {
	last := r.answers[sub]
	if last == nil || last.id != id {
		// Where the turn is over, or the answer before it asked for no calls, a message stood between them. If that is
		// what was lost, nobody knows whose this answer is.
		if over := r.open.Session == "" || last != nil && !last.more; r.lost && sub == "" && over {
			r.Close(attach.Ended{})
			r.turn = ""
		}
		if len(r.answers) >= maxSubs {
			clear(r.answers)
		}
		r.answers[sub] = &answer{id: id}
	}
	r.lost = r.lost && sub != ""
	r.now = r.sighting(at, sub)
	r.now.Group = id
	if sub == "" {
		if at.IsZero() {
			at = r.open.At
		}
		r.open = r.sighting(at, "")
	}
}

// next returns a sighting at the next place of the answer.
func (r *Reader) next() (s attach.Sighting, in *answer) {
	if in = r.answers[r.now.Sub]; in == nil {
		in = &answer{}
	}
	s = r.now
	s.Index = in.index
	in.index++
	return s, in
}

// Say tells a text of the answer. It is a thought if thought is true.
func (r *Reader) Say(text string, thought bool) {
	if strings.TrimSpace(text) == "" {
		return
	}
	s, in := r.next()
	s.Said = &attach.Said{Text: r.shorten(text), Summary: thought}
	if !thought {
		in.text = strings.TrimPrefix(in.text+"\n\n"+s.Said.Text, "\n\n")
	}
	r.give(s)
}

// Seal tells of a thought that only the provider can read, of so many bytes.
func (r *Reader) Seal(bytes int) {
	if bytes > 0 {
		s, _ := r.next()
		s.Sealed = &attach.Sealed{Bytes: bytes}
		r.Drop(bytes)
		r.give(s)
	}
}

// Call tells a call that the answer asks for.
func (r *Reader) Call(id, tool string, params json.RawMessage) {
	if tool == "" {
		r.report.Malformed++
		return
	}
	s, in := r.next()
	in.more = true
	s.Call = r.names.Began(id, fmt.Sprintf("%s-%d", s.Group, s.Index))
	name, _ := rows.Shorten(tool)
	bounded, cut := rows.BoundJSON(params, "")
	if cut {
		r.report.Cut++
	}
	s.Called = &attach.Called{Tool: name, Params: bounded}
	r.give(s)
}

// Use tells what the answer took. A figure below 0 is no figure.
func (r *Reader) Use(used attach.Used) {
	if used != (attach.Used{}) && min(used.Input, used.Output, used.Reasoning, used.Cached) >= 0 {
		s := r.now
		s.Used = &used
		r.give(s)
	}
}

// Stop tells why the model ended the answer, in the program's word.
func (r *Reader) Stop(word string) {
	if word, _ = rows.Shorten(word); word != "" {
		s := r.now
		s.Stopped = &attach.Stopped{Reason: word}
		r.give(s)
	}
}

// Return tells how a call ended: with a result if failure is nil. how has the rest.
func (r *Reader) Return(call string, at time.Time, sub, result string, failure *string, how attach.Returned) {
	s := r.sighting(at, sub)
	if s.Call = r.names.Ended(call); s.Call == "" {
		r.report.Malformed++
		return
	}
	if failure == nil {
		text := r.shorten(result)
		how.Partial = how.Partial || text != result
		how.Result, _ = json.Marshal(text) // of a string
	} else if how.Error = r.shorten(*failure); strings.TrimSpace(how.Error) == "" {
		how.Error = unsaid
	}
	s.Returned = &how
	r.give(s)
}

// Spawn tells that a call, which may be unknown, started a sub-agent.
func (r *Reader) Spawn(call string, at time.Time, sub string, how attach.Spawned) {
	if len(r.started) < maxSubs {
		r.started[sub] = r.turn
	}
	s := r.sighting(at, sub)
	if call != "" {
		s.Call = r.names.Last(call)
	}
	how.Kind, _ = rows.Shorten(how.Kind)
	how.Model, _ = rows.Shorten(how.Model)
	s.Spawned = &how
	r.give(s)
}

// CloseSub tells that a sub-agent ended, which the call that started it does not tell. What it said last is its answer.
func (r *Reader) CloseSub(at time.Time, sub string, how attach.Ended) {
	s := r.sighting(at, sub)
	if in := r.answers[sub]; in != nil {
		s.Group = in.id
		if !in.more && how == (attach.Ended{}) {
			how.Answer = in.text
		}
	}
	s.Ended = &how
	r.give(s)
}

// Fail remembers an error that the program told of. It ends the turn unless another answer does.
func (r *Reader) Fail(text string) {
	r.failed, _ = rows.Shorten(text)
	if in := r.answers[""]; in != nil {
		in.more = true
	}
}

// Close tells the end of the turn, if there is one whose end was not told. What the model said last is its answer,
// unless there are calls in it, or how is another end.
func (r *Reader) Close(how attach.Ended) {
	if r.open.Session == "" {
		return
	}
	s := r.open // the end stands where the answer does
	in := r.answers[""]
	if in == nil {
		in = &answer{}
	}
	s.Group = in.id
	switch {
	case how != (attach.Ended{}):
		how.Error, _ = rows.Shorten(how.Error)
	case !in.more && !r.lost && in.text != "":
		how.Answer = in.text
	default:
		how.Error = r.failed
	}
	r.open, r.failed = attach.Sighting{}, ""
	delete(r.answers, "")
	s.Ended = &how
	r.give(s)
}
