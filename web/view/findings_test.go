package view

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

// found returns a finding of one rule with the given effect.
func found(e safety.Effect) []safety.Finding {
	return []safety.Finding{{Rule: "x", Count: 1, Severity: safety.Medium, Effect: e}}
}

func TestFindingsAreListedByWhatHappenedToTheText(t *testing.T) {
	all := []safety.Finding{
		{Rule: "a", Count: 2, Severity: safety.High, Effect: safety.Masked},
		{Rule: "a", Count: 1, Severity: safety.Low, Effect: safety.Noticed},
		{Rule: "a", Count: 4, Severity: safety.High, Effect: safety.Withheld},
		{Rule: "b", Count: 1, Severity: safety.Medium, Effect: safety.Neutralised},
		{Rule: "b", Count: 1, Severity: safety.Medium, Effect: safety.Noticed},
	}
	assert.Equal(t, []Redaction{{"a", 6}}, redactions(all))
	assert.Equal(t, []Notice{{"a", 1, safety.Low}, {"b", 2, safety.Medium}}, notices(all))
	assert.Nil(t, redactions(all[3:]))
	assert.Nil(t, notices(all[:1]))
}

func TestHistoryAndJobsCallNothingRedactedThatIsThere(t *testing.T) {
	noted := found(safety.Noticed)
	turn := Turn(session.Turn{Findings: noted, Steps: []session.Step{{Calls: []session.Call{{Findings: noted}}}}})
	for name, v := range map[string]any{
		"turn": turn, "decision": turn.Reasoning.ToolDecisions[0], "job": Job(session.Job{Findings: noted}),
	} {
		raw, err := safety.Marshal(v)
		require.NoError(t, err)
		assert.NotContains(t, string(raw), "redactions", name)
		assert.Contains(t, string(raw), `"notices":[{"rule":"x","count":1,"severity":"medium"}]`, name)
	}
	raw, err := safety.Marshal(Job(session.Job{Findings: found(safety.Withheld)}))
	require.NoError(t, err)
	assert.Contains(t, string(raw), `"redactions":[{"rule":"x","count":1}]`)
	assert.NotContains(t, string(raw), "notices")
}

func TestOnlyWhatWasMaskedIsFoundAsRedacted(t *testing.T) {
	for effect, want := range map[safety.Effect]int{
		safety.Noticed: 0, safety.Neutralised: 0, safety.Masked: 2, safety.Withheld: 2,
	} {
		call := session.Call{Tool: safety.Literal("logs"), Findings: found(effect)}
		turn := session.Turn{
			Input: safety.Literal("go"), Findings: found(effect), Steps: []session.Step{{Calls: []session.Call{call}}},
		}
		job := session.Job{Title: safety.Literal("go"), Findings: found(effect)}
		events := []session.Event{
			{Body: session.JobMessage{Text: safety.Literal("hi"), Findings: found(effect)}},
			{Body: session.JobReasoned{Narrative: safety.Literal("so"), Findings: found(effect)}},
			{Body: session.JobToolUse{Tool: safety.Literal("logs"), Findings: found(effect)}},
		}
		yes := map[string][]string{"redacted": {FacetYes}}
		assert.Len(t, find("", yes, Document{Turn: &turn}).Hits, want, "%s in a turn", effect)
		assert.Len(t, find("", yes, Document{Job: &job, Events: events}).Hits, 2*want, "%s in a job", effect)
	}
}
