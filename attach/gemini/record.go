package gemini

import (
	"bytes"
	"encoding/json"
	"strings"

	"candor/attach/rows"
)

// record is a row of a session file, as far as it is read.
type record struct {
	// Of the row that a file begins with, and that stands again where a session was resumed.
	Session     string `json:"sessionId"`
	ProjectHash string `json:"projectHash"`
	Kind        string `json:"kind"`

	// Of a message: its id, under which it may stand in several rows, and who wrote it: user, gemini, or the program.
	ID      string          `json:"id"`
	Type    string          `json:"type"`
	Time    string          `json:"timestamp"`
	Content json.RawMessage `json:"content"`
	// What a person typed, if the program added to it what the model is to read.
	Display json.RawMessage `json:"displayContent"`

	// Of an answer of the model.
	Model    string    `json:"model"`
	Thoughts []thought `json:"thoughts"`
	Tokens   *tokens   `json:"tokens"`
	Calls    []call    `json:"toolCalls"`

	// Changes of what stands before: of some members of the session, or of all its messages; and a step back.
	Set    *changes `json:"$set"`
	Rewind string   `json:"$rewindTo"`
}

// changes are the members of a session that a row sets.
type changes struct {
	Session  string            `json:"sessionId"`
	Summary  string            `json:"summary"`
	Messages []json.RawMessage `json:"messages"`
}

// thought is the provider's summary of a part of the model's reasoning.
type thought struct {
	Subject     string `json:"subject"`
	Description string `json:"description"`
}

// text returns the thought as one text.
func (t thought) text() string {
	return strings.TrimSpace(strings.TrimSpace(t.Subject) + "\n" + strings.TrimSpace(t.Description))
}

// tokens count those of an answer. Those of thoughts are no part of the output; cached ones are part of the input.
type tokens struct {
	Input    int `json:"input"`
	Output   int `json:"output"`
	Cached   int `json:"cached"`
	Thoughts int `json:"thoughts"`
	Tool     int `json:"tool"`
}

// call is a call in an answer, and how it ended.
type call struct {
	// The provider's id behind the tool's name, or one that the program made.
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
	// success, error or cancelled, or what a call is that has not ended.
	Status string `json:"status"`
	Time   string `json:"timestamp"`
	// What the model was sent, and what the person was shown.
	Result  json.RawMessage `json:"result"`
	Display json.RawMessage `json:"resultDisplay"`
	// The sub-agent that the call began.
	Agent string `json:"agentId"`
}

// part is a part of a message's content.
type part struct {
	Text     string          `json:"text"`
	Thought  bool            `json:"thought"`
	Inline   json.RawMessage `json:"inlineData"`
	Response *struct {
		Response struct {
			Output json.RawMessage `json:"output"`
			Error  json.RawMessage `json:"error"`
		} `json:"response"`
	} `json:"functionResponse"`
}

// decodeRecord decodes a line. It fails if the line is no row of a session, or has a member of another type than it
// should, or an id that no program makes.
func decodeRecord(line []byte) (r record, ok bool) {
	if json.Unmarshal(line, &r) != nil || !rows.OptionalID(r.Session) || !rows.OptionalID(r.ID) {
		return record{}, false
	}
	switch {
	case r.Set != nil:
		return r, rows.OptionalID(r.Set.Session)
	case r.Rewind != "":
		return r, true
	case r.ID != "":
		return r, r.Type != ""
	case r.Type == "user" || r.Type == "gemini":
		// Without an id a message is known by its time, which it keeps when it is written again.
		r.ID = "at-" + r.Time
		return r, rows.IsID(r.Time)
	}
	return r, r.Session != "" && r.ProjectHash != ""
}

// parts returns the parts of a content, which is a text, a part or a list of both; ok is false if it is neither.
func parts(content json.RawMessage) (list []part, ok bool) {
	content = bytes.TrimSpace(content)
	switch {
	case len(content) == 0 || bytes.Equal(content, []byte("null")):
		return nil, true
	case content[0] == '"':
		var text string
		err := json.Unmarshal(content, &text)
		return []part{{Text: text}}, err == nil
	case content[0] == '{':
		var one part
		err := json.Unmarshal(content, &one)
		return []part{one}, err == nil
	}
	// Each part of a list may be a text as well.
	var each []json.RawMessage
	if json.Unmarshal(content, &each) != nil {
		return nil, false
	}
	for _, raw := range each {
		// A list in a list would be no content of the program's.
		if len(raw) > 0 && raw[0] == '[' {
			return nil, false
		}
		one, ok := parts(raw)
		if !ok {
			return nil, false
		}
		list = append(list, one...)
	}
	return list, true
}

// joined returns the text of parts without the model's thoughts.
func joined(list []part) string {
	var b strings.Builder
	for _, p := range list {
		if !p.Thought {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// inline returns how many bytes of parts are no text, such as images.
func inline(list []part) (n int) {
	for _, p := range list {
		n += len(p.Inline)
	}
	return n
}
