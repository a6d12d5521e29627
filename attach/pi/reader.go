package pi

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"candor/attach"
	"candor/attach/rows"
	"candor/attach/turns"
)

// agent is what the sightings of this package call the agent.
const agent = "pi"

// entry is a row of a file, as far as it is read.
type entry struct {
	Type string `json:"type"`
	ID   string `json:"id"`
	Time string `json:"timestamp"`

	// The first row: where the agent works, and the file of the session that this one is a fork of.
	CWD  string `json:"cwd"`
	Fork string `json:"parentSession"`
	// A change of the model, and the title that a person gave the session.
	Model string `json:"modelId"`
	Name  string `json:"name"`

	Message json.RawMessage `json:"message"`
}

// message is one that a person, the model or a tool wrote.
type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	// The model's.
	Model string `json:"model"`
	Usage struct {
		Input     int `json:"input"` // without what was cached
		Output    int `json:"output"`
		Cached    int `json:"cacheRead"`
		Written   int `json:"cacheWrite"`
		Reasoning int `json:"reasoning"`
	} `json:"usage"`
	Stop  string `json:"stopReason"`
	Error string `json:"errorMessage"`
	// A tool's.
	Call   string `json:"toolCallId"`
	Failed bool   `json:"isError"`
}

// block is a part of a message.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"thinkingSignature"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Picture   string          `json:"data"`
}

// reader is what rows tell and later ones need.
type reader struct {
	*turns.Reader
	branch Branch
	// When the session was made a fork of another.
	forked time.Time
}

// NewReader returns a reader of one session file. session is the session's id as the file is named, which counts if the
// row that tells it is damaged. Entries that are not on the branch are left out. growing says that the file may still
// be written.
func NewReader(session string, branch Branch, growing bool) *turns.Reader {
	r := &reader{branch: branch}
	r.Reader = turns.New(agent, growing, decode, r.take)
	if rows.IsID(session) {
		r.Session = session
	}
	return r.Reader
}

// decode decodes a line. It fails if the line is no row, or has a member of another type than it should.
func decode(line []byte) (e entry, ok bool) {
	ok = json.Unmarshal(line, &e) == nil && e.Type != "" && rows.OptionalID(e.ID)
	return e, ok
}

// take reads a row.
func (r *reader) take(e *entry) {
	at := rows.Time(e.Time)
	switch {
	case r.Again(e.ID), e.Type != "session" && !r.Known():
	case r.branch.left[e.ID]:
		r.Skip("entry of a branch that was left")
	case e.Type != "session" && at.Before(r.forked):
		r.Copy()
	case e.Type == "session":
		r.begin(e, at)
	case e.Type == "message":
		r.said(e, at)
	case e.Type == "model_change":
		r.About(attach.About{Model: e.Model})
	case e.Type == "session_info":
		r.About(attach.About{Title: e.Name})
	default:
		r.Skip(e.Type)
	}
}

// begin reads the first row.
func (r *reader) begin(e *entry, at time.Time) {
	if rows.IsID(e.ID) {
		r.Session = e.ID
	}
	if !r.Known() {
		return
	}
	about := attach.About{Folder: e.CWD}
	if id := SessionOf(e.Fork); rows.IsID(id) {
		r.forked, about.ForkOf = at, id
	}
	r.About(about)
}

// SessionOf returns the id of the session in the file at a path, by the file's name; "" if it has none.
func SessionOf(path string) string {
	_, id, _ := strings.Cut(filepath.Base(path), "_")
	id, _ = strings.CutSuffix(id, ".jsonl")
	return id
}

// said reads a message.
func (r *reader) said(e *entry, at time.Time) {
	var m message
	if json.Unmarshal(e.Message, &m) != nil {
		r.Lose()
		return
	}
	list, ok := blocks(m.Content)
	switch {
	case !ok:
		r.Lose()
	case m.Role == "user":
		text, _ := r.plain(list)
		r.Prompt(turns.RowID(e.ID, at), at, text, "")
	case m.Role == "assistant":
		r.answer(turns.RowID(e.ID, at), at, &m, list)
	case m.Role == "toolResult":
		text, cut := r.plain(list)
		how, failure := attach.Returned{Partial: cut}, (*string)(nil)
		if m.Failed {
			failure = &text
		}
		r.Return(m.Call, at, "", text, failure, how)
	default: // what a person ran in a shell, what extensions tell the model, the system's prompt
		r.Skip("message " + m.Role)
	}
}

// blocks returns the parts of a message, which may be a text alone.
func blocks(raw json.RawMessage) (list []block, ok bool) {
	var text string
	if len(raw) == 0 {
		return nil, true
	}
	if json.Unmarshal(raw, &text) == nil {
		return []block{{Type: "text", Text: text}}, true
	}
	return list, json.Unmarshal(raw, &list) == nil
}

// plain returns the texts of a message, and whether there are pictures beside them, which are dropped.
func (r *reader) plain(list []block) (text string, pictures bool) {
	var texts []string
	for _, b := range list {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
		pictures = pictures || b.Picture != ""
		r.Drop(len(b.Picture))
	}
	return strings.Join(texts, "\n"), pictures
}

// answer reads an answer of the model.
func (r *reader) answer(id string, at time.Time, m *message, list []block) {
	r.About(attach.About{Model: m.Model})
	r.Answer(id, at, "")
	for _, b := range list {
		switch {
		case b.Type == "text":
			r.Say(b.Text, false)
		case b.Type == "thinking" && strings.TrimSpace(b.Thinking) != "":
			r.Drop(len(b.Signature))
			r.Say(b.Thinking, true)
		case b.Type == "thinking":
			r.Seal(len(b.Signature))
		case b.Type == "toolCall":
			r.Call(b.ID, b.Name, b.Arguments)
		default:
			r.Skip("block " + b.Type)
		}
	}
	u := m.Usage
	if min(u.Input, u.Cached, u.Written) >= 0 {
		r.Use(attach.Used{Input: u.Input + u.Cached + u.Written, Output: u.Output, Reasoning: u.Reasoning,
			Cached: u.Cached})
	}
	r.Stop(m.Stop)
	switch m.Stop {
	case "aborted":
		r.Close(attach.Ended{Interrupted: true})
	case "error": // the program may try again
		r.Fail(m.Error)
	}
}
