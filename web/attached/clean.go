package attached

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"candor/attach"
	"candor/safety"
	"candor/safety/thinking"
	"candor/session"
)

// describing are the tools among whose parameters the model describes what the call does, or the task of the agent that
// it begins, with the name of that parameter.
var describing = map[string]string{
	"Agent": "description", "Bash": "description", "Task": "description", // Claude Code
	"bash": "description", "task": "description", // OpenCode
	"spawn_agent": "message", "multi_agent_v1spawn_agent": "message", // Codex
	"invoke_agent": "prompt", // Gemini CLI
}

// callID makes an id of ours of that of a sighting's call.
func callID(s attach.Sighting) string {
	if s.Unnamed {
		return ourID(session.UnnamedCall, s.Call)
	}
	return ourID("call", s.Call)
}

// cleaning collects what safety found in the texts of one sighting.
type cleaning struct {
	layer    *safety.Layer
	findings []safety.Finding
}

// clean returns a sighting with ids of ours and clean texts.
func (t *taking) clean(s attach.Sighting) session.Sighting {
	c := &cleaning{layer: t.layer}
	fact := session.Sighting{
		At: s.At.UTC().Truncate(time.Microsecond), Sub: ourID("agent", s.Sub), Group: ourID("answer", s.Group),
		Index: s.Index, Call: callID(s),
	}
	if s.At.IsZero() {
		fact.At = time.Time{}
	}
	switch {
	case s.About != nil:
		fact.About = &session.SightedAbout{
			Version: t.short(s.About.Version), Model: t.short(s.About.Model), Folder: t.short(s.About.Folder),
			Title: t.short(s.About.Title),
		}
	case s.Prompted != nil:
		fact.Prompted = &session.SightedPrompt{Text: c.mask(s.Prompted.Text)}
		if s.Prompted.By != "" {
			fact.Index = 1 // a place behind that of the person's message
		}
	case isLoose(s):
		fact.Group = looseGroup(s)
		fact.Said = c.piece(*s.Said, t.before)
	case s.Said != nil:
		fact.Said = c.said(*s.Said)
	case s.Sealed != nil:
		fact.Sealed = &session.SightedSeal{Bytes: believed(s.Sealed.Bytes, maxCount)}
	case s.Stopped != nil:
		fact.Stopped = &session.SightedStop{Stop: session.StopOf(s.Stopped.Reason)}
	case s.Called != nil:
		fact.Called = c.called(*s.Called)
	case s.Returned != nil:
		fact.Returned = c.returned(*s.Returned)
	case s.Batched != nil:
		fact.Batched = &session.SightedBatch{}
		for _, id := range s.Batched.Calls {
			fact.Batched.Calls = append(fact.Batched.Calls, ourID("call", id))
		}
		fact.Call = fact.Batched.Calls[0] // a turn has many
	case s.Spawned != nil:
		fact.Spawned = &session.SightedAgent{
			Kind: t.short(s.Spawned.Kind), Model: t.short(s.Spawned.Model), Effort: t.short(s.Spawned.Effort),
		}
	case s.Used != nil:
		u := *s.Used
		fact.Used = &session.SightedUsage{Usage: session.Usage{
			Input: believed(u.Input, maxCount), Output: believed(u.Output, maxCount),
			Reasoning: believed(u.Reasoning, maxCount), Cached: believed(u.Cached, maxCount),
		}}
	case s.Ended != nil:
		fact.Ended = c.ended(*s.Ended)
	}
	fact.Findings = c.findings
	return fact
}

// The bounds of numbers that are believed. The counts of all facts of a turn can be added up.
const (
	maxCount = 1 << 40 // of tokens or bytes
	maxTook  = 365 * 24 * time.Hour
)

// believed returns a number that a program may have counted, and else 0, which is not known.
func believed[N ~int | ~int64](n, bound N) N {
	if n < 0 || n > bound {
		return 0
	}
	return n
}

// short cleans a name.
func (t *taking) short(raw string) safety.Text {
	text, _ := t.layer.Limit(maxShown).Mask(strings.Join(strings.Fields(raw), " "))
	return text
}

// mask cleans a text that a person would miss as a whole.
func (c *cleaning) mask(raw string) safety.Text {
	text, report := c.layer.Mask(strings.TrimSpace(thinking.Strip(raw)))
	c.findings = session.Merge(c.findings, report.Findings)
	return text
}

// value cleans a JSON value; a missing one is null.
func (c *cleaning) value(raw json.RawMessage) safety.JSON {
	if len(raw) == 0 {
		raw = json.RawMessage("null")
	}
	clean, report := c.layer.CleanJSON(raw)
	c.findings = session.Merge(c.findings, report.Findings)
	return clean
}

// lostHere stands where a session file lost something.
var lostHere = safety.Literal("The session file is damaged here: what stood in this place is lost.")

// said cleans a text of the model. One that safety blocks is withheld, and the step says so.
func (c *cleaning) said(s attach.Said) *session.SightedText {
	if s.Lost {
		return &session.SightedText{Text: lostHere, Source: session.FromFallback}
	}
	text, report := c.layer.Clean(strings.TrimSpace(thinking.Strip(s.Text)))
	c.findings = session.Merge(c.findings, report.Findings)
	said := &session.SightedText{Text: text, Source: session.FromModel, Blocked: report.Verdict == safety.Blocked}
	if s.Summary {
		said.Source = session.FromSummary
	}
	return said
}

// spaces are those that may part a piece of a text from the next one.
var spaces = map[rune]safety.Text{' ': safety.Literal(" "), '\n': safety.Literal("\n")}

// piece cleans the piece of a text behind what is known of it.
func (c *cleaning) piece(s attach.Said, before safety.Text) *session.SightedText {
	text, report := c.layer.Clean(thinking.Strip(before.String() + s.Text))
	c.findings = session.Merge(c.findings, report.Findings)
	// What was clean stays as it is, unless the piece shows that it was the beginning of something else.
	whole, same := text.String(), 0
	for at, r := range before.String() {
		if !strings.HasPrefix(whole[at:], string(r)) {
			break
		}
		same = at + utf8.RuneLen(r)
	}
	// A text that is cleaned loses the space at its end, which parts the piece from the next one.
	piece := text.Part(same, len(whole))
	for _, space := range s.Text[len(strings.TrimRight(s.Text, " \n")):] {
		piece = safety.JoinPieces(piece, spaces[space])
	}
	return &session.SightedText{Text: piece, Source: session.FromModel, Blocked: report.Verdict == safety.Blocked}
}

// called cleans a call. A reason is taken only from where a channel says that the model gave it for this very call;
// what a call does, in a parameter of some tools, is kept beside it.
func (c *cleaning) called(s attach.Called) *session.SightedCall {
	name, _ := c.layer.Limit(maxShown).Mask(strings.Join(strings.Fields(s.Tool), " "))
	call := &session.SightedCall{Tool: name, Params: c.value(s.Params), Rationale: session.Fallback()}
	if strings.TrimSpace(s.Reason) != "" {
		why, report := session.CleanRationale(c.layer, thinking.Strip(s.Reason))
		call.Rationale, c.findings = why, session.Merge(c.findings, report.Findings)
	}
	if member := describing[s.Tool]; member != "" {
		var params map[string]json.RawMessage
		var raw string
		if json.Unmarshal(s.Params, &params) == nil && json.Unmarshal(params[member], &raw) == nil && raw != "" {
			text, _ := c.layer.Limit(1000).Mask(raw) // its findings are those of the parameters
			call.Described = text
		}
	}
	return call
}

// returned cleans how a call ended. A call that did not succeed has no result, even if a channel has both: what it
// printed until then is part of the error.
func (c *cleaning) returned(s attach.Returned) *session.SightedResult {
	result := &session.SightedResult{Outcome: session.Success, Partial: s.Partial, Took: believed(s.Took, maxTook)}
	switch {
	case s.Denied:
		result.Outcome = session.Rejected
	case s.Cancelled:
		result.Outcome = session.Cancelled
	case s.Error != "":
		result.Outcome = session.Errored
	}
	if result.Outcome == session.Success {
		result.Result = c.value(s.Result)
	} else {
		result.Error = c.mask(s.Error)
	}
	return result
}

// ended cleans the end of a turn. An error counts before an interruption.
func (c *cleaning) ended(s attach.Ended) *session.SightedEnd {
	end := &session.SightedEnd{State: session.Completed, Response: c.mask(s.Answer)}
	switch {
	case s.Error != "":
		end.State, end.Error = session.Failed, c.mask(s.Error)
	case s.Interrupted:
		end.State = session.Interrupted
	}
	return end
}

// The bounds of a sighting's members.
const (
	maxID    = 256     // of an id, in bytes
	maxIndex = 1 << 20 // of the place within an answer
	maxBatch = 1000    // calls of one answer
)

// agentName says what names of other programs look like.
var agentName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

// invalid returns the name of the member that is wrong, or "".
func invalid(s attach.Sighting) string {
	for _, id := range []struct {
		name, id string
	}{{"session", s.Session}, {"turn", s.Turn}, {"sub", s.Sub}, {"group", s.Group}, {"call", s.Call}} {
		if len(id.id) > maxID {
			return id.name
		}
	}
	switch {
	case !hasForm(s.At):
		return "at"
	case !agentName.MatchString(s.Agent):
		return "agent"
	case s.Session == "":
		return "session"
	case channels[s.Channel] == "":
		return "channel"
	case s.Index < 0 || s.Index > maxIndex:
		return "index"
	case s.Call == "" && (s.Called != nil || s.Returned != nil):
		return "call"
	case s.Batched != nil && !isBatch(s.Batched.Calls):
		return "batched"
	case says(s) != 1:
		return "about, prompted, said, sealed, stopped, called, returned, batched, spawned, used or ended"
	}
	return ""
}

// hasForm reports whether JSON has a form for a time in UTC.
func hasForm(at time.Time) bool {
	year := at.UTC().Year()
	return year >= 0 && year <= 9999
}

// isBatch reports whether there are calls, not too many, each with an id that is taken. Calls without one would be one
// call, and their answers one step.
func isBatch(calls []string) bool {
	return len(calls) > 0 && len(calls) <= maxBatch &&
		!slices.ContainsFunc(calls, func(id string) bool { return id == "" || len(id) > maxID })
}

// says counts what a sighting says, which has to be one thing.
func says(s attach.Sighting) (n int) {
	for _, one := range []bool{
		s.About != nil, s.Prompted != nil, s.Said != nil, s.Sealed != nil, s.Stopped != nil, s.Called != nil,
		s.Returned != nil, s.Batched != nil, s.Spawned != nil, s.Used != nil, s.Ended != nil,
	} {
		if one {
			n++
		}
	}
	return n
}
