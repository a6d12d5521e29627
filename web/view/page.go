package view

import (
	"fmt"
	"strconv"
	"strings"

	"candor/session"
)

// MaxPage bounds the turns, jobs, threads or events of one answer, in bytes of JSON as they are
// estimated. An answer has one of them in any case.
const MaxPage = 4 << 20

// entrySize is what an entry of an answer counts in addition to its texts.
const entrySize = 512

// Newest returns how many of the last of n entries fit into a page, at least one.
func Newest(n int, size func(i int) int) (count int) {
	for left := MaxPage; count < n; count++ {
		if left -= entrySize + size(n-1-count); left < 0 && count > 0 {
			break
		}
	}
	return count
}

// First returns how many of the first of n entries fit into a page, at least one.
func First(n int, size func(i int) int) int {
	return Newest(n, func(i int) int { return size(n - 1 - i) })
}

// TurnSize estimates how many bytes a turn takes in history.
func TurnSize(t session.Turn) int {
	n := entrySize + len(t.Input.String()) + len(t.Response.String()) + len(t.Error.String())
	for _, s := range t.Steps {
		n += 2*len(s.Narrative.String()) + 2*len(s.Thought.String()) + entrySize
		for _, c := range s.Calls {
			n += callSize(c)
		}
	}
	for _, h := range t.Handoffs {
		n += len(h.Text.String()) + entrySize
	}
	return n
}

// callSize estimates how many bytes a call takes in a turn's calls and decisions.
func callSize(c session.Call) int {
	return 2*entrySize + 2*len(c.Tool.String()) + len(c.Rationale.Text.String()) + len(c.Params.Raw()) +
		len(editedText(c)) + len(c.Error.String()) + min(len(c.Result.Raw()), 4*maxPreview)
}

// JobPlace is a position in a job's turns: behind the first pieces of a turn, or behind all of it
// if Pieces is negative. A call is a piece, and so is a step without calls.
type JobPlace struct{ Turn, Pieces int }

// String returns the place as ParseJobPlace reads it, such as 3 or 3.120.
func (p JobPlace) String() string {
	if p.Pieces < 0 {
		return strconv.Itoa(p.Turn)
	}
	return fmt.Sprintf("%d.%d", p.Turn, p.Pieces)
}

// ParseJobPlace is the reverse of String. ok is false for any other text.
func ParseJobPlace(text string) (p JobPlace, ok bool) {
	turn, pieces, inside := strings.Cut(text, ".")
	p.Pieces = -1
	var err error
	if p.Turn, err = strconv.Atoi(turn); err != nil || p.Turn < 0 {
		return p, false
	}
	if inside {
		p.Pieces, err = strconv.Atoi(pieces)
	}
	return p, err == nil && (!inside || p.Pieces > 0)
}

// PageBefore returns the last turns before a place, at most limit of them and as many as fit
// into a page. A turn that does not fit is cut: it has its last pieces only. rest is the place
// before which the next page ends; more is false if there is nothing before it.
func PageBefore(turns []session.Turn, before JobPlace, limit int) (page []session.Turn, rest JobPlace, more bool) {
	turns = turns[:min(len(turns), before.Turn)]
	n := len(turns)
	if n == 0 {
		return nil, JobPlace{Pieces: -1}, false
	}
	if before.Turn == n && before.Pieces > 0 {
		turns = append(turns[:n-1:n-1], cut(turns[n-1], 0, before.Pieces))
	}
	count := min(limit, Newest(n, func(i int) int { return TurnSize(turns[i]) }))
	page, rest = turns[n-count:], JobPlace{n - count, -1}
	if sizes := pieceSizes(page[0]); TurnSize(page[0]) > MaxPage {
		kept := Newest(len(sizes), func(i int) int { return sizes[i] })
		page = []session.Turn{cut(page[0], len(sizes)-kept, len(sizes))}
		if kept < len(sizes) {
			rest = JobPlace{n, len(sizes) - kept}
		}
	}
	return page, rest, rest.Turn > 0
}

// pieceSizes returns the sizes of a turn's pieces.
func pieceSizes(t session.Turn) (sizes []int) {
	for _, s := range t.Steps {
		step := 2*len(s.Narrative.String()) + entrySize
		if len(s.Calls) == 0 {
			sizes = append(sizes, step)
		}
		for _, c := range s.Calls {
			sizes = append(sizes, step+callSize(c))
			step = 0
		}
	}
	return sizes
}

// cut returns a turn with its pieces from one place to another only.
func cut(t session.Turn, from, to int) session.Turn {
	var steps []session.Step
	at := 0
	for _, s := range t.Steps {
		pieces := max(1, len(s.Calls))
		first, last := max(from-at, 0), min(to-at, pieces)
		at += pieces
		if first >= last {
			continue
		}
		if len(s.Calls) > 0 {
			s.Calls = s.Calls[first:last]
		}
		steps = append(steps, s)
	}
	t.Steps = steps
	return t
}

// JobSize estimates how many bytes a job takes in a list.
func JobSize(j session.Job) int {
	return 2*entrySize + len(j.Title.String()) + len(j.Prompt.String()) + len(j.Metadata.Raw()) +
		len(j.Message.String()) + len(j.Failure.String())
}

// JobEventSize estimates how many bytes an event of a job takes in a list.
func JobEventSize(e session.Event) int {
	switch b := e.Body.(type) {
	case session.JobOpened:
		return len(b.Title.String())
	case session.JobPrompted:
		return len(b.Text.String())
	case session.JobMessage:
		return len(b.Text.String())
	case session.JobToolUse:
		return len(b.Input.Raw()) + len(b.Rationale.Text.String()) + len(b.Narrative.String())
	case session.JobToolResult:
		return len(b.Output.Raw()) + len(b.Error.String())
	case session.JobReasoned:
		n := len(b.Narrative.String())
		for _, d := range b.Decisions {
			n += entrySize + len(d.Rationale.Text.String())
		}
		return n
	case session.JobReported:
		return len(b.Message.String())
	case session.JobEnded:
		return len(b.Message.String())
	}
	return 0
}
