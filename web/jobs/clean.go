package jobs

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"candor/safety"
	"candor/safety/thinking"
	"candor/session"
	"candor/web/problem"
)

// draft is a post that is ready for the log but for the ids of its calls, which the run
// gives it under its lock.
type draft struct {
	entry    session.Post
	cost     int
	refs     []reference // to the call of a tool_use or tool_result, or to those of decisions
	caller   []reference // that the call within which the agent works may have, the likeliest first
	kind     string
	withheld []withheld
}

// withheld is a text that safety blocked, or truncated. It has the rules, never the text.
type withheld struct {
	what      string
	rules     []string
	truncated bool
}

// cleaner turns one post into an event of the log. It cleans all text again, whatever the
// worker has done to it: a worker is not trusted. What a model said loses its private
// thoughts first, as in the agent loop.
type cleaner struct {
	*safety.Layer
	refs     []reference
	withheld []withheld
}

// draft converts a post into the event of its kind.
func (l *cleaner) draft(p *post) (draft, *problem.Problem) {
	b, bad := l.body(p)
	return draft{
		entry: session.Post{Body: b, Ignored: p.unknown.count}, refs: l.refs, caller: p.callers(), kind: p.kind(),
		withheld: l.withheld,
	}, bad
}

// body converts a post into the event of its kind, whose calls have no ids yet.
func (l *cleaner) body(p *post) (session.Body, *problem.Problem) {
	switch p.kind() {
	case "message":
		return l.message(p)
	case "tool_use":
		return l.toolUse(p)
	case "tool_result":
		return l.toolResult(p)
	case "reasoning":
		return l.reasoning(p)
	case "result":
		return l.result(p), nil
	case "status":
		return l.status(p.State, p.Message), nil
	case "":
		return nil, problem.New(http.StatusBadRequest, "no_kind", "The event has no kind. "+
			"Set event, or event_type, to message, tool_use, tool_result, reasoning, status or result.")
	}
	// An unknown kind is kept as a status with the whole event as its message.
	value, report := l.CleanJSON(p.raw)
	state, inKind := l.Limit(maxTitle).Mask(p.kind())
	text, _ := l.Mask(string(value.Raw()))
	found := session.Merge(report.Findings, inKind.Findings)
	return session.JobReported{State: state, Message: text, Findings: found}, nil
}

// message defaults to the role assistant. IronClaw names the text "message".
func (l *cleaner) message(p *post) (session.Body, *problem.Problem) {
	role, said := cmp.Or(p.Role, "assistant"), cmp.Or(p.Content, p.Message)
	switch role {
	case "assistant":
		said = thinking.Strip(said)
	case "user", "system":
	default:
		return nil, problem.New(http.StatusBadRequest, "bad_role", "role has to be user, assistant or system.")
	}
	text, report := l.Mask(said)
	used, spent, bad := p.used()
	if bad != nil {
		return nil, bad
	}
	return session.JobMessage{
		Role: role, Text: text, Stop: p.stop(), Usage: used, Spent: spent, Findings: report.Findings,
	}, nil
}

// toolUse keeps the rationale and narrative that some workers send with the call
// itself. Others send them afterwards, as a reasoning event.
func (l *cleaner) toolUse(p *post) (session.Body, *problem.Problem) {
	if strings.TrimSpace(p.ToolName) == "" {
		return nil, noToolName
	}
	name, inName := l.Limit(maxTitle).Mask(p.ToolName)
	input, inInput := l.CleanJSON(orEmpty(p.Input))
	agent, inAgent := l.agent(p)
	b := session.JobToolUse{Agent: agent, Tool: name, Input: input, Group: p.Group}
	var inReason, inNarrative safety.Report
	if p.Rationale != "" || p.Source != "" || p.Blocked {
		b.Rationale, inReason = l.rationale(p.postReason)
	}
	b.Narrative, b.NarrativeBlocked, inNarrative = l.narrative(p)
	b.NarrativeSource = p.narrativeSource()
	var inThought, inBefore safety.Report
	b.Thought, _, inThought = l.beside("thought", p.Thought, p.ThoughtBlocked)
	b.Before, _, inBefore = l.beside("narrative", p.TextBefore, p.NarrativeBlocked)
	b.Findings = session.Merge(inName.Findings, inInput.Findings, inAgent.Findings, inReason.Findings,
		inNarrative.Findings, inThought.Findings, inBefore.Findings)
	l.refs = []reference{referTo(p.Agent, p.ToolName, p.callID(), name)}
	return b, nil
}

// agent cleans the name of the agent that the event is about. It is one line.
func (l *cleaner) agent(p *post) (safety.Text, safety.Report) {
	return l.Limit(maxTitle).Mask(strings.Join(strings.Fields(p.Agent), " "))
}

// narrative cleans the text said before calls. blocked means that the worker's
// safety layer or ours withheld it.
func (l *cleaner) narrative(p *post) (text safety.Text, blocked bool, report safety.Report) {
	return l.beside("narrative", p.Narrative, p.NarrativeBlocked)
}

// beside cleans a text of the model around its calls, or a summary of its thoughts, unless the worker's own layer
// withheld it already.
func (l *cleaner) beside(what, raw string, already bool) (text safety.Text, blocked bool, report safety.Report) {
	if already {
		return safety.Text{}, true, safety.Report{}
	}
	text, report = l.Clean(thinking.Strip(raw))
	l.noteWithheld(what, report)
	return text, report.Verdict == safety.Blocked, report
}

// stop returns why the model stopped, whatever the worker calls it.
func (p *post) stop() session.Stop {
	return session.StopOf(cmp.Or(p.Stop, p.StopReason, p.FinishReason))
}

// narrativeSource returns whose words a narrative is: the model's own, unless the post says
// that its provider summed them up.
func (p *post) narrativeSource() session.Source {
	if p.Answer && p.NarrativeSource == "" || p.NarrativeSource == string(session.FromSummary) {
		return session.FromSummary
	}
	return session.FromModel
}

// rationale cleans a reason. It is never empty: a reason that is missing, or that the
// worker says was withheld, becomes the fallback.
func (l *cleaner) rationale(p postReason) (session.Rationale, safety.Report) {
	if p.Blocked {
		why := session.Fallback()
		why.Blocked = true
		return why, safety.Report{}
	}
	why, report := session.CleanRationale(l.Layer, thinking.Strip(p.Rationale))
	l.noteWithheld("rationale", report)
	if p.Source == string(session.FromFallback) {
		why.Source = session.FromFallback
	}
	return why, report
}

// noteWithheld notes for the log of the server which rules withheld a text, or that it was truncated.
func (l *cleaner) noteWithheld(what string, report safety.Report) {
	if report.Verdict != safety.Blocked && !report.Truncated {
		return
	}
	w := withheld{what: what, truncated: report.Verdict != safety.Blocked}
	for _, f := range report.Findings {
		if f.Effect.Hides() {
			w.rules = append(w.rules, f.Rule)
		}
	}
	l.withheld = append(l.withheld, w)
}

// toolResult defaults to success, or to an error if the post has an error text. The
// tool's name may be missing if the call has an id: the call has it, too.
func (l *cleaner) toolResult(p *post) (session.Body, *problem.Problem) {
	if strings.TrimSpace(p.ToolName) == "" {
		if p.callID() == "" {
			return nil, noToolName
		}
		p.ToolName = ""
	}
	outcome, err := parseOutcome(p.Outcome, session.Success)
	if err != nil {
		return nil, err
	}
	b := session.JobToolResult{Outcome: outcome}
	if p.Outcome == "" && (p.Error != "" || p.Success != nil && !*p.Success) {
		b.Outcome = session.Errored
	}
	if p.Duration != nil && *p.Duration >= 0 {
		b.Took = new(time.Duration(min(*p.Duration, maxDuration)) * time.Millisecond)
	}
	var reports [4]safety.Report
	b.Tool, reports[0] = l.Limit(maxTitle).Mask(cmp.Or(p.ToolName, "unknown"))
	b.Output, reports[1] = l.CleanJSON(orEmpty(p.Output))
	b.Error, reports[2] = l.Mask(p.Error)
	b.Agent, reports[3] = l.agent(p)
	for _, r := range reports {
		b.Findings = session.Merge(b.Findings, r.Findings)
	}
	l.refs = []reference{referTo(p.Agent, p.ToolName, p.callID(), b.Tool)}
	return b, nil
}

// reasoning converts the reasons of a step.
func (l *cleaner) reasoning(p *post) (session.Body, *problem.Problem) {
	text, blocked, report := l.narrative(p)
	agent, inAgent := l.agent(p)
	b := session.JobReasoned{
		Agent: agent, Answer: p.Answer,
		Narrative: text, NarrativeSource: p.narrativeSource(), NarrativeBlocked: blocked, Stop: p.stop(),
	}
	var inThought safety.Report
	b.Thought, b.ThoughtBlocked, inThought = l.beside("thought", p.Thought, p.ThoughtBlocked)
	b.Findings = session.Merge(report.Findings, inAgent.Findings, inThought.Findings)
	var bad *problem.Problem
	if b.Sealed, bad = p.sealed(); bad != nil {
		return nil, bad
	}
	if b.Usage, b.Spent, bad = p.used(); bad != nil {
		return nil, bad
	}
	if p.Answer && len(p.decisions) > 0 {
		return nil, problem.New(http.StatusBadRequest, "answer_with_decisions",
			"A reasoning event with answer describes a step that calls no tool. "+
				"Send the tool_decisions in a separate event.")
	}
	for i, d := range p.decisions {
		decision, found, err := l.decision(d)
		if err != nil {
			return nil, err.With("decision", i)
		}
		ref := referTo(p.Agent, d.ToolName, d.CallID, decision.Tool)
		ref.outcome = decision.Outcome
		l.refs = append(l.refs, ref)
		decision.Findings = found
		b.Decisions = append(b.Decisions, decision)
		b.Findings = session.Merge(b.Findings, found)
	}
	return b, nil
}

func (l *cleaner) decision(d postDecision) (session.Decision, []safety.Finding, *problem.Problem) {
	if strings.TrimSpace(d.ToolName) == "" {
		return session.Decision{}, nil, noToolName
	}
	outcome, err := parseOutcome(d.Outcome, session.Pending)
	if err != nil {
		return session.Decision{}, nil, err
	}
	name, inName := l.Limit(maxTitle).Mask(d.ToolName)
	why, inReason := l.rationale(d.postReason)
	return session.Decision{Tool: name, Rationale: why, Outcome: outcome, Group: d.Group},
		session.Merge(inName.Findings, inReason.Findings), nil
}

func (l *cleaner) status(state, message string) session.Body {
	s, inState := l.Limit(maxTitle).Mask(state)
	m, inMessage := l.Mask(message)
	return session.JobReported{State: s, Message: m, Findings: session.Merge(inState.Findings, inMessage.Findings)}
}

// result converts the post that ends a job. The job succeeded if "success" is true or,
// without that member, if "status" is completed or success.
func (l *cleaner) result(p *post) session.Body {
	success := p.Status == "completed" || p.Status == "success"
	if p.Success != nil {
		success = *p.Success
	}
	text, report := l.Mask(thinking.Strip(cmp.Or(p.Message, p.Content)))
	return session.JobEnded{Success: success, Message: text, Findings: report.Findings}
}

// parseOutcome parses s; "" means def.
func parseOutcome(s string, def session.Outcome) (session.Outcome, *problem.Problem) {
	switch o := cmp.Or(session.Outcome(s), def); o {
	case session.Pending, session.Success, session.Errored, session.Rejected, session.Cancelled:
		return o, nil
	}
	return "", problem.New(http.StatusBadRequest, "bad_outcome",
		"outcome has to be success, error, rejected, cancelled or pending.")
}

// orEmpty returns null for a member that is missing.
func orEmpty(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}
