package claude

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"candor/attach/rows"
)

// maxIndex bounds the place of a block in its answer.
const maxIndex = 1 << 16

// row is a row of a session file, as far as it is read.
type row struct {
	// What the row is. A person's messages and the results of calls are user, the model's blocks assistant; the
	// program has some twenty types more for its own affairs, and adds to them.
	Type    string `json:"type"`
	Subtype string `json:"subtype"`

	// The row's own id, which a copy in a fork keeps, and the session, which a copy does not: it has the fork's.
	UUID      string `json:"uuid"`
	SessionID string `json:"sessionId"`
	// In a copy of a row of the model: the session in which the model said it.
	RequestSessionID string `json:"requestSessionId"`

	// The prompt that a row of a person or a result belongs to. Rows of the model do not have it. In a copy it is the
	// fork's first prompt.
	PromptID string `json:"promptId"`
	// The sub-agent whose file this is.
	AgentID   string `json:"agentId"`
	Timestamp string `json:"timestamp"`

	// The program's version, and the folder in which it works.
	Version string `json:"version"`
	CWD     string `json:"cwd"`

	// What was said, and the block's place in the answer, which older versions do not tell.
	Message    message `json:"message"`
	BlockIndex *int    `json:"apiBlockIndex"`

	// Messages that no person wrote: the program's own, and its summary of what no longer fits.
	IsMeta           bool `json:"isMeta"`
	IsCompactSummary bool `json:"isCompactSummary"`
	// What else wrote a message, such as task-notification.
	Origin struct {
		Kind string `json:"kind"`
	} `json:"origin"`
	// An answer that is the news of an error.
	IsAPIError bool `json:"isApiErrorMessage"`

	// The result of a call as the program keeps it: an object that depends on the tool, or a text if the call failed.
	ToolUseResult json.RawMessage `json:"toolUseResult"`
	// Who refused the call, such as user-rejected, which rules of the settings are, too.
	ToolDenialKind string `json:"toolDenialKind"`

	// The kind of what the program told the model beside the messages.
	Attachment struct {
		Type string `json:"type"`
	} `json:"attachment"`

	// The session's title, in rows that have nothing else: one that the program wrote, a model, or a person.
	Summary     string `json:"summary"`
	AITitle     string `json:"aiTitle"`
	CustomTitle string `json:"customTitle"`

	// The row was too long, and only its turn is known.
	lost bool
}

// closesTurn reports whether the program wrote a row when a turn was over.
func (r *row) closesTurn() bool { return r.Type == "system" && r.Subtype == "turn_duration" }

// tooLong returns what the beginning of a row that is too long tells of it: its turn, so that the rows behind it are
// given in the same. ok is false if it does not tell.
func tooLong(beginning []byte) (r *row, ok bool) {
	var kind, prompt string
	d := json.NewDecoder(bytes.NewReader(beginning))
	_, _ = d.Token() // what is no object has no members
	for d.More() {
		var value json.RawMessage
		name, err := d.Token()
		if err != nil || d.Decode(&value) != nil {
			break // here begins what is too long
		}
		switch name {
		case "type":
			_ = json.Unmarshal(value, &kind) // of another type it is no row of a person
		case "promptId":
			_ = json.Unmarshal(value, &prompt)
		}
	}
	return &row{Type: kind, PromptID: prompt, lost: true}, kind == "user" && rows.IsID(prompt)
}

// message is the API's message in a row.
type message struct {
	ID         string `json:"id"`
	Model      string `json:"model"`
	StopReason string `json:"stop_reason"`
	// A text, or blocks: one of the model's in each row.
	Content json.RawMessage `json:"content"`
	// The same in all rows of an answer, or growing.
	Usage *usage `json:"usage"`
}

// usage counts an answer's tokens as the API does: those of the cache are no part of input_tokens.
type usage struct {
	Input   int `json:"input_tokens"`
	Written int `json:"cache_creation_input_tokens"`
	Cached  int `json:"cache_read_input_tokens"`
	Output  int `json:"output_tokens"`
	Details struct {
		Thinking int `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// block is a part of a message's content.
type block struct {
	Type string `json:"type"`
	Text string `json:"text"`

	// Of a thought: its text, which is mostly empty, and what only the provider can read.
	Thinking  string `json:"thinking"`
	Signature string `json:"signature"`
	Redacted  string `json:"data"`

	// Of a call. The program adds arguments that are missing and have a default.
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`

	// Of a result, as the model read it: a text, or blocks of text and images.
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

// decodeRow decodes a line. It fails if the line is no row, or has a member of another type than it should, or is of a
// kind that is read and has no session that could be told.
func decodeRow(line []byte) (r row, ok bool) {
	if json.Unmarshal(line, &r) != nil || r.Type == "" {
		return row{}, false
	}
	// The program's own affairs, such as file-history-snapshot, name no session.
	if !r.isRead() {
		return r, true
	}
	return r, rows.IsID(r.SessionID) && rows.OptionalID(r.UUID) && rows.OptionalID(r.PromptID) &&
		rows.OptionalID(r.AgentID) && rows.OptionalID(r.Message.ID) &&
		(r.BlockIndex == nil || *r.BlockIndex >= 0 && *r.BlockIndex <= maxIndex)
}

// isRead reports whether rows of this type tell anything: messages, and titles.
func (r *row) isRead() bool {
	switch r.Type {
	case "user", "assistant", "ai-title", "custom-title", "summary":
		return true
	}
	return false
}

// at returns the time of the row; zero if it has none that can be read.
func (r *row) at() time.Time { return rows.Time(r.Timestamp) }

// kind names the row's kind for [rows.Report]: its type, and its subtype or that of its attachment.
func (r *row) kind() string {
	return strings.TrimSpace(r.Type + " " + r.Subtype + r.Attachment.Type)
}

// blocks returns the blocks of a message; a text is one block of type text. ok is false if the content is
// neither.
func blocks(content json.RawMessage) (list []block, ok bool) {
	if len(content) > 0 && content[0] == '"' {
		var text string
		err := json.Unmarshal(content, &text)
		return []block{{Type: "text", Text: text}}, err == nil
	}
	if json.Unmarshal(content, &list) != nil || list == nil {
		return nil, false
	}
	return list, true
}
