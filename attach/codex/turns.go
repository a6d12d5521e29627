package codex

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"candor/attach"
	"candor/attach/rows"
)

// openTurn is the turn whose rows are being read.
type openTurn struct {
	// Its id, and that of the turn in which a sub-agent was begun; they are the same for the agent that the person
	// speaks to.
	own, root string
	// How many prompts it had, the text of its last answer without calls, and the error that the program told of last.
	prompts      int
	last, failed string
	// It began with a prompt, or is that of a sub-agent, and has not ended.
	open bool
	// When something was heard of it last.
	heard time.Time
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
	if r.asked.list = nil; first && r.sub != "" {
		r.turn.open = true
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
	if r.turn.own == "" || r.turn.own == r.unnamed() || !r.turn.open && r.turn.prompts > 0 {
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
	r.turn.heard = s.At
	r.turn.open = true
	return append(out, s)
}

// unnamed returns the id of a turn that the file does not name.
func (r *Reader) unnamed() string { return fmt.Sprintf("%s-%d", r.id, r.turn.unnamed) }

// endUntold returns the end of a turn of which no row told. Its answer is the last one, if that asked for nothing.
func (r *Reader) endUntold(in row) []attach.Sighting {
	if !r.turn.open {
		return nil
	}
	heard := r.turn.heard
	out := r.end(in, r.ending(r.turn.last))
	if !heard.IsZero() {
		out[0].At = heard
	}
	return out
}

// ending returns how a turn ended: with an answer, with the error that the program told of, or with neither.
func (r *Reader) ending(answer string) attach.Ended {
	if answer == "" {
		return attach.Ended{Error: r.turn.failed}
	}
	return attach.Ended{Answer: answer}
}

// end returns the end of the turn.
func (r *Reader) end(in row, how attach.Ended) []attach.Sighting {
	s := r.sighting(in)
	s.Ended = &how
	r.turn.open, r.turn.last, r.turn.failed = false, "", ""
	return []attach.Sighting{s}
}

// itemsUntold are items of a person of which no event told, yet. Some versions write no such event; others write it
// behind the item.
type itemsUntold struct {
	list []untold
	// told says that the file has such events, so that what comes without one is the program's.
	told bool
}

// untold is such an item.
type untold struct {
	at   string
	text string
}

// maxAsked bounds the items that wait.
const maxAsked = 64

// ofProgram matches what the program tells the model in a person's name: it stands in marks that the program has, or
// begins with words of its own.
var ofProgram = regexp.MustCompile(`^\s*(?:<(?:\w+[_ ](?:context|instructions|notification|mode|spec|switch|` +
	`command|action)|` +
	`INSTRUCTIONS|turn_aborted|skill|image)\b[^<>]*>|# AGENTS\.md instructions|` +
	`Another language model started to solve this problem and produced a summary)`)

// folderIn finds the folder in what the program tells the model of its environment.
var folderIn = regexp.MustCompile(`^\s*<environment_context>(?s:.*?)<cwd>([^<]+)</cwd>`)

// asking reads a message to the model, which is a person's or the program's.
func (r *Reader) asking(in row, i *responseItem) []attach.Sighting {
	text := joined(i.Content)
	if folder := folderIn.FindStringSubmatch(text); folder != nil && r.about.Folder == "" {
		return r.known(in, attach.About{Folder: strings.TrimSpace(folder[1])})
	}
	if i.Role != "user" || r.sub != "" || strings.TrimSpace(text) == "" || ofProgram.MatchString(text) {
		r.report.Skip("message to the model")
		return nil
	}
	if len(r.asked.list) < maxAsked {
		text, _ = rows.Shorten(text)
		r.asked.list = append(r.asked.list, untold{in.Timestamp, text})
	}
	return nil
}

// promptedBy returns the prompt that an event tells of.
func (r *Reader) promptedBy(in row, text string) []attach.Sighting {
	for range r.asked.list {
		r.report.Skip("message to the model")
	}
	r.asked = itemsUntold{told: true}
	return r.prompted(in, text)
}

// promptsUntold returns the prompts of which no event told before the model answered. Where events tell of prompts,
// those of an open turn are the program's.
func (r *Reader) promptsUntold(in row) (out []attach.Sighting) {
	list := r.asked.list
	r.asked.list = nil
	for _, one := range list {
		if r.asked.told && r.turn.open {
			r.report.Skip("message to the model")
			continue
		}
		of := row{Timestamp: or(one.at, in.Timestamp)}
		out = append(out, r.closeAnswer(record{}, of)...)
		out = append(out, r.prompted(of, one.text)...)
	}
	return out
}
