package terminal

import (
	"context"
	"fmt"
	"strings"

	"candor/web/client"
)

// maxNote bounds the words beside a rating, in characters, as the server does.
const maxNote = 500

// rateUsage says how decisions are rated.
const rateUsage usage = "/rate takes a decision as TURN.DECISION, such as /rate 2.1 good, then good, bad or none, " +
	"and why if you like. /rate 2 lists the decisions of turn 2."

// rating is a /rate command, parsed.
type rating struct {
	turn, decision int // decision is 0 to list those of the turn
	word, note     string
}

// parseRating parses the arguments of /rate. The error is a sentence for whoever typed them.
func parseRating(args []string) (rating, error) {
	if len(args) == 0 {
		return rating{}, rateUsage
	}
	left, right, both := strings.Cut(args[0], ".")
	turn, ok := parseNumber(left)
	if !ok || turn < 1 {
		return rating{}, rateUsage
	}
	if !both {
		if len(args) > 1 {
			return rating{}, rateUsage
		}
		return rating{turn: turn}, nil
	}
	decision, ok := parseNumber(right)
	if !ok || decision < 1 || len(args) < 2 {
		return rating{}, rateUsage
	}
	q := rating{turn, decision, args[1], strings.Join(args[2:], " ")}
	switch {
	case q.word != "good" && q.word != "bad" && q.word != "none":
		return rating{}, rateUsage
	case q.word == "none" && q.note != "":
		return rating{}, usage("Words go with good or bad; none takes the rating back.")
	case len([]rune(q.note)) > maxNote:
		return rating{}, usage(fmt.Sprintf("That is longer than %d characters. Shorten it.", maxNote))
	}
	return q, nil
}

// rate is /rate N[.M good|bad|none [WORDS]].
func (r *REPL) rate(ctx context.Context, args []string) error {
	q, err := parseRating(args)
	switch {
	case err != nil:
		return err
	case r.thread == "":
		return usage("Nothing has been said in this thread yet.")
	}
	return r.await(ctx, "fetching", func(ctx context.Context) error {
		t, found, err := r.Client.Turn(ctx, r.thread, q.turn)
		switch {
		case err != nil:
			return err
		case !found:
			return usage(fmt.Sprintf("This thread has no turn %d.", q.turn))
		case q.decision == 0:
			r.print("\n" + r.Style.ratings(t) + "\n")
			return nil
		}
		d, err := decisionOf(t, q.decision)
		if err != nil {
			return err
		}
		if err := r.Client.Rate(ctx, r.thread, q.turn, d.CallID, q.word, q.note); err != nil {
			return err
		}
		said := "rated " + q.word
		if q.word == "none" {
			said = "is rated no more"
		}
		r.notice(green, "✓", fmt.Sprintf("%d.%d %s %s", q.turn, q.decision, fit(CleanLine(toolName(d)), 40), said))
		return nil
	})
}

// decisionOf returns a decision of a turn by its place, from 1. The error is a sentence for a person.
func decisionOf(t client.Turn, number int) (client.Decision, error) {
	n := 0
	if t.Reasoning != nil {
		n = len(t.Reasoning.Decisions)
	}
	if number > n {
		return client.Decision{}, usage(fmt.Sprintf("Turn %d has %s. /rate %d lists them.", t.Number,
			plural(n, "decision"), t.Number))
	}
	return t.Reasoning.Decisions[number-1], nil
}

// ratings lists the decisions of a turn with the numbers that /rate takes, and what was said of them.
//
//	2.1 grep  "legacy" → 3 matches
//	2.2 delete_file  config/rates.yaml
//	  rated bad: "it was still read"
func (s Style) ratings(t client.Turn) string {
	if t.Reasoning == nil || len(t.Reasoning.Decisions) == 0 {
		return s.paint(dim, fmt.Sprintf("  ─ Turn %d has no decision to rate.", t.Number)) + "\n"
	}
	var out strings.Builder
	number := 0
	for e := range entries(t) {
		number++
		label := fmt.Sprintf("  %d.%d ", t.Number, number)
		name := s.shorten(toolName(e.Decision), cellWidth(label))
		v := viewOf(e.Decision, e.call)
		about := v.object
		if v.result != "" {
			about = strings.TrimSpace(about + " → " + v.result)
		}
		out.WriteString(s.hangAt(s.paint(dim, label)+s.paint(bold, name)+"  ", cellWidth(label+name)+2, dim, about))
		out.WriteString(s.feedback(e))
	}
	return out.String()
}

// feedback is the line with what the user thinks of a decision, "" if nothing.
func (s Style) feedback(e entry) string {
	f := e.Feedback
	if f == nil {
		return ""
	}
	words := fit(CleanLine(f.Rating), 8)
	if f.Note != "" {
		words += `: "` + CleanLine(f.Note) + `"`
	}
	return s.hang(e.margin()+"rated ", dim, words)
}
