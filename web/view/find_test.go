package view

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

var cleaner = safety.NewLayer()

func said(text string) safety.Text {
	t, _ := cleaner.Mask(text)
	return t
}

func value(raw string) safety.JSON {
	j, _ := cleaner.CleanJSON(json.RawMessage(raw))
	return j
}

// aTurn has two calls, the second of another agent and with something masked.
func aTurn(thread string, number int, at time.Time) Document {
	t := session.Turn{
		Thread: thread, Number: number, CreatedAt: at, Input: said("how did the deploy go?"),
		Response: said("It finished."),
		Findings: found(safety.Masked),
		Steps: []session.Step{{Number: 1, Narrative: said("I look at the logs first."), Calls: []session.Call{
			{ID: "call_1", Tool: said("logs"),
				Rationale: session.Rationale{Text: said("the log says whether it FINISHED"), Source: session.FromModel},
				Params:    value(`{"query":"Äpfel"}`), Outcome: session.Success,
				Result:    value(`["11:58 deploy finished"]`),
				StartedAt: at},
			{ID: "call_2", Agent: "helper", Tool: said("metrics"), Rationale: session.Fallback(), Params: value(`{}`),
				Outcome: session.Errored,
				Error:   said("no such metric"), StartedAt: at, Findings: found(safety.Masked)},
		}}},
	}
	return Document{At: at, Turn: &t}
}

func find(q string, want map[string][]string, all ...Document) SearchResponse {
	return Query{Words: SplitQuery(q), Want: want, Limit: 50}.Run(slices.Values(all))
}

func fields(r SearchResponse) []string {
	out := []string{}
	for _, h := range r.Hits {
		out = append(out, h.CallID+" "+h.Field)
	}
	return out
}

func TestASearchFindsWordsInEveryField(t *testing.T) {
	one := aTurn("t", 1, time.Now())
	for q, want := range map[string][]string{
		"finished":       {"call_1 rationale", " response"},
		"deploy":         {" user_input", "call_1 result"},
		"äpfel":          {"call_1 object"},
		"METRIC":         {"call_2 tool_name"},
		"such":           {"call_2 error"},
		"logs first":     {"call_1 tool_name", " narrative"},
		`"look at the"`:  {" narrative"},
		`"at look"`:      {},
		"deploy nowhere": {" user_input", "call_1 result"},
		"":               {" user_input", "call_1 rationale", "call_2 tool_name"},
		"(.*)":           {},
		`"`:              {" user_input", "call_1 rationale", "call_2 tool_name"},
		"log 11:58":      {"call_1 tool_name"},
	} {
		got := find(q, nil, one)
		assert.Equal(t, want, fields(got), "%q", q)
		assert.Equal(t, len(want), got.Total, "%q", q)
	}
}

func TestFacetsFilterHitsAndCountTheAlternatives(t *testing.T) {
	one := aTurn("t", 1, time.Now())
	got := find("", map[string][]string{"outcome": {"error"}}, one)
	assert.Equal(t, []string{"call_2 tool_name"}, fields(got))
	assert.Equal(t, []FacetItem{{"error", 1}, {"success", 1}}, got.Facets["outcome"],
		"its own values as if none were chosen")
	assert.Equal(t, []FacetItem{{"metrics", 1}}, got.Facets["tool"], "the others' as chosen")
	assert.Equal(t, []FacetItem{{"helper", 1}}, got.Facets["agent"])
	assert.Len(t, find("", map[string][]string{"outcome": {"error", "success"}}, one).Hits, 2, "any of the values")
	assert.Empty(t, find("", map[string][]string{"outcome": {"error"}, "tool": {"logs"}}, one).Hits,
		"all of the facets")
	assert.Equal(t, []string{"call_1 rationale"}, fields(find("", map[string][]string{"source": {"model"}}, one)))
	assert.Equal(t, []string{" user_input", "call_2 tool_name"},
		fields(find("", map[string][]string{"redacted": {"true"}}, one)))
	assert.Equal(t, []string{"call_1 rationale"}, fields(find("", map[string][]string{"redacted": {"false"}}, one)))
}

// A watched agent's turn may have been heard of long after it began.
func TestOfEqualHitsTheNewestByTheirOwnTimesComeFirst(t *testing.T) {
	noon := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	heardLast := aTurn("imported", 1, noon.Add(time.Hour))
	began := noon.Add(-24 * time.Hour)
	heardLast.Turn.StartedAt = began
	for i := range heardLast.Turn.Steps[0].Calls {
		heardLast.Turn.Steps[0].Calls[i].StartedAt = began.Add(time.Duration(i) * time.Second)
	}
	ours := aTurn("ours", 1, noon)
	for words, want := range map[string][]string{
		// Asked a question, turns are in order of time, and in a turn its own text comes first.
		"deploy": {"ours ", "ours call_1", "imported ", "imported call_1"},
		// Asked nothing, each decision is in its place.
		"": {"ours ", "ours call_1", "ours call_2", "imported call_2", "imported ", "imported call_1"},
	} {
		got := []string{}
		for _, h := range find(words, nil, heardLast, ours).Hits {
			got = append(got, h.ThreadID+" "+h.CallID)
			if h.ThreadID == "imported" && h.CallID == "" {
				assert.Equal(t, began, h.At, "its prompt has the time of the turn")
			}
		}
		assert.Equal(t, want, got, words)
	}
}

func TestASearchFindsTheCallsAndReasonsOfJobs(t *testing.T) {
	at := time.Now()
	j := session.Job{ID: "j", Title: said("look around"), Prompt: said("find Follow"), CreatedAt: at}
	job := Document{At: at, Job: &j, Events: []session.Event{
		{At: at, Body: session.JobToolUse{Call: "call_1", Tool: said("grep"), Input: value(`{"q":"Follow"}`)}},
		{At: at, Body: session.JobToolResult{Call: "call_1", Tool: said("grep"), Outcome: session.Success,
			Output: value(`"session/log.go"`)}},
		{At: at, Body: session.JobReasoned{Narrative: said("I search."), Decisions: []session.Decision{
			{Call: "call_1", Inferred: true, Tool: said("grep"), Outcome: session.Success,
				Rationale: session.Rationale{Text: said("it finds text"), Source: session.FromModel}},
			{Call: "call_2", Tool: said("ls"), Rationale: session.Fallback(), Outcome: session.Pending},
		}}},
	}}
	assert.Equal(t, []string{"call_1 object", " prompt"}, fields(find("follow", nil, job)))
	assert.Equal(t, []string{"call_1 outcome_line"},
		fields(find("log.go", map[string][]string{"outcome": {"success"}}, job)))
	assert.Equal(t, []string{"call_1 rationale"}, fields(find("finds", map[string][]string{"source": {"model"}}, job)),
		"result and reason are of one call")
	assert.Equal(t, []string{"call_2 tool_name"}, fields(find("", map[string][]string{"tool": {"ls"}}, job)))
	hits := find("", nil, job).Hits
	inferred := func(tool string) bool {
		return hits[slices.IndexFunc(hits, func(h SearchHit) bool { return h.Tool == tool })].Inferred
	}
	assert.True(t, inferred("grep"), "the worker did not say which call the reason is about")
	assert.False(t, inferred("ls"))
	assert.Equal(t, "j", find("search", nil, job).Hits[0].JobID)
}

func TestASearchStopsAtItsLimitAndItsBudget(t *testing.T) {
	at := time.Now()
	var all []Document
	for n := range 300 {
		all = append(all, aTurn("t", 300-n, at))
	}
	q := Query{Limit: 10}
	got := q.Run(slices.Values(all))
	assert.Len(t, got.Hits, 10)
	assert.Equal(t, 900, got.Total)
	assert.Equal(t, 300, got.Hits[0].TurnNumber)
	got = q.run(slices.Values(all), 1000)
	assert.True(t, got.Truncated)
	assert.Less(t, got.Total, 100)
}

func TestASnippetMarksItsMatchesAndStaysShort(t *testing.T) {
	text := strings.Repeat("ä before ", 100) + "Needle and hay" + strings.Repeat(" after ö", 100)
	parts := snippet(text, compile(termsOf([]string{"needle", "hay"})))
	var whole strings.Builder
	var matched []string
	for _, p := range parts {
		whole.WriteString(p.Text)
		if p.Match {
			matched = append(matched, p.Text)
		}
	}
	assert.Equal(t, []string{"Needle", "hay"}, matched)
	assert.LessOrEqual(t, whole.Len(), snippetSize+8)
	assert.True(t, strings.HasPrefix(whole.String(), "…") && strings.HasSuffix(whole.String(), "…"))
	assert.NotContains(t, whole.String(), "\uFFFD")
	assert.Equal(t, []SnippetPart{{"abab", true}, {"abab", true}, {"a", false}},
		snippet("ababababa", compile(termsOf([]string{"abab"}))))
}

func FuzzSnippet(f *testing.F) {
	f.Add("some text with a needle", "needle")
	f.Add("İstanbul ſ K", "i")
	f.Fuzz(func(t *testing.T, text, q string) {
		for _, p := range snippet(text, compile(termsOf(SplitQuery(q)))) {
			require.NotEmpty(t, p.Text)
		}
	})
}

func TestAThoughtAndWhyTheModelStoppedAreFound(t *testing.T) {
	d := aTurn("t", 1, time.Now())
	d.Turn.Steps[0].Thought, d.Turn.Steps[0].Stop = said("The notes may say it."), session.StopFilter
	assert.Equal(t, []string{" thought"}, fields(find("notes may say", nil, d)))
	assert.Equal(t, []string{" stop"}, fields(find("provider's filter", nil, d)))
}
