package terminal

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"candor/web/client"
)

// unknown is the outcome of an observed call whose turn ended before its result was seen.
const unknown = "unknown"

// outcome says how a call ended and how much it returned: "3 documents found",
// "success (4,321 bytes)", "error: no such file".
func outcome(d client.Decision, c client.Call) string { return outcomeWith(d, c, " found") }

// outcomeWith is outcome with another word after the items of a list, "" for none.
func outcomeWith(d client.Decision, c client.Call, found string) string {
	words := cmp.Or(CleanLine(d.Outcome), "unknown")
	switch {
	case d.Decides && d.Outcome == "success":
		words = decidedBy(d)
	case d.Outcome == unknown:
		words = "no result seen"
	case d.Outcome == "success":
		words = success(c.Shape, found)
	case d.Approval == "deny", d.Approval == "expired":
		words += map[string]string{
			"deny": ": denied by a person", "expired": ": nobody approved it in time",
		}[d.Approval]
	case c.Error != "":
		words += ": " + fit(CleanLine(c.Error), 160)
	}
	if d.Sighted.Partial && d.Outcome == "success" {
		words += ", a part of the result"
	}
	if !d.Decides && (d.Approval == "approve" || d.Approval == "always") {
		words += ", approved"
	}
	if c := sure(d.Confidence); c != "" {
		words += ", " + c
	}
	return words
}

// success says how much a call returned in the most telling unit known: items,
// characters or bytes. found follows the items.
func success(s *client.ResultShape, found string) string {
	switch {
	case s == nil:
		return "success"
	case s.Items != nil && s.Of != "":
		return count(*s.Items) + " " + itemNoun(s.Of, *s.Items) + found
	case s.Items != nil:
		return "success (" + plural(*s.Items, "item") + ")"
	// A command that exits with an error is a successful call: it ran and its output is known.
	case s.ExitCode != nil && *s.ExitCode != 0:
		return fmt.Sprintf("success (exit %d, %s)", *s.ExitCode, plural(chars(s), "char"))
	case s.ExitCode != nil:
		return "success (" + plural(chars(s), "char") + ")"
	}
	return "success (" + plural(s.Bytes, "byte") + ")"
}

// chars returns the number of characters of a result, 0 if unknown.
func chars(s *client.ResultShape) int {
	if s.Chars == nil {
		return 0
	}
	return *s.Chars
}

// itemNoun returns the noun for the items of a list, in the singular for one.
func itemNoun(of string, n int) string {
	of = fit(CleanLine(of), 20)
	switch {
	case n != 1:
		return of
	case of == "matches":
		return "match"
	case strings.HasSuffix(of, "ies"):
		return strings.TrimSuffix(of, "ies") + "y"
	}
	return strings.TrimSuffix(of, "s")
}

// resultLine sums up a result in one line while the turn runs: its size where the
// shape is known, else the beginning of its preview.
func resultLine(preview string, s *client.ResultShape) string {
	switch {
	case s != nil && s.Items != nil && s.Of != "":
		words := "Found " + count(*s.Items) + " " + itemNoun(s.Of, *s.Items)
		if s.Query != "" {
			words += ` matching "` + CleanLine(s.Query) + `"`
		}
		return words
	case s != nil && s.ExitCode != nil:
		return fmt.Sprintf("Exit %d — stdout: %s", *s.ExitCode, plural(chars(s), "char"))
	}
	// The preview of a text is a JSON string. Its first line is worth more than its quotes.
	var text string
	if json.Unmarshal([]byte(preview), &text) == nil {
		line, rest, more := strings.Cut(strings.TrimSpace(text), "\n")
		if more && strings.TrimSpace(rest) != "" {
			line += " …"
		}
		return truncate(CleanLine(line), maxParams)
	}
	return compact([]byte(preview), maxParams)
}

// interrupted says that a turn was interrupted, and that a restart of the server did it if that is the cause.
func (s Style) interrupted(why client.Interruption) string {
	text := "Interrupted."
	if why.By == "restart" {
		text = "Interrupted: the server restarted. It was last heard of at " +
			why.LastHeardAt.Local().Format(time.TimeOnly) +
			"; what ran then may have finished."
	}
	return s.hangAt(s.paint(yellow, "  ─ "), 4, "", text)
}
