// Package export writes turns and the reasons behind them to files that can be read
// without Candor.
//
// [Markdown] produces CommonMark for people and code reviews. [HTML] produces one page that
// needs neither a network nor a script. The output of both depends on the [Document] alone,
// so the same turns always give the same bytes. They write as they go, and hold only the
// current turn in memory.
//
// # How a turn becomes a document
//
// A [Document] holds snapshots of turns from package session. The text that both formats share is
// composed once: a turn in view.go, a call in call.go, the contents in contents.go, times and
// durations in view.go. markdown.go and page.html only lay it out. A new fact about a call
// therefore belongs in call.go; a new format is one more function over the views.
//
// A call looks like its row on the page: the reason, the tool and its object, its outcome in a line
// (both from package brief), and its duration. Usual values are left out, a line's content is not
// repeated below it, and if the model gave no reason, the export says so instead of showing Candor's
// fallback sentence.
//
// # Guarantees
//
//   - Text stays text. Text that a model, a tool or a person wrote cannot end the block
//     around it, and cannot become a link, an image, an element or a script, in HTML or
//     in Markdown, read with or without GitHub's extensions. A fuzz test renders both
//     formats with arbitrary text in every place and compares their elements.
//   - All text is [safety.Text] or [safety.JSON], masked before it was stored. The
//     document lists by rule what was masked.
//   - What is omitted is absent, not hidden: see [Omit].
//
// The package keeps no state but its parsed template and is safe for concurrent use.
package export

import (
	"candor/safety"
	"candor/session"
)

// Document is the input of an export: some turns of one thread or job.
type Document struct {
	Title  safety.Text    // of the thread or job; may be empty
	Thread string         // id of the thread; empty for a job
	Job    string         // id of the job; empty for a thread
	Origin session.Origin // of an observed thread
	Turns  []session.Turn
	Omit   Omit
}

// origin says where the turns are from, without the id.
func (d Document) origin() string {
	if d.Job != "" {
		return "job"
	}
	return "thread"
}

// where says what the place is called in which an observed agent works, "" if nobody named it: that of a participant
// is a space, that of an attached agent a folder.
func (d Document) where() string {
	switch {
	case d.Origin.Space.Empty():
		return ""
	case d.Origin.Attached():
		return "folder"
	}
	return "space"
}

// maxBuffered is how many bytes of a document are written at once.
const maxBuffered = 64 << 10

// Omit selects parts to leave out of the document. Reasoning stands for the steps as a
// whole, with their calls, parameters and results.
type Omit struct{ Reasoning, Parameters, Results bool }
