package gemini

import (
	"io"
	"io/fs"
	"iter"

	"candor/attach"
	"candor/attach/rows"
)

// agent is what the sightings of this package call the agent, and qwen what they call Qwen Code, which was made of it.
const (
	agent = "gemini"
	qwen  = "qwen"
)

// Reader turns a session file into sightings. It keeps only what it needs to interpret the next row. NewReader makes a
// Reader, which reads one file and is not safe for concurrent use.
type Reader struct {
	// What the sightings call the agent.
	program string
	// The folder of the project, which has the files of sub-agents.
	project fs.FS
	place   rows.Place
	report  rows.Report
	// What takes the sightings, and whether it wants no more.
	yield func(attach.Sighting, error) bool
	over  bool

	// The session, and the sub-agent whose file this is. apart says that the file is that of a sub-agent, and not read
	// with the session's.
	session, sub string
	apart        bool
	// What was said of the session already.
	about attach.About
	// The id of the latest prompt. lost says that a row was lost since the last answer, which may have been a prompt.
	turn string
	lost bool
	// What all sightings share of the turn that is not over; its session is empty if there is none. failed is the error
	// that the program told of last in it.
	open   attach.Sighting
	failed string
	// A command of the client, which begins a turn only if the model answers it.
	command *attach.Sighting
	// The latest answer of the model, and what calls are named.
	last  answer
	names *rows.Calls
	// The sub-agents whose files were read.
	subs map[string]bool
}

// NewReader returns a reader of one session file. project is the folder in which the program keeps a project's data,
// with the file .project_root and the folder chats; if it is nil, no files of sub-agents are read. growing says that
// the file may still be written: a last row without its end is left for the next Read.
func NewReader(project fs.FS, growing bool) *Reader {
	return &Reader{program: agent, project: project, place: rows.Place{Growing: growing}, names: &rows.Calls{}}
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
			r.line(line, last)
			return !r.over
		})
		switch {
		case err != nil:
			yield(attach.Sighting{}, err)
		// Nothing follows that could show that the answer is not the last one.
		case ended && !r.place.Growing:
			r.end(attach.Ended{})
		}
	}
}

// End returns the end of the turn that nothing in the file ends, for a file to which nothing was added for long.
func (r *Reader) End() (out []attach.Sighting) {
	r.over = false
	r.yield = func(s attach.Sighting, _ error) bool { out = append(out, s); return true }
	r.end(attach.Ended{})
	return out
}

// give yields a sighting, unless whoever reads them wants no more.
func (r *Reader) give(s attach.Sighting) {
	if r.over {
		return
	}
	r.report.Sightings++
	r.over = !r.yield(s, nil)
}

// line reads a line; last says that its end is missing. A line that is nil was too long.
func (r *Reader) line(line []byte, last bool) {
	r.lost = r.lost || line == nil
	if r.program == qwen {
		rows.Decode(&r.report, line, last, decodeQwen, func(in qwenRow) { r.takeQwen(&in) }, r.lose)
		return
	}
	rows.Decode(&r.report, line, last, decodeRecord, func(in record) {
		// Without the first row nobody knows whose message it is.
		if in.ID != "" && r.session == "" && !r.apart {
			r.report.Malformed++
			r.lost = true
			return
		}
		r.take(&in)
	}, r.lose)
}

// lose gives that something is lost, where the open turn is.
func (r *Reader) lose() {
	r.lost = true
	if s := r.open; s.Session != "" && r.sub == "" {
		s.Group, s.Said = rows.LostGroup(r.place.Offset), &attach.Said{Lost: true}
		r.give(s)
	}
}

// take reads a row.
func (r *Reader) take(in *record) {
	switch {
	case r.apart:
		r.report.Skip("row of a sub-agent")
	case in.Set != nil:
		r.set(in.Set)
	case in.Rewind != "":
		r.report.Skip("rewind")
	case in.ID == "":
		r.begin(in)
	case in.Type == "user":
		r.user(in)
	case in.Type == "gemini":
		r.answered(in)
	case in.Type == "info" && r.stopped(in):
		r.end(attach.Ended{Interrupted: true})
	default: // news of the program: info, warning, error
		if list, ok := parts(in.Content); ok && in.Type == "error" && r.sub == "" {
			r.failed, _ = rows.Shorten(joined(list))
		}
		r.report.Skip("message " + in.Type)
	}
}

// begin reads the row that a file begins with. In the file of a sub-agent it has an id that only the program uses.
func (r *Reader) begin(in *record) {
	if r.sub != "" {
		return
	}
	// It names neither the session nor the turn that it belongs to; the session's file does, and names it.
	if in.Kind == "subagent" {
		r.apart = true
		r.report.Skip("row of a sub-agent")
		return
	}
	if r.session = in.Session; r.about.Folder == "" {
		r.tell(attach.About{Folder: r.folder()})
	}
}

// set reads a row that changes what stands before. The messages in it are copies.
func (r *Reader) set(in *changes) {
	r.report.Copied += len(in.Messages)
	if r.about.Folder == "" && r.sub == "" && len(in.Messages) > 0 {
		r.folderOf(in.Messages[0])
	}
	title, cut := rows.Shorten(in.Summary)
	r.countCut(cut)
	if title != "" && r.session != "" && r.sub == "" {
		r.tell(attach.About{Title: title})
	}
	if title == "" && len(in.Messages) == 0 {
		r.report.Skip("set")
	}
}

// tell says what is known of the session, if it is anything new.
func (r *Reader) tell(news attach.About) {
	for _, pair := range []struct{ was, is *string }{{&r.about.Folder, &news.Folder}, {&r.about.Title, &news.Title},
		{&r.about.Model, &news.Model}, {&r.about.Version, &news.Version}, {&r.about.ForkOf, &news.ForkOf}} {
		if *pair.is == *pair.was {
			*pair.is = ""
		} else if *pair.is != "" {
			*pair.was = *pair.is
		}
	}
	if news == (attach.About{}) {
		return
	}
	r.give(attach.Sighting{Agent: r.program, Session: r.session, Channel: attach.File, About: &news})
}

// sighting returns what all sightings of a message share.
func (r *Reader) sighting(in *record) attach.Sighting {
	s := attach.Sighting{Agent: r.program, Session: r.session, Channel: attach.File, At: rows.Time(in.Time),
		Turn: r.turn,
		Sub:  r.sub}
	if r.sub == "" {
		r.open = s
	} else if !s.At.IsZero() {
		r.open.At = s.At
	}
	return s
}

// countCut counts a text that had to be cut.
func (r *Reader) countCut(cut bool) {
	if cut {
		r.report.Cut++
	}
}
