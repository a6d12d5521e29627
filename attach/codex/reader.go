package codex

import (
	"encoding/json"
	"io"
	"iter"
	"time"

	"candor/attach"
	"candor/attach/rows"
)

// agent is what the sightings of this package call the agent.
const agent = "codex"

// Reader turns a rollout into sightings. It keeps only what it needs to interpret the next row. NewReader makes a
// Reader, which reads one file and is not safe for concurrent use.
type Reader struct {
	place  rows.Place
	report rows.Report

	// Of the file's first row: its own id, and what its sightings share. Nothing is given before there is one.
	id           string
	session, sub string
	kind         string // of a sub-agent
	// copied says that the rows are those of the conversation that this one went on from.
	copied bool
	// bare says that the rows have no envelope. at is the time of the latest row; those without a time follow it.
	bare bool
	at   time.Time
	// What was said of the session already.
	about attach.About

	turn   openTurn
	asked  itemsUntold
	answer heldAnswer
	calls  callTable
	names  rows.Calls
}

// NewReader returns a reader of one rollout. growing says that the file may still be written: a last row without its
// end, and an incomplete answer, are left for the next Read.
func NewReader(growing bool) *Reader {
	return &Reader{place: rows.Place{Growing: growing}, calls: callTable{}}
}

// Report returns what was counted so far.
func (r *Reader) Report() rows.Report { return r.report.Clone() }

// Offset returns how many bytes were read, which is where the next Read of a growing file begins.
func (r *Reader) Offset() int64 { return r.place.Offset }

// Read yields the sightings of the rows in in, which continues where the last Read ended. It ends with an error only if
// in cannot be read; Report counts the faults of rows.
func (r *Reader) Read(in io.Reader) iter.Seq2[attach.Sighting, error] {
	return func(yield func(attach.Sighting, error) bool) {
		ended, err := r.place.Each(in, func(line []byte, last bool) bool {
			return rows.Give(&r.report, r.line(line, last), yield)
		})
		if err != nil {
			yield(attach.Sighting{}, err)
			return
		}
		if ended && !r.place.Growing {
			rows.Give(&r.report, r.End(), yield)
		}
	}
}

// End returns what waits for rows that will not come, with the end of the turn that nothing in the rollout ends.
func (r *Reader) End() []attach.Sighting {
	out := append(r.promptsUntold(row{}), r.closeAnswer(record{}, row{})...)
	out = append(out, r.unfinished(row{})...)
	return append(out, r.endUntold(row{})...)
}

// line returns the sightings of a line; last says that its end is missing. A line that is nil was too long.
func (r *Reader) line(line []byte, last bool) (out []attach.Sighting) {
	read := func(line []byte) (row, bool) { return decodeRow(line, r.bare, r.id == "") }
	rows.Decode(&r.report, line, last, read, func(in row) {
		list, ok := r.take(in)
		if !ok {
			r.report.Malformed++
		}
		out = append(out, list...)
	}, func() { out = append(out, r.lose()...) })
	return out
}

// lose returns that something is lost, where the open turn is.
func (r *Reader) lose() []attach.Sighting {
	if !r.turn.open || r.copied {
		return nil
	}
	s := r.sighting(row{})
	s.Group, s.Said = rows.LostGroup(r.place.Offset), &attach.Said{Lost: true}
	return []attach.Sighting{s}
}

// take returns the sightings of a row; ok is false if the row does not have the types it should.
func (r *Reader) take(in row) (out []attach.Sighting, ok bool) {
	if at := rows.Time(in.Timestamp); !at.IsZero() {
		r.at = at
	} else if !r.at.IsZero() {
		r.at = r.at.Add(time.Microsecond) // so that rows keep their order
	}
	if in.Type == "session_meta" {
		return r.begin(in)
	}
	if r.id == "" {
		return nil, false // nobody knows whose it is
	}
	// A copy has rows of all types, and turns tell where it ends.
	switch in.Type {
	case "turn_context":
		var c context
		if ok = decode(in.Payload, &c) && rows.OptionalID(c.Turn, c.Root); ok {
			out = append(r.enter(in, c), r.known(in, attach.About{Model: c.Model, Folder: c.CWD})...)
		}
	case "event_msg":
		var e eventMessage
		if ok = decode(in.Payload, &e) && rows.OptionalID(e.Turn, e.Root, e.Item.ID); ok {
			out = r.event(in, &e)
		}
	case "response_item":
		return r.responded(in)
	case "token_usage_record":
		var u record
		if ok = decode(in.Payload, &u) && rows.OptionalID(u.Response); ok && !r.isCopy() {
			out = r.closeAnswer(u, in)
		}
	default:
		// The program's own affairs: the state of its world, and what is left of a conversation that was compacted.
		r.report.Skip(in.Type)
		ok = true
	}
	return out, ok
}

// responded returns the sightings of a row that the model said, or was told.
func (r *Reader) responded(in row) (out []attach.Sighting, ok bool) {
	var i responseItem
	if !decode(in.Payload, &i) || !rows.OptionalID(i.ID) {
		return nil, false
	}
	if r.isCopy() {
		return nil, true
	}
	return r.item(in, &i)
}

// decode decodes a payload, which has to be an object.
func decode(raw json.RawMessage, into any) bool {
	return len(raw) > 0 && raw[0] == '{' && json.Unmarshal(raw, into) == nil
}

// isCopy reports whether the row being read is a copy, and then counts it.
func (r *Reader) isCopy() bool {
	if r.copied {
		r.report.Copied++
	}
	return r.copied
}

// begin reads the row that says whose rollout this is. A second one of another id begins a copy.
func (r *Reader) begin(in row) (out []attach.Sighting, ok bool) {
	var m meta
	if !decode(in.Payload, &m) || !rows.IsID(m.ID) || !rows.OptionalID(m.Session, m.ForkedFrom, m.Parent) {
		return nil, false
	}
	if r.id != "" && r.id != m.ID {
		r.copied = true
		r.report.Copied++
		return nil, true
	}
	// A session that is resumed may have the row once more, with another version of the program.
	parent, kind, isSub := m.spawn()
	if !rows.OptionalID(parent) {
		return nil, false
	}
	r.id, r.session, r.copied, r.bare = m.ID, or(m.Session, m.ID), false, in.bare
	if !isSub {
		return r.known(in, attach.About{Version: m.Version, Folder: m.CWD, ForkOf: m.ForkedFrom}), true
	}
	// A sub-agent may go on from the conversation that it belongs to, which makes it no fork of a session.
	if r.session == r.id {
		r.session = or(parent, r.session)
	}
	r.sub = r.id
	r.kind, _ = rows.Shorten(kind)
	return nil, true
}

// sighting returns what all sightings of a row share.
func (r *Reader) sighting(in row) attach.Sighting {
	at := rows.Time(in.Timestamp)
	if at.IsZero() {
		at = r.at
	}
	return attach.Sighting{Agent: agent, Session: r.session, Channel: attach.File, At: at, Turn: r.turn.root,
		Sub: r.sub}
}

// known returns a sighting of what a row says of the session, if it says anything new. What a sub-agent's rollout says
// is not the session's.
func (r *Reader) known(in row, news attach.About) []attach.Sighting {
	if r.sub != "" || r.copied {
		return nil
	}
	return rows.News(&r.about, news, r.sighting(in))
}

// countCut counts a text that had to be cut.
func (r *Reader) countCut(cut bool) {
	if cut {
		r.report.Cut++
	}
}
