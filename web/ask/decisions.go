package ask

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"candor/web/client"
)

// MaxDecisions bounds the decisions of an answer, and defaultDecisions are those of a call that names no limit.
const (
	MaxDecisions     = 50
	defaultDecisions = 10
)

// Decisions is the answer of every tool.
type Decisions struct {
	Decisions []Decision `json:"decisions"`
	More      bool       `json:"more" jsonschema:"there are more; ask with offset, or for one turn"`
	Note      string     `json:"note,omitempty" jsonschema:"what to know about the answer as a whole"`
}

// Decision is a tool call with its reason. It has either ThreadID or JobID.
type Decision struct {
	ThreadID  string `json:"thread_id,omitempty"`
	JobID     string `json:"job_id,omitempty"`
	Title     string `json:"title,omitempty" jsonschema:"of the conversation or the job"`
	Turn      int    `json:"turn_number,omitempty"`
	Step      int    `json:"step,omitempty"`
	CallID    string `json:"call_id,omitempty"`
	Agent     string `json:"agent,omitempty" jsonschema:"a sub-agent; empty for the one that the user speaks to"`
	Tool      string `json:"tool,omitempty"`
	Object    string `json:"object,omitempty" jsonschema:"what the call was about, such as a path or a command"`
	Reason    string `json:"reason" jsonschema:"why the tool was called"`
	Source    string `json:"reason_source,omitempty" jsonschema:"model: its own words; fallback: it gave no reason"`
	Outcome   string `json:"outcome,omitempty"`
	Result    string `json:"result,omitempty" jsonschema:"what came of it, in a line"`
	Answer    string `json:"approval,omitempty" jsonschema:"of the person who was asked whether the call may run"`
	Words     string `json:"approval_words,omitempty" jsonschema:"what that person said beside the answer"`
	HappensAt string `json:"at,omitempty" jsonschema:"time of the turn"`

	Changed *Change `json:"changed_arguments,omitempty" jsonschema:"what a person changed before the call ran"`
}

// Change holds both versions of the arguments of a call that a person changed before approving it, as JSON of at most
// [MaxArguments] characters each. A version that was cut ends in an ellipsis.
type Change struct {
	Asked    string `json:"asked" jsonschema:"as the agent wrote them, as JSON"`
	Approved string `json:"approved" jsonschema:"as the person changed them, with which the call ran, as JSON"`
	By       string `json:"by,omitempty" jsonschema:"who changed them"`
}

// MaxArguments bounds each version of changed arguments, in characters.
const MaxArguments = 4000

// place is where decisions were made.
type place struct{ thread, job, title string }

// ofTurn returns the decisions of a turn, in the order of the calls.
func ofTurn(p place, t client.Turn) (all []Decision) {
	if t.Reasoning == nil {
		return nil
	}
	calls := make(map[string]client.Call, len(t.Calls))
	for _, c := range t.Calls {
		calls[c.ID] = c
	}
	for _, d := range t.Reasoning.Decisions {
		c := calls[d.CallID]
		approval := d.Approval
		if approval == "none" {
			approval = ""
		}
		all = append(all, Decision{
			ThreadID: p.thread, JobID: p.job, Title: p.title, Turn: t.Number, Step: d.Step, CallID: d.CallID,
			Agent: d.Agent, Tool: d.ToolName, Object: c.Object, Reason: d.Rationale, Source: d.Source,
			Outcome: d.Outcome, Result: c.Line, Answer: approval, Words: d.Said, HappensAt: stamp(t.Began()),
			Changed: changeOf(d),
		})
	}
	return all
}

// changeOf returns what a person changed of a call, nil if nobody did.
func changeOf(d client.Decision) *Change {
	if d.Edited == nil {
		return nil
	}
	return &Change{Asked: cut(d.Parameters), Approved: cut(d.Edited), By: d.EditedBy}
}

// cut returns arguments as a text of at most MaxArguments characters.
func cut(arguments json.RawMessage) string {
	if all := []rune(string(arguments)); len(all) > MaxArguments {
		return string(all[:MaxArguments-1]) + "…"
	}
	return string(arguments)
}

// ofHit returns the decision of a hit. The hit of a text that belongs to no call has that text as its reason.
func ofHit(h client.Hit) Decision {
	reason := text(h.Reason)
	if h.Tool == "" {
		reason = text(h.Snippet)
	}
	return Decision{
		ThreadID: h.ThreadID, JobID: h.JobID, Title: h.Title, Turn: h.TurnNumber, Step: h.Step, CallID: h.CallID,
		Agent: h.Agent, Tool: h.Tool, Object: text(h.Object), Reason: reason, Source: h.Source, Outcome: h.Outcome,
		Result: h.Line, HappensAt: stamp(h.At),
	}
}

// text joins the pieces of a hit's text, whether they match or not.
func text(parts []client.Part) string {
	var s strings.Builder
	for _, p := range parts {
		s.WriteString(p.Text)
	}
	return s.String()
}

// stamp writes a time in seconds, in UTC; "" if there is none.
func stamp(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

// matching keeps the decisions with a tool and about a file, where these are not empty.
func matching(all []Decision, tool, file string) (kept []Decision) {
	for _, d := range all {
		if (tool == "" || strings.EqualFold(d.Tool, tool)) && (file == "" || strings.Contains(d.Object, file)) {
			kept = append(kept, d)
		}
	}
	return kept
}

// atMost returns an answer with the first decisions of those that there are.
func atMost(all []Decision, limit int) Decisions {
	out := Decisions{Decisions: append([]Decision{}, all...)}
	if len(all) > limit {
		out.Decisions, out.More = out.Decisions[:limit], true
	}
	return out
}

// minBeginning is how long the beginning of an id has to be, as for the command line.
const minBeginning = 4

// ofThread returns what run does for the conversation with an id, or with the only one that begins with a word. Whole
// ids are tried first, so that the list of conversations, which may be long, is not read for them.
func ofThread(ctx context.Context, c *client.Client, word string,
	run func(id string) (Decisions, error)) (Decisions, error) {
	out, err := run(word)
	if !client.Is(err, "no_thread") {
		return out, err
	}
	id, err := threadLike(ctx, c, word)
	if err != nil {
		return Decisions{}, err
	}
	return run(id)
}

// threadLike returns the id of the one conversation whose id begins with a word.
func threadLike(ctx context.Context, c *client.Client, word string) (string, error) {
	all, _, err := c.Threads(ctx)
	if err != nil {
		return "", err
	}
	found := ""
	for _, t := range all {
		switch {
		case len(word) < minBeginning || !strings.HasPrefix(t.ID, word):
		case found != "":
			return "", errors.New("several threads have an id that begins so: give more of it")
		default:
			found = t.ID
		}
	}
	if found == "" {
		return "", errors.New("there is no such thread: recent_decisions and search_reasons have the thread_id of " +
			"each decision")
	}
	return found, nil
}
