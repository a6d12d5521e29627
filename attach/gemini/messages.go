package gemini

import (
	"encoding/json"
	"regexp"
	"strings"

	"candor/attach"
	"candor/attach/rows"
)

// maxCalls bounds the calls of one answer that are given.
const maxCalls = 1000

// answer is an answer of the model, as far as it was given.
type answer struct {
	id, text string
	thoughts int
	used     attach.Used
	// called says of each call that was given whether its end was, too. more says that there are calls, of which a row
	// may be lost.
	called map[string]bool
	more   bool
}

// contexts begin what the program itself tells the model in a person's name.
var contexts = []string{"<session_context>", "<hook_context>", "This is the Gemini CLI. We are setting up the context",
	"I ran the following shell command:"}

// folderIn finds the folder in which the agent works in what the program tells the model of the session.
var folderIn = regexp.MustCompile(`(?m)^\s*(?:I'm currently working in the directory: |- \*\*Workspace ` +
	`Directories:\*\*\n\s+- )(.+)$`)

// tellFolder tells of the folder in such a text, if nothing else did.
func (r *Reader) tellFolder(text string) {
	if found := folderIn.FindStringSubmatch(text); found != nil && r.about.Folder == "" && r.session != "" &&
		r.sub == "" {
		folder, _ := rows.Shorten(strings.TrimSpace(found[1]))
		r.tell(attach.About{Folder: folder})
	}
}

// folderOf is tellFolder for the message that a conversation begins with.
func (r *Reader) folderOf(raw json.RawMessage) {
	var in record
	if json.Unmarshal(raw, &in) != nil || in.Type != "user" {
		return
	}
	if list, ok := parts(in.Content); ok {
		r.tellFolder(joined(list))
	}
}

// ofClient is a command of the client, which a person typed: one of its own, or one of a shell.
var ofClient = regexp.MustCompile(`^\s*(/[a-z][\w:-]*|!\S.*)(\s|$)`)

// stopped reports whether the program tells that a person stopped the turn.
func (r *Reader) stopped(in *record) bool {
	list, ok := parts(in.Content)
	return ok && r.sub == "" && strings.HasPrefix(joined(list), "Request cancelled")
}

// user reads a message of a person, or what the program sent the model in a person's place.
func (r *Reader) user(in *record) {
	text, isPrompt := r.promptOf(in)
	switch {
	case !isPrompt:
	case r.sub != "":
		// The parameters of the call have it.
		r.report.Skip("user task of a sub-agent")
	default:
		r.prompt(in, text, "")
	}
}

// promptOf returns what a person wrote in a message; isPrompt is false for what the program wrote in a person's place:
// results of calls, and what the session is about.
func (r *Reader) promptOf(in *record) (text string, isPrompt bool) {
	list, ok := parts(in.Content)
	shown, okShown := parts(in.Display)
	if !ok || !okShown {
		r.report.Malformed, r.lost = r.report.Malformed+1, true
		return "", false
	}
	r.report.Sealed += inline(list)
	if text = joined(shown); text == "" {
		text = joined(list)
	}
	for _, p := range list {
		if p.Response != nil {
			r.last.more = true // so the answer before it has calls
			r.report.Skip("user results")
			return "", false
		}
	}
	for _, c := range contexts {
		if strings.HasPrefix(strings.TrimSpace(text), c) {
			r.tellFolder(text)
			r.report.Skip("user context")
			return "", false
		}
	}
	if strings.TrimSpace(text) == "" {
		r.report.Skip("user message without text")
		return "", false
	}
	return text, true
}

// prompt gives a message of a person, or of what by names, which ends the turn before it. A command of the client waits
// for an answer.
func (r *Reader) prompt(in *record, text, by string) {
	text, cut := rows.Shorten(text)
	r.countCut(cut)
	if r.turn != in.ID {
		r.command = nil
	}
	s := attach.Sighting{Agent: r.program, Session: r.session, Channel: attach.File, At: rows.Time(in.Time),
		Turn:     in.ID,
		Prompted: &attach.Prompted{Text: text, By: by}}
	if ofClient.MatchString(text) {
		r.report.Skip("user command of the client")
		r.command = &s
		return
	}
	r.ask(s)
}

// ask gives the prompt of a turn, and the end of the turn before it.
func (r *Reader) ask(s attach.Sighting) {
	if r.turn != s.Turn {
		r.end(attach.Ended{})
	}
	r.turn, r.last, r.lost, r.failed = s.Turn, answer{}, false, ""
	r.open = attach.Sighting{Agent: r.program, Session: r.session, Channel: attach.File, At: s.At, Turn: s.Turn}
	r.give(s)
}

// end gives the end of the turn, if there is one whose end was not given. What the model said last is its answer,
// unless there are calls in it, or how is another end.
func (r *Reader) end(how attach.Ended) {
	if r.sub != "" || r.open.Session == "" {
		return
	}
	// The end stands where the answer does.
	s := r.open
	s.Index, s.Group = 0, r.last.id
	switch {
	case how.Interrupted:
	case r.last.id != "" && !r.last.more && !r.lost && r.last.text != "":
		how.Answer = r.last.text
	default:
		how.Error = r.failed
	}
	r.last, r.open, r.failed = answer{}, attach.Sighting{}, ""
	s.Ended = &how
	r.give(s)
}

// answered reads an answer of the model, of which some may have been given before.
func (r *Reader) answered(in *record) {
	list, ok := parts(in.Content)
	if !ok {
		r.report.Malformed, r.lost = r.report.Malformed+1, true
		return
	}
	if s := r.command; s != nil {
		r.command = nil
		r.ask(*s)
	}
	model, _ := rows.Shorten(in.Model)
	if r.sub == "" {
		r.tell(attach.About{Model: model})
	}
	// Another row of the same answer has what is new in it behind what was given.
	if in.ID != r.last.id {
		r.next(in.ID)
	}
	s := r.sighting(in)
	s.Group = in.ID
	r.said(s, in.Thoughts, joined(list))
	r.used(s, in.Tokens)
	s.Index = len(in.Thoughts) + 1
	for i := range in.Calls {
		r.last.more = true
		if i < maxCalls {
			r.takeCall(s, &in.Calls[i], len(in.Calls) == 1)
		} else {
			r.report.Skip("call beyond the bound")
		}
		s.Index++
	}
}

// next begins another answer. Where the one before it asked for no calls, a message stood between them. If that is what
// was lost, nobody knows whose the answer is.
func (r *Reader) next(id string) {
	if r.lost && r.last.id != "" && !r.last.more && r.sub == "" {
		r.end(attach.Ended{})
		r.turn = ""
	}
	r.last, r.lost = answer{id: id, called: map[string]bool{}}, false
}

// said gives the thoughts and the text of an answer that were not given yet.
func (r *Reader) said(s attach.Sighting, thoughts []thought, text string) {
	for i, t := range thoughts {
		if i < r.last.thoughts || t.text() == "" {
			continue
		}
		one, cut := rows.Shorten(t.text())
		r.countCut(cut)
		s.Index, s.Said = i, &attach.Said{Text: one, Summary: true}
		r.give(s)
	}
	r.last.thoughts = max(r.last.thoughts, len(thoughts))
	text, cut := rows.Shorten(text)
	if strings.TrimSpace(text) == "" || text == r.last.text {
		return
	}
	r.countCut(cut)
	r.last.text = text
	s.Index, s.Said = len(thoughts), &attach.Said{Text: text}
	r.give(s)
}

// used gives what an answer took, if that was not given yet.
func (r *Reader) used(s attach.Sighting, t *tokens) {
	if t == nil || min(t.Input, t.Output, t.Cached, t.Thoughts, t.Tool) < 0 {
		return
	}
	used := attach.Used{Input: t.Input + t.Tool, Output: t.Output + t.Thoughts, Reasoning: t.Thoughts, Cached: t.Cached}
	if used == r.last.used {
		return
	}
	r.last.used, s.Used = used, &used
	r.give(s)
}
