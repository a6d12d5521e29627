package jobs

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"candor/safety"
	"candor/session"
	"candor/web/problem"
)

// cleaner turns posts into events of the log. It cleans all text again, whatever the
// worker has done to it: a worker is not trusted.
type cleaner struct{ *safety.Layer }

// body converts a post into the event of its kind. raw is the post's JSON, which the
// event of an unknown kind keeps whole.
func (l cleaner) body(p *post, raw json.RawMessage) (session.Body, *problem.Problem) {
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
	value, report := l.CleanJSON(raw)
	state, inKind := l.Limit(maxTitle).Mask(p.kind())
	text, _ := l.Mask(string(value.Raw()))
	found := session.Merge(report.Findings, inKind.Findings)
	return session.JobReported{State: state, Message: text, Findings: found}, nil
}

// message defaults to the role assistant. IronClaw names the text "message".
func (l cleaner) message(p *post) (session.Body, *problem.Problem) {
	role := cmp.Or(p.Role, "assistant")
	switch role {
	case "user", "assistant", "system":
	default:
		return nil, problem.New(http.StatusBadRequest, "bad_role", "role has to be user, assistant or system.")
	}
	text, report := l.Mask(cmp.Or(p.Content, p.Message))
	return session.JobMessage{Role: role, Text: text, Findings: report.Findings}, nil
}

// toolUse keeps the rationale and narrative that some workers send with the call
// itself. Others send them afterwards, as a reasoning event.
func (l cleaner) toolUse(p *post) (session.Body, *problem.Problem) {
	if strings.TrimSpace(p.ToolName) == "" {
		return nil, noToolName
	}
	name, inName := l.Limit(maxTitle).Mask(p.ToolName)
	input, inInput := l.CleanJSON(orEmpty(p.Input))
	b := session.JobToolUse{Call: callLabel(p.CallID), Tool: name, Input: input, Group: p.Group}
	var inReason, inNarrative safety.Report
	if p.Rationale != "" || p.Source != "" || p.Blocked {
		b.Rationale, inReason = l.rationale(p.postReason)
	}
	b.Narrative, b.NarrativeBlocked, inNarrative = l.narrative(p)
	b.Findings = session.Merge(inName.Findings, inInput.Findings, inReason.Findings, inNarrative.Findings)
	return b, nil
}

// narrative cleans the text said before calls. blocked means that the worker's
// safety layer or ours withheld it.
func (l cleaner) narrative(p *post) (text safety.Text, blocked bool, report safety.Report) {
	if p.NarrativeBlocked {
		return safety.Text{}, true, safety.Report{}
	}
	text, report = l.Clean(p.Narrative)
	return text, report.Verdict == safety.Blocked, report
}

// rationale cleans a reason. It is never empty: a reason that is missing, or that the
// worker says was withheld, becomes the fallback.
func (l cleaner) rationale(p postReason) (session.Rationale, safety.Report) {
	if p.Blocked {
		why := session.Fallback()
		why.Blocked = true
		return why, safety.Report{}
	}
	why, report := session.CleanRationale(l.Layer, p.Rationale)
	if p.Source == string(session.FromFallback) {
		why.Source = session.FromFallback
	}
	return why, report
}

// toolResult defaults to success, or to an error if the post has an error text.
func (l cleaner) toolResult(p *post) (session.Body, *problem.Problem) {
	if strings.TrimSpace(p.ToolName) == "" {
		return nil, noToolName
	}
	outcome, err := parseOutcome(p.Outcome, session.Success)
	if err != nil {
		return nil, err
	}
	took := time.Duration(max(0, p.Duration)) * time.Millisecond
	b := session.JobToolResult{Call: callLabel(p.CallID), Outcome: outcome, Took: took}
	var reports [3]safety.Report
	b.Tool, reports[0] = l.Limit(maxTitle).Mask(p.ToolName)
	b.Output, reports[1] = l.CleanJSON(orEmpty(p.Output))
	b.Error, reports[2] = l.Mask(p.Error)
	if p.Error != "" && p.Outcome == "" {
		b.Outcome = session.Errored
	}
	b.Findings = session.Merge(reports[0].Findings, reports[1].Findings, reports[2].Findings)
	return b, nil
}

// reasoning accepts "tool_decisions", or "decisions" as IronClaw calls them.
func (l cleaner) reasoning(p *post) (session.Body, *problem.Problem) {
	decisions := p.ToolDecisions
	if decisions == nil {
		decisions = p.Decisions
	}
	if len(decisions) > maxDecisions {
		return nil, problem.New(http.StatusBadRequest, "too_many_decisions",
			"A step may have 256 decisions.").With("max", maxDecisions)
	}
	text, blocked, report := l.narrative(p)
	b := session.JobReasoned{Narrative: text, NarrativeBlocked: blocked, Findings: report.Findings}
	for i, d := range decisions {
		decision, found, err := l.decision(d)
		if err != nil {
			return nil, err.With("decision", i)
		}
		b.Decisions = append(b.Decisions, decision)
		b.Findings = session.Merge(b.Findings, found)
	}
	return b, nil
}

func (l cleaner) decision(d postDecision) (session.Decision, []safety.Finding, *problem.Problem) {
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

func (l cleaner) status(state, message string) session.Body {
	s, inState := l.Limit(maxTitle).Mask(state)
	m, inMessage := l.Mask(message)
	return session.JobReported{State: s, Message: m, Findings: session.Merge(inState.Findings, inMessage.Findings)}
}

// result converts the post that ends a job. The job succeeded if "success" is true or,
// without that member, if "status" is completed or success.
func (l cleaner) result(p *post) session.Body {
	success := p.Status == "completed" || p.Status == "success"
	if p.Success != nil {
		success = *p.Success
	}
	text, report := l.Mask(cmp.Or(p.Message, p.Content))
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

// callLabel returns a worker's id for a call if it is a number such as 7 or call_7,
// else "". The id only ties a result to its call, which does not justify keeping
// arbitrary text.
func callLabel(id string) string {
	number := strings.TrimPrefix(id, "call_")
	if number == "" || len(number) > 9 || strings.Trim(number, "0123456789") != "" {
		return ""
	}
	return id
}

// orEmpty returns null for a member that is missing.
func orEmpty(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}
