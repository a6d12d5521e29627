package gemini

import (
	"encoding/json"
	"fmt"
	"strings"

	"candor/attach"
	"candor/attach/rows"
)

// NewQwenReader returns a reader of one session file of Qwen Code. The program was made of Gemini CLI and keeps the
// same parts of messages, but in rows like Claude Code's: a row is written once, and the results of calls have rows of
// their own.
func NewQwenReader(growing bool) *Reader {
	r := NewReader(nil, growing)
	r.program = qwen
	return r
}

// qwenRow is a row of such a file, as far as it is read.
type qwenRow struct {
	UUID      string `json:"uuid"`
	Session   string `json:"sessionId"`
	Time      string `json:"timestamp"`
	Type      string `json:"type"` // user, assistant, tool_result or system
	Subtype   string `json:"subtype"`
	CWD       string `json:"cwd"`
	Version   string `json:"version"`
	Model     string `json:"model"`
	Sidechain bool   `json:"isSidechain"`
	Message   struct {
		Parts json.RawMessage `json:"parts"`
	} `json:"message"`
	Usage *struct {
		Prompt     int `json:"promptTokenCount"`
		Candidates int `json:"candidatesTokenCount"`
		Cached     int `json:"cachedContentTokenCount"`
		Thoughts   int `json:"thoughtsTokenCount"`
	} `json:"usageMetadata"`
	// How a call ended, which the parts do not tell.
	Ended struct {
		Call   string          `json:"callId"`
		Status string          `json:"status"`
		Result json.RawMessage `json:"result"`
	} `json:"toolCallResult"`
	// Of a row of the program: a title, and what a person typed if the message has more.
	Payload struct {
		Title string `json:"customTitle"`
		Typed string `json:"displayText"`
	} `json:"systemPayload"`
	// The session that a fork copied the row of.
	Forked struct {
		Session string `json:"sessionId"`
	} `json:"forkedFrom"`
}

// qwenPart is a part of a message that asks for a call, or has its result.
type qwenPart struct {
	Text    string          `json:"text"`
	Thought bool            `json:"thought"`
	Inline  json.RawMessage `json:"inlineData"`
	Call    *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	Response *struct {
		ID string `json:"id"`
	} `json:"functionResponse"`
}

// decodeQwen decodes a line. It fails if the line is no row, or has a member of another type than it should.
func decodeQwen(line []byte) (in qwenRow, ok bool) {
	ok = json.Unmarshal(line, &in) == nil && in.Type != "" && rows.IsID(in.Session) && rows.OptionalID(in.UUID)
	return in, ok
}

// takeQwen reads a row.
func (r *Reader) takeQwen(in *qwenRow) {
	switch {
	case in.Forked.Session != "" && rows.IsID(in.Forked.Session):
		r.session = in.Session
		r.report.Copied++
		r.tell(attach.About{ForkOf: in.Forked.Session})
		return
	case in.Sidechain:
		r.report.Skip("row of a sub-agent")
		return
	}
	r.session = in.Session
	var news attach.About
	news.Folder, _ = rows.Shorten(in.CWD)
	news.Version, _ = rows.Shorten(in.Version)
	news.Model, _ = rows.Shorten(in.Model)
	news.Title, _ = rows.Shorten(in.Payload.Title)
	r.tell(news)
	var list []qwenPart
	if len(in.Message.Parts) > 0 && json.Unmarshal(in.Message.Parts, &list) != nil {
		r.report.Malformed, r.lost = r.report.Malformed+1, true
		return
	}
	switch {
	case in.asks():
		r.qwenPrompt(in, list)
	case in.Type == "assistant":
		r.qwenAnswer(in, list)
	case in.Type == "tool_result":
		r.qwenResults(in, list)
	case in.Subtype == "turn_result": // which the program writes when a turn is over
		r.end(attach.Ended{})
		r.report.Skip("system turn_result")
	case in.Payload.Title == "":
		r.report.Skip(strings.TrimSpace(in.Type + " " + in.Subtype))
	}
}

// asks reports whether a row is a message of a person, or of the program in a person's place.
func (in *qwenRow) asks() bool {
	return in.Type == "user" && (in.Subtype == "" || in.Subtype == "notification" || in.Subtype == "cron")
}

// text returns what a person typed of a message.
func (in *qwenRow) text(list []qwenPart) string {
	var texts []string
	for _, p := range list {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return firstOf(in.Payload.Typed, strings.Join(texts, "\n"))
}

// qwenPrompt reads a message of a person, or of the program in a person's place.
func (r *Reader) qwenPrompt(in *qwenRow, list []qwenPart) {
	text := in.text(list)
	if text == "" {
		r.report.Skip("user message without text")
		return
	}
	r.prompt(&record{ID: rowID(in), Time: in.Time}, text, in.Subtype)
}

// rowID returns the id of a row, or one of its time.
func rowID(in *qwenRow) string {
	if in.UUID != "" {
		return in.UUID
	}
	return "at-" + rows.Time(in.Time).Format("20060102T150405.000000000")
}

// qwenAnswer reads an answer of the model, whose parts are in the order in which it said them.
func (r *Reader) qwenAnswer(in *qwenRow, list []qwenPart) {
	if s := r.command; s != nil {
		r.command = nil
		r.ask(*s)
	}
	id := rowID(in)
	r.next(id)
	s := r.sighting(&record{Time: in.Time})
	s.Group = id
	for i, p := range list {
		one := s
		one.Index = i
		r.report.Sealed += len(p.Inline)
		switch {
		case p.Call != nil && p.Call.Name != "":
			var cut bool
			one.Called, cut = calledOf(p.Call.Name, p.Call.Args)
			r.countCut(cut)
			one.Call = r.names.Began(p.Call.ID, fmt.Sprintf("%s-%d", id, i))
			r.last.more = true
			r.give(one)
		case p.Call != nil:
			r.report.Malformed++
		case strings.TrimSpace(p.Text) != "":
			text, cut := rows.Shorten(p.Text)
			r.countCut(cut)
			one.Said = &attach.Said{Text: text, Summary: p.Thought}
			if !p.Thought {
				r.last.text = strings.TrimPrefix(r.last.text+"\n\n"+text, "\n\n")
			}
			r.give(one)
		}
	}
	if u := in.Usage; u != nil {
		r.used(s, &tokens{Input: u.Prompt, Output: u.Candidates, Cached: u.Cached, Thoughts: u.Thoughts})
	}
}

// qwenResults reads how calls ended.
func (r *Reader) qwenResults(in *qwenRow, list []qwenPart) {
	var raws []json.RawMessage
	_ = json.Unmarshal(in.Message.Parts, &raws) // they were read before
	ended := false
	for i, p := range list {
		if p.Response == nil {
			continue
		}
		ended = true
		r.qwenResult(in, firstOf(p.Response.ID, in.Ended.Call), raws[i])
	}
	if !ended {
		r.qwenResult(in, in.Ended.Call, in.Ended.Result)
	}
}

// qwenResult gives how a call ended.
func (r *Reader) qwenResult(in *qwenRow, id string, result json.RawMessage) {
	s := r.sighting(&record{Time: in.Time})
	if s.Call = r.names.Ended(id); s.Call == "" {
		r.report.Malformed++
		return
	}
	status := in.Ended.Status
	if list, ok := parts(result); ok && status == "" {
		if status = "success"; firstOf(second(outcome(list))) != "" {
			status = "error"
		}
	}
	if !r.ended(s, &call{Status: status, Time: in.Time, Result: result}, true) {
		r.report.Skip("tool_result " + status)
	}
}

// second returns the second of two texts.
func second(_, text string) string { return text }
