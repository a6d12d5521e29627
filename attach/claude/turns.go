package claude

import (
	"regexp"
	"strings"

	"candor/attach"
	"candor/attach/rows"
)

// begin returns the beginning of a turn, and the end of the one before it if no row told of that.
func (r *Reader) begin(s attach.Sighting) (out []attach.Sighting) {
	out = r.close()
	if r.open.Session != "" && r.open.Turn != s.Turn {
		out = append(out, r.over()...)
	}
	r.touch(s)
	return append(out, s)
}

// touch notes that something happened in a turn, which is thus not over, unless a row said so. A sub-agent has one
// turn.
func (r *Reader) touch(s attach.Sighting) {
	if s.At.IsZero() {
		s.At = r.open.At
	}
	same := s.Sub == r.done.Sub && (s.Sub != "" || s.Turn == r.done.Turn)
	if r.done.Session == "" || !same {
		r.open = attach.Sighting{Agent: s.Agent, Session: s.Session, Channel: s.Channel, At: s.At, Turn: s.Turn,
			Sub: s.Sub}
	}
}

// isDone notes that a row ended a turn.
func (r *Reader) isDone(s attach.Sighting) { r.open, r.done, r.spoken = attach.Sighting{}, s, "" }

// ended returns the end of a turn, as a row tells of it.
func (r *Reader) ended(s attach.Sighting, how attach.Ended) []attach.Sighting {
	r.isDone(s)
	s.Ended = &how
	return []attach.Sighting{s}
}

// over returns the end of a turn of which no row told: what the model said last is its answer, if it asked for no calls
// with it. It stands where the turn was heard of last.
func (r *Reader) over() []attach.Sighting {
	if r.open.Session == "" {
		return nil
	}
	return r.ended(r.open, attach.Ended{Answer: r.spoken})
}

// lose returns that something is lost, where the open turn is.
func (r *Reader) lose() []attach.Sighting {
	r.answer.lost = true
	if r.open.Session == "" {
		return nil
	}
	s := r.open
	s.Group, s.Said = rows.LostGroup(r.place.Offset), &attach.Said{Lost: true}
	return []attach.Sighting{s}
}

// clientWords begin what the client writes in a person's name: a command of the client's own, and what it printed.
var clientWords = regexp.MustCompile(`^\s*<(command-name|command-message|command-args|bash-input|bash-stdout|` +
	`bash-stderr|` +
	`local-command-caveat|local-command-stdout|local-command-stderr|user-memory-input)>`)

// commandParts are what the client writes of a command.
var commandParts = regexp.MustCompile(`(?s)<(command-name|command-args|bash-input)>(.*?)</(?:command-name|` +
	`command-args|` +
	`bash-input)>`)

// commandOf returns a command as the person typed it, if a text is that of a command of the client or of what it
// printed, for which command is empty.
func commandOf(text string) (command string, is bool) {
	if !clientWords.MatchString(text) {
		return "", false
	}
	var words []string
	for _, part := range commandParts.FindAllStringSubmatch(text, -1) {
		word := strings.TrimSpace(part[2])
		if part[1] == "bash-input" {
			word = "!" + word
		}
		words = append(words, word)
	}
	return strings.TrimSpace(strings.Join(words, " ")), true
}

// commanded returns the beginning of the turn of a command that the model answers.
func (r *Reader) commanded() []attach.Sighting {
	if r.command == nil {
		return nil
	}
	s := *r.command
	r.command = nil
	return r.begin(s)
}
