package session_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/session"
)

// reasons returns the reasons that the model gave for the calls of a turn, by the calls' ids.
func reasons(turn session.Turn) map[string]string {
	all := map[string]string{}
	for c := range turn.Calls() {
		if c.Rationale.Source == session.FromModel {
			all[c.ID] = c.Rationale.Text.String()
		}
	}
	return all
}

func TestALineBeforeACallIsItsReason(t *testing.T) {
	for name, c := range map[string]struct{ said, reason, narrative string }{
		"a plain line":      {"Reason for Bash: to see why it fails", "to see why it fails", ""},
		"words around it":   {"I look.\n\nReason for Bash: it fails\n\nSo.", "it fails", "I look.\n\nSo."},
		"in bold":           {"**Reason for Bash:** it fails", "it fails", ""},
		"all in bold":       {"**Reason for Bash: it fails**", "it fails", ""},
		"an item of a list": {"- Reason for `Bash`: it fails", "it fails", ""},
		"an item of a numbered list": {"1. Reason for Bash: it fails\n2) Reason for Read: no", "it fails",
			"2) Reason for Read: no"},
		"with a dash":             {"Reason for Bash \u2014 it fails", "it fails", ""},
		"with a hyphen":           {"\u2022 Reason for Bash - it fails", "it fails", ""},
		"with the object":         {"Reason for Bash (`go test ./...`): it fails", "it fails", ""},
		"with the object in bold": {"**Reason for Bash [go test]**: it fails", "it fails", ""},
		"over two lines": {"Reason for Bash: to see whether it\nstill fails after that.\nSo.",
			"to see whether it still fails after that.", "So."},
		"over more lines than are read": {"Reason for Bash: to see\na\nb\nc\nd", "to see a b c", "d"},
		"on the line behind":            {"**Reason for Bash:**\nTo see it.", "To see it.", ""},
		"before an item of a list":      {"Reason for Bash: to see it\n- and more", "to see it", "- and more"},
		"before a sentence":             {"Reason for Bash: to see it\nI look.", "to see it", "I look."},
		"in other letters":              {"REASON FOR bash : it fails", "it fails", ""},
		"for another tool":              {"Reason for Read: it fails", "", "Reason for Read: it fails"},
		"within a sentence":             {"The reason for Bash: it fails", "", "The reason for Bash: it fails"},
		"without a reason":              {"Reason for Bash:", "", "Reason for Bash:"},
		"too long":                      {"Reason for Bash: " + strings.Repeat("x ", 3000) + "y", "", "…"},
		"a second one":                  {"Reason for Bash: a\nReason for Bash: b", "a", "Reason for Bash: b"},
		"only marks":                    {"Reason for Bash: **", "", "Reason for Bash: **"},
		"a quotation":                   {"> Reason for Bash: a\n\nReason for Bash: b", "b", "> Reason for Bash: a"},
		"a block of code": {"It says:\n```\nReason for Bash: a\n```", "",
			"It says:\n```\nReason for Bash: a\n```"},
		"behind such a block": {"~~~text\nReason for Bash: a\n~~~~\nReason for Bash: b", "b",
			"~~~text\nReason for Bash: a\n~~~~"},
		"an open block":      {"````\n```\nReason for Bash: a", "", "````\n```\nReason for Bash: a"},
		"code within a line": {"```x``` it is.\nReason for Bash: b", "b", "```x``` it is."},
		"indented code":      {"So:\n\n    Reason for Bash: a", "", "So:\n\n    Reason for Bash: a"},
	} {
		t.Run(name, func(t *testing.T) {
			s, id := attach(t)
			sight(t, s, id, session.FromHooks, prompted("fix it"), before("c1", c.said, 1), called("c1", "Bash", 2))
			turn := firstTurn(t, s, id)
			if c.reason == "" {
				assert.Empty(t, reasons(turn))
			} else {
				assert.Equal(t, map[string]string{"c1": c.reason}, reasons(turn))
				assert.Equal(t, []session.Channel{session.FromHooks}, turn.Steps[0].Calls[0].Sighted.Reason)
			}
			if c.narrative != "…" {
				assert.Equal(t, c.narrative, turn.Steps[0].Narrative.String())
			}
			assert.Equal(t, c.narrative == "", turn.Steps[0].NarrativeSource == "")
		})
	}
}

// TestAToolOfAServerHasSeveralNames has the names that models and agents have for a tool of an MCP server.
func TestAToolOfAServerHasSeveralNames(t *testing.T) {
	for said, tools := range map[string]map[string]bool{
		"echo":          {"mcp__ev__echo": true, "ev.echo": true, "echo": true, "mcp__ev__echoes": false},
		"ev.echo":       {"mcp__ev__echo": true, "mcp__other__echo": false, "echo": true},
		"mcp__ev__echo": {"mcp__ev__echo": true, "echo": true, "mcp__other__echo": false},
		"Echo":          {"mcp__ev__echo": true, "Bash": false},
	} {
		for tool, is := range tools {
			s, id := attach(t)
			sight(t, s, id, session.FromHooks, before("c1", "Reason for "+said+": to hear it", 1), called("c1", tool,
				2))
			_, has := reasons(firstTurn(t, s, id))["c1"]
			assert.Equal(t, is, has, "%s for %s", said, tool)
		}
	}
}

func TestCallsOfOneAnswerHaveTheirReasonsInItsOrder(t *testing.T) {
	said := "Both.\nReason for Read: the first\nReason for Bash: to list\nReason for Read: the second"
	for name, facts := range map[string][]session.Sighting{
		"the file tells places": {in("m1", 0, spoke("m1", said, 1)), in("m1", 3, called("a3", "Read", 2)),
			in("m1", 2, called("b2", "Bash", 2)), in("m1", 1, called("c1", "Read", 2))},
		"hooks list the calls": {before("c1", said, 1), called("a3", "Read", 2), called("b2", "Bash", 2),
			called("c1", "Read", 2), {At: second(3), Call: "c1",
				Batched: &session.SightedBatch{Calls: []string{"c1", "b2", "a3"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			s, id := attach(t)
			sight(t, s, id, session.FromFile, facts...)
			turn := firstTurn(t, s, id)
			assert.Equal(t, map[string]string{"c1": "the first", "b2": "to list", "a3": "the second"}, reasons(turn))
			assert.Equal(t, "Both.", turn.Steps[0].Narrative.String())
			assert.Equal(t, "c1", turn.Steps[0].Calls[0].ID, "the first that the model made")
		})
	}
}

func TestAReasonWaitsForItsCallUntilTheModelSaysSomethingElse(t *testing.T) {
	s, id := attach(t)
	said := "Reason for Read: the first\nReason for Read: the second\nReason for Edit: to mend it"
	sight(t, s, id, session.FromHooks, before("c1", said, 1), called("c1", "Read", 2))
	sight(t, s, id, session.FromHooks, called("c2", "Read", 3))
	assert.Equal(t, map[string]string{"c1": "the first", "c2": "the second"}, reasons(firstTurn(t, s, id)),
		"the second call is known as it begins, before anybody says that both are of one answer")
	sight(t, s, id, session.FromHooks, before("c3", "Something else.", 4), called("c3", "Bash", 5))
	sight(t, s, id, session.FromHooks, called("c4", "Edit", 6))
	turn := firstTurn(t, s, id)
	assert.NotContains(t, reasons(turn), "c4")
	assert.Equal(t, "Reason for Edit: to mend it", turn.Steps[0].Narrative.String(), "what is no call's reason stays")
}

func TestAReasonIsForTheAnswerThatItStandsInWhereThatIsKnown(t *testing.T) {
	s, id := attach(t)
	said := "Reason for Bash: the first\nReason for Bash: the second"
	sight(t, s, id, session.FromFile, in("m1", 0, spoke("m1", said, 1)), in("m1", 1, called("c1", "Bash", 2)),
		in("m2", 0, called("c2", "Bash", 3)))
	turn := firstTurn(t, s, id)
	assert.Equal(t, map[string]string{"c1": "the first"}, reasons(turn), "the call of another answer has none")
	assert.Equal(t, "Reason for Bash: the second", turn.Steps[0].Narrative.String())
}

func TestNoReasonIsTakenFromElsewhere(t *testing.T) {
	const said = "Reason for Bash: it fails"
	summary := before("c1", said, 1)
	summary.Said.Source = session.FromSummary
	other := before("x1", said, 1)
	other.Sub = "a1"
	own := called("c1", "Bash", 2)
	own.Called.Rationale = session.Rationale{Text: text("As a parameter."), Source: session.FromModel}
	for name, c := range map[string]struct {
		facts []session.Sighting
		want  map[string]string
	}{
		"a summary of thoughts": {[]session.Sighting{summary, called("c1", "Bash", 2)}, map[string]string{}},
		"another agent's words": {[]session.Sighting{other, called("c1", "Bash", 2)}, map[string]string{}},
		"a call with a reason of its own": {[]session.Sighting{before("c1", said, 1), own},
			map[string]string{"c1": "As a parameter."}},
	} {
		t.Run(name, func(t *testing.T) {
			s, id := attach(t)
			sight(t, s, id, session.FromHooks, c.facts...)
			assert.Equal(t, c.want, reasons(firstTurn(t, s, id)))
		})
	}
}
