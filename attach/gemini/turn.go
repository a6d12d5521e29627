package gemini

import (
	"bytes"
	"encoding/json"
	"io"

	"candor/attach/rows"
)

// Turn holds what the session file says about the turn that a hook belongs to.
type Turn struct {
	ID     string `json:"turn,omitempty"` // of the prompt
	Prompt string `json:"prompt,omitempty"`
	By     string `json:"by,omitempty"`     // who wrote it, if no person did
	Time   string `json:"time,omitempty"`   // of the prompt
	Answer string `json:"answer,omitempty"` // what the model said last, if it asked for no call with it
}

// WithTurn returns a hook's payload with the turn that it belongs to, which hooks do not name. While a call runs, and
// when an answer is complete, it is the turn of the latest prompt in the session file. When a turn begins, its prompt
// is not in the file yet, so payloads of beginnings stay unchanged, as does raw if it is no payload or its file cannot
// be read. open opens the file that the payload names.
func WithTurn(raw []byte, open func(path string) (io.ReadSeekCloser, error)) []byte {
	var p payload
	if json.Unmarshal(raw, &p) != nil || p.File == "" {
		return raw
	}
	switch p.Event {
	case "BeforeTool", "AfterTool", "AfterAgent":
		return rows.Complete(raw, p.File, open, latest)
	}
	return raw
}

// latest returns the latest turn in a session file.
func latest(file io.ReadSeeker) (t Turn, ok bool) {
	// The reader knows which messages are a person's; what it counts nobody reads.
	r := NewReader(nil, true)
	answered := false
	err := rows.Backward(file, func(line []byte) bool {
		// Most of a file are answers with the results of their calls, long to decode. Only the last one counts.
		if !bytes.Contains(line, []byte(`"user"`)) && (answered || !bytes.Contains(line, []byte(`"gemini"`))) {
			return true
		}
		row, isRow := decodeRecord(line)
		if !isRow || row.ID == "" {
			return true
		}
		switch row.Type {
		case "user":
			answered = true
			if text, isPrompt := r.promptOf(&row); isPrompt {
				text, _ = rows.Shorten(text)
				t.ID, t.Prompt, t.Time = row.ID, text, row.Time
				return false
			}
		case "gemini":
			list, isContent := parts(row.Content)
			if !answered && isContent && len(row.Calls) == 0 {
				t.Answer, _ = rows.Shorten(joined(list))
			}
			answered = true
		}
		return true
	})
	return t, err == nil && t.ID != ""
}
