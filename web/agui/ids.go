package agui

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Ids are derived from the turn and its calls, so a replay has the same ones. A
// reasoning message never has the id of a text message: a client would append the one
// to the other.

func turnID(turn int) string                { return "turn_" + strconv.Itoa(turn) }
func runID(turn, n int) string              { return fmt.Sprintf("turn_%d_run_%d", turn, n) }
func conclusionID(turn int) string          { return fmt.Sprintf("turn_%d_conclusion", turn) }
func responseID(turn int) string            { return fmt.Sprintf("turn_%d_response", turn) }
func callID(turn int, call string) string   { return fmt.Sprintf("turn_%d_%s", turn, call) }
func reasonID(turn int, call string) string { return callID(turn, call) + "_rationale" }
func resultID(turn int, call string) string { return callID(turn, call) + "_result" }

// stepName names a step uniquely within its turn.
func stepName(agent string, step int) string {
	if agent != "" {
		return fmt.Sprintf("%s/step_%d", agent, step)
	}
	return fmt.Sprintf("step_%d", step)
}

// narrativeID identifies the reasoning message of a step's narrative.
func narrativeID(turn int, agent string, step int) string {
	return fmt.Sprintf("turn_%d_%s_narrative", turn, strings.ReplaceAll(stepName(agent, step), "/", "_"))
}

// thoughtID identifies the reasoning message of the thought beside a step's narrative.
func thoughtID(turn int, agent string, step int) string {
	return strings.TrimSuffix(narrativeID(turn, agent, step), "narrative") + "thought"
}

// subagentID identifies a sub-agent across turns, "" for the main agent.
func subagentID(turn int, agent string) string {
	if agent == "" {
		return ""
	}
	return turnID(turn) + "/" + agent
}

var narrativeIDForm = regexp.MustCompile(`^turn_([1-9][0-9]{0,8})_step_[1-9][0-9]{0,8}_narrative$`)

// parseNarrativeID returns the turn of an id that narrativeID returned for a step of the
// lead agent. ok is false for any other.
func parseNarrativeID(id string) (turn int, ok bool) {
	m := narrativeIDForm.FindStringSubmatch(id)
	if m == nil {
		return 0, false
	}
	turn, err := strconv.Atoi(m[1])
	return turn, err == nil
}

var callIDForm = regexp.MustCompile(`^turn_([1-9][0-9]{0,8})_(call_[0-9]{1,9})$`)

// parseCallID splits an id that callID returned. ok is false for any other.
func parseCallID(id string) (turn int, call string, ok bool) {
	m := callIDForm.FindStringSubmatch(id)
	if m == nil {
		return 0, "", false
	}
	turn, err := strconv.Atoi(m[1])
	return turn, m[2], err == nil
}
