package copilot

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"
	"strings"
	"time"

	"candor/attach"
	"candor/attach/rows"
	"candor/attach/turns"
)

// legacy is a session of the versions that kept it as one value: what the model was sent, and what the person saw.
type legacy struct {
	Session  string `json:"sessionId"`
	Model    string `json:"selectedModel"`
	Messages []struct {
		Content json.RawMessage `json:"content"`
		Calls   []struct {
			ID string `json:"id"`
		} `json:"tool_calls"`
	} `json:"chatMessages"`
	Timeline []seen `json:"timeline"`
}

// seen is one thing that the person saw.
type seen struct {
	Type   string          `json:"type"`
	ID     string          `json:"id"`
	Time   string          `json:"timestamp"`
	Text   string          `json:"text"`
	Call   string          `json:"callId"`
	Tool   string          `json:"name"`
	Params json.RawMessage `json:"arguments"`
	Result struct {
		Type string `json:"type"` // success, failure, rejected or denied
		Log  string `json:"log"`
	} `json:"result"`
}

// imported reads a session that a later version took over.
func (r *reader) imported(_ *event, d *struct {
	Session legacy `json:"legacySession"`
}) {
	r.About(attach.About{Model: d.Session.Model})
	answers, texts := d.Session.answers()
	begun := map[string]bool{}
	for i := range d.Session.Timeline {
		s := &d.Session.Timeline[i]
		if !rows.OptionalID(s.ID) {
			r.Lose()
			continue
		}
		at := rows.Time(s.Time)
		id := turns.RowID(s.ID, at)
		switch s.Type {
		case "user":
			r.Prompt(id, at, strip(s.Text), "")
		case "copilot":
			if of := d.Session.nextCall(i); of != "" && texts[answers[of]] == s.Text {
				id = answers[of]
			}
			r.Answer(id, at, "")
			r.Say(s.Text, false)
		case "tool_call_requested", "tool_call_completed":
			if of := answers[s.Call]; of != "" {
				id = of
			}
			// The end of a call stands in the place of its beginning, whose time is lost then.
			if began := at; !begun[s.Call] {
				if s.Type == "tool_call_completed" {
					began = time.Time{}
				}
				r.Answer(id, began, "")
				r.Call(s.Call, s.Tool, s.Params)
			}
			if begun[s.Call] = true; s.Type == "tool_call_completed" {
				r.seenEnd(s, at)
			}
		case "error":
			r.Fail(s.Text)
		default:
			r.Skip("timeline " + s.Type)
		}
	}
}

// seenEnd tells how a call ended.
func (r *reader) seenEnd(s *seen, at time.Time) {
	how, failure := attach.Returned{}, (*string)(nil)
	if s.Result.Type != "success" {
		failure = &s.Result.Log
		how.Denied = s.Result.Type == "denied" || s.Result.Type == "rejected"
	}
	r.Return(s.Call, at, "", s.Result.Log, failure, how)
}

// answers returns the ids of the model's answers, by their calls, and the texts of these answers.
func (l *legacy) answers() (of, texts map[string]string) {
	of, texts = map[string]string{}, map[string]string{}
	for _, m := range l.Messages {
		if len(m.Calls) == 0 || !rows.IsID("of-"+m.Calls[0].ID) {
			continue
		}
		id, text := "of-"+m.Calls[0].ID, ""
		_ = json.Unmarshal(m.Content, &text) // an answer with parts has no text that the person saw as one
		texts[id] = text
		for _, c := range m.Calls {
			of[c.ID] = id
		}
	}
	return of, texts
}

// nextCall returns the id of the call that the person saw next, unless anything else came before it.
func (l *legacy) nextCall(at int) string {
	if at+1 < len(l.Timeline) {
		return l.Timeline[at+1].Call
	}
	return ""
}

// LegacyReader reads a file that is one value. NewLegacyReader makes it.
type LegacyReader struct {
	*turns.Reader
	read int64
}

// NewLegacyReader returns a reader of a file of the versions that kept a session as one value. Such a file does not
// grow: it is written anew.
func NewLegacyReader() *LegacyReader { return &LegacyReader{Reader: NewReader("", false)} }

// Offset returns how many bytes were read.
func (l *LegacyReader) Offset() int64 { return l.read }

// Read yields the sightings of the value in in, as those of the row in which a later version took it over.
func (l *LegacyReader) Read(in io.Reader) iter.Seq2[attach.Sighting, error] {
	return func(yield func(attach.Sighting, error) bool) {
		raw, err := io.ReadAll(io.LimitReader(in, rows.MaxRow))
		if err != nil {
			yield(attach.Sighting{}, err)
			return
		}
		l.read += int64(len(raw))
		if len(bytes.TrimSpace(raw)) == 0 {
			return
		}
		var one bytes.Buffer
		var is legacy
		row := "{}\n" // which is lost, and counted
		if json.Compact(&one, raw) == nil && json.Unmarshal(raw, &is) == nil && rows.IsID(is.Session) {
			row = `{"type":"session.import_legacy","data":{"legacySession":` + one.String() + "}}\n"
			l.Session = is.Session
		}
		l.Reader.Read(strings.NewReader(row))(yield)
	}
}
