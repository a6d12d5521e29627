package codex

import (
	"fmt"

	"candor/attach"
	"candor/attach/rows"
)

// openTurn is the turn whose rows are being read.
type openTurn struct {
	// Its id, and that of the turn in which a sub-agent was begun; they are the same for the agent that the person
	// speaks to.
	own, root string
	// How many prompts it had, and the text of its last answer without calls.
	prompts int
	last    string
	// It began with a prompt, and has not ended.
	open bool
	// How many turns without an id there were.
	unnamed int
}

// enter notes the turn that a row names. A turn that is older than the rollout is a copy.
func (r *Reader) enter(in row, c context) (out []attach.Sighting) {
	if c.Turn == "" || c.Turn == r.turn.own {
		return nil
	}
	if olderThan(c.Turn, r.id) {
		r.copied = true
		r.report.Copied++
		return nil
	}
	// The first turn of its own ends the copy. What is left of an older turn was not ended by any row.
	r.copied = false
	out = append(r.closeAnswer(record{}, in), r.endUntold(in)...)
	first := r.turn.own == ""
	r.turn = openTurn{own: c.Turn, root: or(c.Root, c.Turn), unnamed: r.turn.unnamed}
	if first && r.sub != "" {
		s := r.sighting(in)
		s.Spawned = &attach.Spawned{Kind: r.kind, Background: true}
		out = append(out, s)
	}
	return out
}

// prompted returns the prompt that begins a turn, or one that a person adds to it. The task of a sub-agent is among the
// parameters of the call that began it.
func (r *Reader) prompted(in row, text string) []attach.Sighting {
	if r.sub != "" {
		r.report.Skip("task of a sub-agent")
		return nil
	}
	var out []attach.Sighting
	// The file's own turns begin before their prompt, with rows that name them.
	if r.turn.own == "" || r.turn.own == r.unnamed() {
		// Of a version that does not number turns: each prompt begins one.
		out = r.endUntold(in)
		r.turn = openTurn{unnamed: r.turn.unnamed + 1}
		r.turn.own = r.unnamed()
		r.turn.root = r.turn.own
	}
	text, cut := rows.Shorten(text)
	r.countCut(cut)
	if text == "" {
		r.report.Skip("prompt without text")
		return out
	}
	s := r.sighting(in)
	s.Index, s.Prompted = r.turn.prompts, &attach.Prompted{Text: text}
	r.turn.prompts++
	r.turn.open = true
	return append(out, s)
}

// unnamed returns the id of a turn that the file does not name.
func (r *Reader) unnamed() string { return fmt.Sprintf("%s-%d", r.id, r.turn.unnamed) }

// endUntold returns the end of a turn of which no row told, if its last answer asked for nothing.
func (r *Reader) endUntold(in row) []attach.Sighting {
	if !r.turn.open || r.turn.last == "" {
		return nil
	}
	return r.end(in, attach.Ended{Answer: r.turn.last})
}

// end returns the end of the turn.
func (r *Reader) end(in row, how attach.Ended) []attach.Sighting {
	s := r.sighting(in)
	s.Ended = &how
	r.turn.open, r.turn.last = false, ""
	return []attach.Sighting{s}
}
