package web

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"candor/safety"
	"candor/session"
)

// jobCleaner turns posts into events. A worker's text is never trusted: all of it
// is cleaned again, whatever the worker did.
type jobCleaner struct{ *safety.Layer }

func (l jobCleaner) body(p *jobPost, raw json.RawMessage) (session.Body, *Problem) {
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
		return l.report(p.State, p.Message), nil
	case "":
		return nil, problem(http.StatusBadRequest, "no_kind", "The event has no kind. Set event, or event_type, to message, tool_use, tool_result, reasoning, status or result.")
	}
	// A kind we do not know is kept, as a status that says all of it.
	value, report := l.CleanJSON(raw)
	state, inKind := l.Limit(maxJobTitle).Mask(p.kind())
	text, _ := l.Mask(string(value.Raw()))
	return session.JobReported{State: state, Message: text, Findings: session.Merge(report.Findings, inKind.Findings)}, nil
}

func (l jobCleaner) message(p *jobPost) (session.Body, *Problem) {
	role := cmp.Or(p.Role, "assistant")
	switch role {
	case "user", "assistant", "system":
	default:
		return nil, problem(http.StatusBadRequest, "bad_role", "role has to be user, assistant or system.")
	}
	text, report := l.Mask(cmp.Or(p.Content, p.Message))
	return session.JobMessage{Role: role, Text: text, Findings: report.Findings}, nil
}

var noToolName = problem(http.StatusBadRequest, "no_tool_name", "tool_name is missing: every call and every decision names its tool.")

func (l jobCleaner) toolUse(p *jobPost) (session.Body, *Problem) {
	if strings.TrimSpace(p.ToolName) == "" {
		return nil, noToolName
	}
	name, inName := l.Limit(maxJobTitle).Mask(p.ToolName)
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

// narrative is what was said before calls, unless the worker's safety or ours
// withheld it.
func (l jobCleaner) narrative(p *jobPost) (text safety.Text, blocked bool, report safety.Report) {
	if p.NarrativeBlocked {
		return safety.Text{}, true, safety.Report{}
	}
	text, report = l.Clean(p.Narrative)
	return text, report.Verdict == safety.Blocked, report
}

// rationale is a reason that is never without words. Who says that it was withheld
// gets the fallback, whatever else they say.
func (l jobCleaner) rationale(p postReason) (session.Rationale, safety.Report) {
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

func (l jobCleaner) toolResult(p *jobPost) (session.Body, *Problem) {
	if strings.TrimSpace(p.ToolName) == "" {
		return nil, noToolName
	}
	outcome, err := outcomeOf(p.Outcome, session.Success)
	if err != nil {
		return nil, err
	}
	b := session.JobToolResult{Call: callLabel(p.CallID), Outcome: outcome, Took: time.Duration(max(0, p.Duration)) * time.Millisecond}
	var found [3]safety.Report
	b.Tool, found[0] = l.Limit(maxJobTitle).Mask(p.ToolName)
	b.Output, found[1] = l.CleanJSON(orEmpty(p.Output))
	b.Error, found[2] = l.Mask(p.Error)
	if p.Error != "" && p.Outcome == "" {
		b.Outcome = session.Errored
	}
	b.Findings = session.Merge(found[0].Findings, found[1].Findings, found[2].Findings)
	return b, nil
}

func (l jobCleaner) reasoning(p *jobPost) (session.Body, *Problem) {
	decisions := p.ToolDecisions
	if decisions == nil {
		decisions = p.Decisions
	}
	if len(decisions) > maxDecisions {
		return nil, problem(http.StatusBadRequest, "too_many_decisions", "A step may have 256 decisions.").with("max", maxDecisions)
	}
	text, blocked, report := l.narrative(p)
	b := session.JobReasoned{Narrative: text, NarrativeBlocked: blocked, Findings: report.Findings}
	for i, d := range decisions {
		decision, found, err := l.decision(d)
		if err != nil {
			return nil, problem(err.Status, err.Code, err.Message).with("decision", i)
		}
		b.Decisions = append(b.Decisions, decision)
		b.Findings = session.Merge(b.Findings, found)
	}
	return b, nil
}

func (l jobCleaner) decision(d postDecision) (session.Decision, []safety.Finding, *Problem) {
	if strings.TrimSpace(d.ToolName) == "" {
		return session.Decision{}, nil, noToolName
	}
	outcome, err := outcomeOf(d.Outcome, session.Pending)
	if err != nil {
		return session.Decision{}, nil, err
	}
	name, inName := l.Limit(maxJobTitle).Mask(d.ToolName)
	why, inReason := l.rationale(d.postReason)
	return session.Decision{Tool: name, Rationale: why, Outcome: outcome, Group: d.Group}, session.Merge(inName.Findings, inReason.Findings), nil
}

func (l jobCleaner) report(state, message string) session.Body {
	s, inState := l.Limit(maxJobTitle).Mask(state)
	m, inMessage := l.Mask(message)
	return session.JobReported{State: s, Message: m, Findings: session.Merge(inState.Findings, inMessage.Findings)}
}

func (l jobCleaner) result(p *jobPost) session.Body {
	success := p.Status == "completed" || p.Status == "success"
	if p.Success != nil {
		success = *p.Success
	}
	text, report := l.Mask(cmp.Or(p.Message, p.Content))
	return session.JobEnded{Success: success, Message: text, Findings: report.Findings}
}

// outcomeOf reads an outcome, or takes the one that saying nothing means.
func outcomeOf(s string, none session.Outcome) (session.Outcome, *Problem) {
	switch o := cmp.Or(session.Outcome(s), none); o {
	case session.Pending, session.Success, session.Errored, session.Rejected, session.Cancelled:
		return o, nil
	}
	return "", problem(http.StatusBadRequest, "bad_outcome", "outcome has to be success, error, rejected, cancelled or pending.")
}

// callLabel is a worker's number for a call, such as call_7, and nothing else: it
// ties a result to its call, which is not worth keeping a stranger's text for.
func callLabel(id string) string {
	number := strings.TrimPrefix(id, "call_")
	if number == "" || len(number) > 9 || strings.Trim(number, "0123456789") != "" {
		return ""
	}
	return id
}

func orEmpty(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}
