package terminal

import (
	"fmt"

	"candor/web/client"
)

// summaryNote stands behind a text that is its provider's summary of a model's reasoning.
const summaryNote = " (its provider's summary)"

// stopped is the line that says why a model stopped where it was not done, "" if it was.
func (s Style) stopped(why client.Stopped) string { return s.stoppedIn("", why) }

// stoppedIn is stopped for a step, whose label comes first.
func (s Style) stoppedIn(label string, why client.Stopped) string {
	if why.Words == "" {
		return ""
	}
	return s.hang("  ┄ ", yellow, label+"Why it stopped: "+CleanLine(why.Words)+".")
}

// stops are the lines of the steps in which the model was neither done nor called tools. That of the step that answered
// stands with the answer.
func (s Style) stops(t client.Turn) (out string) {
	for _, one := range t.StepStops {
		if one.Answer && one.Agent == "" {
			continue
		}
		label := fmt.Sprintf("Step %d. ", one.Step)
		if one.Agent != "" {
			label = fmt.Sprintf("%s, step %d. ", fit(CleanLine(one.Agent), 30), one.Step)
		}
		out += s.stoppedIn(label, one.Stopped)
	}
	return out
}

// answerStop is the line that says why the answer of a turn is not whole, "" if it is, or if there is none.
func (s Style) answerStop(t client.Turn) string {
	if t.Response == "" {
		return ""
	}
	return s.stopped(t.Stopped)
}

// thought is the line with the summary beside a narrative, "" if there is none.
func (s Style) thought(text string) string {
	if text == "" {
		return ""
	}
	return s.hang("  Thought: ", dim, `"`+CleanLine(text)+`"`+summaryNote)
}
