package export

import (
	"fmt"

	"candor/safety"
	"candor/session"
)

// decidedView is what was decided, what somebody would have decided, or what the user thinks of it. Its
// text is not escaped, and a rating may have none.
type decidedView struct{ Who, What string }

// confidence says how sure the agent was of a call, whether a person was asked for that reason,
// and who took a decision, a few words each. It is empty for a call that has none of this.
func confidence(c session.Call) []string {
	var list []string
	if s := c.Confidence; s != nil {
		words := "the agent was " + s.Words() + " sure"
		switch {
		case s.Low() && s.Suppressed:
			words += ", and nobody was asked"
		case c.Approval != nil && c.Approval.LowConfidence:
			words += ", so a person was asked"
		}
		list = append(list, words)
	}
	if c.Decides && c.Outcome == session.Success {
		switch {
		case c.Approval.Said() != "":
			list = append(list, "decided by a person")
		case c.Approval != nil:
			list = append(list, "confirmed by a person")
		default:
			list = append(list, "decided by the agent")
		}
	}
	return list
}

// decidedIn lists what was decided in a call that is a decision, and by whom if a person decided
// otherwise than the agent would have.
func decidedIn(c session.Call) []decidedView {
	said := c.Approval.Said()
	switch {
	case !c.Decides:
		return nil
	case c.Outcome != session.Success:
		return []decidedView{{"Would have decided", c.Decision()}}
	case said != "":
		return []decidedView{{"Decided", said}, {"The agent would have decided", c.Decision()}}
	}
	return []decidedView{{"Decided", c.Decision()}}
}

// replay says which turn a turn repeats, "" if it repeats none.
func replay(w session.Workflow) string {
	if w.ReplayOf == (session.Ref{}) {
		return ""
	}
	return fmt.Sprintf("A replay of turn %d of thread %s: nothing was asked and no tool ran again.",
		w.ReplayOf.Turn, w.ReplayOf.Thread)
}

// feedback says what the user thinks of a call: at most one rating, with its note.
func feedback(c session.Call) []decidedView {
	if c.Feedback == nil {
		return nil
	}
	return []decidedView{{"The user rated this decision: " + string(c.Feedback.Rating), c.Feedback.Note.String()}}
}

// redactions lists the rules that masked or withheld something with their counts, as in
// "aws-key ×2". A count of one is left out. Findings are sorted by rule.
func redactions(findings []safety.Finding) []string {
	var list []string
	for i := 0; i < len(findings); {
		rule, count := findings[i].Rule, 0
		for ; i < len(findings) && findings[i].Rule == rule; i++ {
			if findings[i].Effect.Hides() {
				count += findings[i].Count
			}
		}
		if count > 0 {
			list = append(list, times(rule, count))
		}
	}
	return list
}

// notices lists the rules whose matches were left readable with their counts, severities
// and, unless the text stayed as it was, what was done.
func notices(findings []safety.Finding) []string {
	var list []string
	for _, f := range findings {
		switch f.Effect {
		case safety.Noticed:
			list = append(list, fmt.Sprintf("%s (%s)", times(f.Rule, f.Count), f.Severity))
		case safety.Neutralised:
			list = append(list, fmt.Sprintf("%s (%s, neutralised)", times(f.Rule, f.Count), f.Severity))
		}
	}
	return list
}

// times returns a rule with its count, without a count of one.
func times(rule string, count int) string {
	if count == 1 {
		return rule
	}
	return fmt.Sprintf("%s ×%d", rule, count)
}
