package terminal

import (
	"fmt"
	"math"

	"candor/web/client"
)

// percent returns a share in percent, with a space that does not break. Only what is certain is
// 0 % or 100 %.
func percent(share float64) string {
	n := int(math.Round(share * 100))
	switch {
	case n == 0 && share > 0:
		n = 1
	case n == 100 && share < 1:
		n = 99
	}
	return fmt.Sprintf("%d\u00a0%%", n)
}

// stated says how sure the agent was. What is below the threshold never reads like it.
func stated(c client.Confidence) string {
	words := percent(c.Stated)
	if c.Low() && words == percent(c.Threshold) {
		return "less than " + words
	}
	return words
}

// sure says how sure the agent was of a call, "" if it did not say.
func sure(c *client.Confidence) string {
	switch {
	case c == nil:
		return ""
	case c.Low() && c.Suppressed:
		return stated(*c) + " sure, below " + percent(c.Threshold) + ", and nobody was asked"
	case c.Low():
		return stated(*c) + " sure, below " + percent(c.Threshold)
	}
	return stated(*c) + " sure"
}

// whyAsked says why a person is asked, "" if it is for another reason than the agent's confidence.
func whyAsked(c *client.Confidence, unsure bool) string {
	if c == nil || !unsure {
		return ""
	}
	return fmt.Sprintf("The agent is %s sure of this; below %s a person decides.", stated(*c), percent(c.Threshold))
}

// did is the line with the parameters of a call under a label, or the one that says what a
// decision is, or would have been.
func (s Style) did(e entry, label string) string {
	if !e.Decides {
		return s.hang(e.margin()+label, dim, Params(e.Parameters))
	}
	label, what := "would have decided: ", e.Decided
	switch e.Outcome {
	case "success":
		label = "decided: "
		if e.Said != "" {
			what = e.Said
		}
	case "pending":
		label = "would decide: "
	}
	return s.hang(e.margin()+label, "", inQuotes(what))
}

// decidedBy says who took a decision, and what the agent would have decided instead.
func decidedBy(d client.Decision) string {
	switch {
	case d.Said != "":
		return "decided by a person; the agent would have decided: " + inQuotes(d.Decided)
	case d.Approval == "approve" || d.Approval == "always":
		return "confirmed by a person"
	}
	return "decided by the agent"
}

// inQuotes returns foreign text in quotes, on one line.
func inQuotes(foreign string) string { return `"` + CleanLine(foreign) + `"` }

// replay is the line that says which turn this one repeats, "" if it repeats none.
func (s Style) replay(w *client.Workflow) string {
	if w == nil || w.ReplayOf == nil {
		return ""
	}
	return s.hang("  ┄ ", dim, fmt.Sprintf("A replay of turn %d of thread %s: nothing was asked and no tool ran again.",
		w.ReplayOf.TurnNumber, CleanLine(w.ReplayOf.ThreadID)))
}
