package claude

import (
	"io"
	"iter"

	"candor/attach"
	"candor/attach/rows"
)

// agent is what the sightings of this package call the agent.
const agent = "claude"

// Reader turns a session file into sightings. It keeps only what it needs to interpret the next row. NewReader makes a
// Reader, which reads one file and is not safe for concurrent use.
type Reader struct {
	others *Rows
	report rows.Report
	place  rows.Place
	// What was said of the session already.
	about attach.About
	// The turn of the last prompt or result. Rows of the model do not name theirs, and stand behind it.
	turn string
	// What all sightings share of the turn that is not over; its session is empty if there is none. spoken is what the
	// model said last in it, unless it asked for calls with it. done is the turn that a row ended last.
	open   attach.Sighting
	spoken string
	done   attach.Sighting
	// A command of the client, which begins a turn only if the model answers it.
	command *attach.Sighting
	// The model's answer whose rows are being read, and what calls are named.
	answer answer
	calls  rows.Calls
	// The calls of foreign tools of which no result was read.
	foreign map[string]bool
	// The rows that the file begins with, until it is clear whether they are copies.
	copies copies
}

// NewReader returns a reader of one session file. others remembers the rows of the folder's other files; if it is nil,
// the reader compares with none. growing says that the file may still be written: a last row without its end is left
// for the next Read.
func NewReader(others *Rows, growing bool) *Reader {
	if others == nil {
		others = &Rows{}
	}
	return &Reader{others: others, place: rows.Place{Growing: growing}, foreign: map[string]bool{}}
}

// Report returns what was counted so far.
func (r *Reader) Report() rows.Report { return r.report.Clone() }

// Offset returns how many bytes were read, which is where the next Read of a growing file begins.
func (r *Reader) Offset() int64 { return r.place.Offset }

// Turn returns the turn of the last row, or "".
func (r *Reader) Turn() string { return r.turn }

// Read yields the sightings of the rows in in, which continues where the last Read ended. It ends with an error only if
// in cannot be read; Report counts the faults of rows.
func (r *Reader) Read(in io.Reader) iter.Seq2[attach.Sighting, error] {
	return func(yield func(attach.Sighting, error) bool) {
		ended, err := r.place.Each(in, func(line []byte, last bool) bool {
			return rows.Give(&r.report, r.line(line, last), yield)
		})
		if err != nil {
			yield(attach.Sighting{}, err)
		}
		if !ended {
			return
		}
		// What waits for a next row has none. A growing file may have one later; then what is given here is given
		// again, with more, and whoever merges sightings takes the larger.
		out := r.takeNew(r.copies.release())
		if r.place.Growing {
			out = append(out, r.answer.comesTo()...)
		} else {
			out = append(out, r.End()...)
		}
		rows.Give(&r.report, out, yield)
	}
}

// End returns the end of the turn that nothing in the file ends, for a file to which nothing was added for long. What
// was added all the same is read as if it had not been called.
func (r *Reader) End() []attach.Sighting { return append(r.close(), r.over()...) }

// line returns the sightings of a line; last says that its end is missing. A line that is nil was too long.
func (r *Reader) line(line []byte, last bool) (out []attach.Sighting) {
	if line == nil {
		r.report.Row(line)
		r.answer.lost = true
		if in, ok := tooLong(r.place.Beginning); ok {
			return r.accept(in)
		}
		return nil
	}
	rows.Decode(&r.report, line, last, decodeRow, func(in row) { out = append(out, r.accept(&in)...) },
		func() { out = append(out, r.lose()...) })
	return out
}

// accept returns the sightings that a row allows to give: its own, and perhaps those of rows before it.
func (r *Reader) accept(in *row) []attach.Sighting {
	switch {
	case in.Type != "user" && in.Type != "assistant":
		return r.take(in)
	case in.Type == "user" && !r.copies.over:
		return r.takeNew(r.copies.hold(in))
	// A copy of what the model said elsewhere. The rows of a person before it are copies, too, since a fork is
	// written in order.
	case in.Type == "assistant" && in.RequestSessionID != "" && in.RequestSessionID != in.SessionID:
		r.report.Copied += 1 + len(r.copies.release())
		return r.forkOf(in)
	case in.Type == "assistant":
		r.copies.over = true
	}
	return r.takeNew(append(r.copies.release(), in))
}

// takeNew returns the sightings of rows that no other session had first.
func (r *Reader) takeNew(list []*row) (out []attach.Sighting) {
	for _, in := range list {
		if r.others.copied(in.UUID, in.SessionID) {
			r.report.Copied++
			continue
		}
		out = append(out, r.take(in)...)
	}
	return out
}

// sighting returns what all sightings of a row share.
func (r *Reader) sighting(in *row) attach.Sighting {
	return attach.Sighting{Agent: agent, Session: in.SessionID, Channel: attach.File, At: in.at(),
		Turn: r.turn, Sub: in.AgentID}
}

// take returns the sightings of a row that is no copy.
func (r *Reader) take(in *row) []attach.Sighting {
	switch in.Type {
	case "user":
		if in.PromptID != "" {
			r.turn = in.PromptID
		}
		r.answer.between = true
		if in.lost {
			return nil
		}
		return append(r.known(in), r.user(in)...)
	case "assistant":
		out := append(r.known(in), r.commanded()...)
		return append(out, r.assistant(in)...)
	case "ai-title", "custom-title", "summary":
		title, cut := rows.Shorten(in.CustomTitle + in.AITitle + in.Summary)
		r.countCut(cut)
		if title != "" {
			s := r.sighting(in)
			s.Turn, s.About = "", &attach.About{Title: title}
			return []attach.Sighting{s}
		}
	}
	r.report.Skip(in.kind())
	if in.closesTurn() {
		return append(r.close(), r.over()...)
	}
	return nil
}

// known returns a sighting of what a row says of the session, if it says anything new.
func (r *Reader) known(in *row) []attach.Sighting {
	news := attach.About{Version: in.Version, Folder: in.CWD, Model: in.Message.Model}
	if news.Model == synthetic {
		news.Model = ""
	}
	return rows.News(&r.about, news, r.sighting(in))
}

// forkOf says, once, of which session the file's is a fork.
func (r *Reader) forkOf(in *row) []attach.Sighting {
	if r.about.ForkOf != "" || !rows.IsID(in.RequestSessionID) {
		return nil
	}
	r.about.ForkOf = in.RequestSessionID
	if out := r.known(in); len(out) > 0 { // the folder and the rest are as new to the fork
		out[0].About.ForkOf = in.RequestSessionID
		return out
	}
	s := r.sighting(in)
	s.Turn, s.About = "", &attach.About{ForkOf: in.RequestSessionID}
	return []attach.Sighting{s}
}

// countCut counts a text that had to be cut.
func (r *Reader) countCut(cut bool) {
	if cut {
		r.report.Cut++
	}
}
