package opencode

import (
	"encoding/json"
	"time"

	"candor/attach/rows"
)

// agent is what the sightings of this package call the agent.
const agent = "opencode"

// millis is a time in milliseconds since 1970, as the program writes it.
type millis int64

// time returns the time; zero if it is none of a program.
func (m millis) time() time.Time {
	t := time.UnixMilli(int64(m)).UTC()
	if m <= 0 || t.Year() < 2000 || t.Year() > 9999 {
		return time.Time{}
	}
	return t
}

// session is a conversation, or the part of one that a sub-agent has.
type session struct {
	ID string `json:"id"`
	// The session whose call began this one; empty for the one that a person speaks to.
	ParentID string `json:"parentID"`
	// The folder in which the agent works, the title, and the program's version.
	Directory string `json:"directory"`
	Title     string `json:"title"`
	Version   string `json:"version"`
	Time      struct {
		Created millis `json:"created"`
		Updated millis `json:"updated"`
	} `json:"time"`
}

// message is a message of a person or an answer of the model.
type message struct {
	ID   string `json:"id"`
	Role string `json:"role"`
	// Of an answer: the person's message.
	ParentID string `json:"parentID"`
	Model    string `json:"modelID"`
	// Why the answer ended, such as stop, or tool-calls if another one follows.
	Finish string `json:"finish"`
	// Of an answer true: it sums up what no longer fits. Of a person's message an object that is not read.
	Summary json.RawMessage `json:"summary"`
	// When it began, and of an answer when it was whole.
	Time struct {
		Created   millis `json:"created"`
		Completed millis `json:"completed"`
	} `json:"time"`
	// Why the provider gave no answer, or MessageAbortedError if a person stopped it.
	Error *struct {
		Name string `json:"name"`
		Data struct {
			Message string `json:"message"`
		} `json:"data"`
	} `json:"error"`
}

// part is a part of a message. The program has a dozen types and adds to them: those of a person's files, of snapshots
// of the folder and of retries are counted and not read.
type part struct {
	Type string `json:"type"`
	// Of a text or a thought. A synthetic text is one that the program wrote in the place of a person.
	Text      string `json:"text"`
	Synthetic bool   `json:"synthetic"`
	// A text that is still being written has no end.
	Time struct {
		Start millis `json:"start"`
		End   millis `json:"end"`
	} `json:"time"`
	// What the provider wants back with a thought, some of which only it can read.
	Metadata json.RawMessage `json:"metadata"`

	// Of a call: the tool, the provider's id, and how far it is.
	Tool   string `json:"tool"`
	CallID string `json:"callID"`
	State  state  `json:"state"`

	// Of a step-finish: what the answer cost, and why it ended.
	Tokens tokens `json:"tokens"`
	Reason string `json:"reason"`
}

// state is how far a call is. Pending calls have not all of their parameters; completed ones have an output, and those
// that failed an error in its place.
type state struct {
	Status   string          `json:"status"` // pending, running, completed, error
	Input    json.RawMessage `json:"input"`
	Output   string          `json:"output"`
	Error    string          `json:"error"`
	Metadata json.RawMessage `json:"metadata"` // depends on the tool
	// Images and files beside the output.
	Attachments json.RawMessage `json:"attachments"`
	Time        struct {
		Start millis `json:"start"`
		End   millis `json:"end"`
	} `json:"time"`
}

// tokens counts what an answer cost. Those of the cache are no part of Input, nor is Reasoning one of Output.
type tokens struct {
	Input     int `json:"input"`
	Output    int `json:"output"`
	Reasoning int `json:"reasoning"`
	Cache     struct {
		Read  int `json:"read"`
		Write int `json:"write"`
	} `json:"cache"`
}

// valid reports whether the ids of a message are those of a program, and its role one that is known.
func (m *message) valid() bool {
	return rows.IsID(m.ID) && rows.OptionalID(m.ParentID) && (m.Role == "user" || m.Role == "assistant")
}

// valid reports whether the ids of a session are those of a program.
func (s *session) valid() bool { return rows.IsID(s.ID) && rows.OptionalID(s.ParentID) }
