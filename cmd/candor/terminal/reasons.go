package terminal

import (
	"strings"

	"candor/web/client"
)

// Sentences of /reasoning that a conversation and an answer to a message share.
const (
	noneEnded    = "No turn of this thread has ended yet."
	nothingFound = "Nothing in this thread has all of these words."
)

// Which turns a /reasoning command is about.
type selection int

const (
	lastTurn   selection = iota // the latest that has ended
	oneTurn                     // the one with a number
	allTurns                    // all that have ended
	foundTurns                  // those in which words occur
)

// reasonsQuery is a /reasoning command, parsed.
type reasonsQuery struct {
	which  selection
	number int      // of oneTurn
	words  []string // of foundTurns
}

// parseReasons parses the arguments of /reasoning. The error is a sentence for whoever
// typed them.
func parseReasons(args []string) (q reasonsQuery, err error) {
	const how usage = "/reasoning takes the number of a turn, all, last, or search WORDS."
	switch {
	case len(args) == 0, len(args) == 1 && args[0] == "last":
		return reasonsQuery{which: lastTurn}, nil
	case args[0] == "search" && len(args) > 1:
		return reasonsQuery{which: foundTurns, words: args[1:]}, nil
	case args[0] == "search":
		return q, usage("/reasoning search needs words to look for, such as /reasoning search login slow.")
	case len(args) > 1:
		return q, how
	case args[0] == "all":
		return reasonsQuery{which: allTurns}, nil
	}
	n, ok := parseNumber(args[0])
	if !ok {
		return q, how
	}
	return reasonsQuery{which: oneTurn, number: n}, nil
}

// IsReasoning reports whether a message is the command /reasoning, with or without
// arguments.
func IsReasoning(message string) bool {
	words := strings.Fields(message)
	return len(words) > 0 && words[0] == "/reasoning"
}

// Reasons answers a message for which [IsReasoning] is true, in the words that the command
// prints in a conversation. turns are those of the thread, the oldest first.
func (s Style) Reasons(message string, turns []client.Turn) string {
	args := strings.Fields(message)[1:]
	q, err := parseReasons(args)
	if err != nil {
		return err.Error()
	}
	var ended []client.Turn
	for _, t := range turns {
		if t.Ended() {
			ended = append(ended, t)
		}
	}
	if q.which == oneTurn {
		for _, t := range turns {
			if t.Number == q.number {
				return s.Detail(t, "")
			}
		}
		return s.NoTurn(args[0])
	}
	var out []string
	for _, t := range ended {
		text := ""
		if q.which == foundTurns {
			text = s.Hits(t, q.words)
		} else {
			text = s.Detail(t, "")
		}
		if text != "" {
			out = append(out, text)
		}
	}
	switch {
	case len(out) == 0 && q.which == foundTurns:
		return nothingFound
	case len(out) == 0:
		return noneEnded
	case q.which == foundTurns:
		return strings.Join(out, "")
	case q.which == lastTurn:
		return out[len(out)-1]
	}
	return strings.Join(out, "\n")
}
