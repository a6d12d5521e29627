package claude

import (
	"encoding/json"
	"errors"
	"hash/maphash"
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

// maxRows bounds the rows that Rows remembers. Each takes about 40 bytes.
const maxRows = 1 << 18

// Rows remembers which session had a row first, so that the readers of a folder's files yield it once. The zero value
// is ready to use. It remembers a bounded number of rows and does not compare later ones. It is not safe for concurrent
// use.
type Rows struct {
	seed  maphash.Seed
	first map[uint64]uint64 // session by row, both hashed
}

// copied reports whether another session had the row; else the row is the session's from now on.
func (r *Rows) copied(uuid, session string) bool {
	if uuid == "" {
		return false
	}
	if r.first == nil {
		r.seed, r.first = maphash.MakeSeed(), map[uint64]uint64{}
	}
	key, owner := maphash.String(r.seed, uuid), maphash.String(r.seed, session)
	had, known := r.first[key]
	if !known && len(r.first) < maxRows {
		r.first[key] = owner
	}
	return known && had != owner
}

// maxHeld bounds the rows that wait for the one which tells whether they are copies, and maxHeldBytes their content.
const (
	maxHeld      = 256
	maxHeldBytes = 4 << 20
)

// copies holds back what a file begins with. A fork begins with the rows of the session it was made of. Those that
// the model said are marked as such and those of a person are not, so that these wait for the next one of the model.
type copies struct {
	// A row of the model was no copy, so that none follows that is.
	over bool
	// Rows that wait, in their order, and the bytes of their content.
	held []*row
	size int
}

// hold keeps a row. It returns rows if there is no room for more.
func (c *copies) hold(in *row) []*row {
	c.held = append(c.held, in)
	c.size += len(in.Message.Content) + len(in.ToolUseResult)
	if len(c.held) <= maxHeld && c.size <= maxHeldBytes {
		return nil
	}
	return c.release()
}

// release returns what was held, and forgets it.
func (c *copies) release() []*row {
	list := c.held
	c.held, c.size = nil, 0
	return list
}

// Spawned returns the sighting that a sub-agent began, read from the file agent-ID.meta.json beside its session file,
// which names the call that started it. session and sub are the ids in the file's path.
func Spawned(meta []byte, session, sub string) (attach.Sighting, error) {
	// The program keeps more in the file, such as how deep sub-agents stand in one another, which the places of the
	// session files do not show.
	var in struct {
		Type   string `json:"agentType"`
		Call   string `json:"toolUseId"`
		Model  string `json:"model"`
		Effort string `json:"effort"`
		Shape  string `json:"requestShape"`
	}
	if json.Unmarshal(meta, &in) != nil || !rows.OptionalID(in.Call) || !rows.IsID(session) || !rows.IsID(sub) {
		return attach.Sighting{}, errors.New("this is not a description of a sub-agent, or it is damaged")
	}
	kind, _ := rows.Shorten(in.Type)
	model, _ := rows.Shorten(in.Model)
	effort, _ := rows.Shorten(in.Effort)
	return attach.Sighting{Agent: agent, Session: session, Channel: attach.File, Sub: sub, Call: in.Call,
		Spawned: &attach.Spawned{Kind: kind, Model: model, Effort: effort, Background: in.Shape == "background"}}, nil
}
