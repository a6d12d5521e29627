package turns

import (
	"io"
	"iter"
	"time"

	"candor/attach"
	"candor/attach/rows"
)

// Reader turns a session file into sightings, one row at a time. New makes a Reader, which reads one file and is not
// safe for concurrent use.
type Reader struct {
	// Session is the id of the session. What is told before it is known is lost.
	Session string

	agent  string
	decode func(line []byte, last bool)
	place  rows.Place
	report rows.Report
	// What takes the sightings, and whether it wants no more.
	yield func(attach.Sighting, error) bool
	over  bool

	about attach.About // what was said of the session already
	turn  string       // the id of the latest prompt
	row   string       // the id of the latest row
	// A row was lost since the last answer, which may have been a prompt.
	lost bool
	// What all sightings share of the turn that is not over; its session is empty if there is none. failed is the error
	// that the program told of last in it.
	open   attach.Sighting
	failed string
	// The latest answers: of the agent that the person speaks to, which has no id, and of its sub-agents.
	answers map[string]*answer
	started map[string]string // the turns in which sub-agents started, by their ids
	now     attach.Sighting   // what the sightings of the answer share that is told now
	names   rows.Calls
}

// answer is an answer of the model, as far as it was told.
type answer struct {
	id, text string
	index    int  // how many things in it were told
	more     bool // it has calls or failed, so that it is not the turn's answer
}

// maxSubs bounds the sub-agents whose answers are remembered.
const maxSubs = 1 << 10

// New returns a reader of one session file of an agent. decode decodes a line; take tells the reader what the row says.
// growing says that the file may still be written: a last row without its end is left for the next Read.
func New[R any](agent string, growing bool, decode func(line []byte) (R, bool), take func(*R)) *Reader {
	r := &Reader{agent: agent, place: rows.Place{Growing: growing}, answers: map[string]*answer{},
		started: map[string]string{}}
	r.decode = func(line []byte, last bool) {
		rows.Decode(&r.report, line, last, decode, func(row R) { take(&row) }, r.lose)
	}
	return r
}

// Report returns what was counted so far.
func (r *Reader) Report() rows.Report { return r.report.Clone() }

// Offset returns how many bytes were read, which is where the next Read of a growing file begins.
func (r *Reader) Offset() int64 { return r.place.Offset }

// Read yields the sightings of the rows in in, which continues where the last Read ended. It ends with an error only if
// in cannot be read; Report counts the faults of rows.
func (r *Reader) Read(in io.Reader) iter.Seq2[attach.Sighting, error] {
	return func(yield func(attach.Sighting, error) bool) {
		r.yield, r.over = yield, false
		ended, err := r.place.Each(in, func(line []byte, last bool) bool {
			r.lost = r.lost || line == nil
			r.decode(line, last)
			return !r.over
		})
		switch {
		case err != nil:
			yield(attach.Sighting{}, err)
		// Nothing follows that could show that the answer is not the last one.
		case ended && !r.place.Growing:
			r.Close(attach.Ended{})
		}
	}
}

// End returns the end of the turn that nothing in the file ends, for a file to which nothing was added for long.
func (r *Reader) End() (out []attach.Sighting) {
	r.over = false
	r.yield = func(s attach.Sighting, _ error) bool { out = append(out, s); return true }
	r.Close(attach.Ended{})
	return out
}

// Skip counts a row or a block of a kind that tells nothing of decisions.
func (r *Reader) Skip(kind string) { r.report.Skip(kind) }

// Copy counts a row that another session had first.
func (r *Reader) Copy() { r.report.Copied++ }

// Drop counts bytes of a signature, a sealed thought or a picture, which are dropped.
func (r *Reader) Drop(bytes int) { r.report.Sealed += bytes }

// Lose counts a row whose members are not what they should be.
func (r *Reader) Lose() {
	r.report.Lose(false)
	r.lose()
}

// Known reports whether the session is known. If it is not, the row is lost.
func (r *Reader) Known() bool {
	if r.Session == "" {
		r.Lose()
	}
	return r.Session != ""
}

// RowID returns the id of a row, or for one without an id, as first versions of formats have, one of its time.
func RowID(id string, at time.Time) string {
	if id != "" {
		return id
	}
	return "at-" + at.Format("20060102T150405.000000000")
}

// Again reports whether the row of an id is the one before it, written once more. It is counted then.
func (r *Reader) Again(id string) bool {
	again := id != "" && id == r.row
	if r.row = id; again {
		r.Copy()
	}
	return again
}

// lose tells that something is lost, where the open turn is.
func (r *Reader) lose() {
	r.lost = true
	if s := r.open; s.Session != "" {
		s.Group, s.Said = rows.LostGroup(r.place.Offset), &attach.Said{Lost: true}
		r.give(s)
	}
}

// give yields a sighting, unless whoever reads them wants no more.
func (r *Reader) give(s attach.Sighting) {
	if r.over {
		return
	}
	r.report.Sightings++
	r.over = !r.yield(s, nil)
}

// sighting returns what all sightings of a time share. What a sub-agent does belongs to the turn in which it started.
func (r *Reader) sighting(at time.Time, sub string) attach.Sighting {
	turn := r.turn
	if of, ok := r.started[sub]; ok && sub != "" {
		turn = of
	}
	return attach.Sighting{Agent: r.agent, Session: r.Session, Channel: attach.File, At: at, Turn: turn, Sub: sub}
}

// shorten bounds a text, and counts it if it had to be cut.
func (r *Reader) shorten(text string) string {
	short, cut := rows.Shorten(text)
	if cut {
		r.report.Cut++
	}
	return short
}
