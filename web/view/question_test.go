package view

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// oneCall is a turn with one call, which had a reason.
func oneCall(number int, tool, params, why string) Document {
	used := session.Usage{Input: 6000}
	return Document{Title: said("Fix it"), Turn: &session.Turn{Thread: "t", Number: number, Usage: used,
		Steps: []session.Step{{Number: 2, Calls: []session.Call{{
			ID: "call_1", Step: 2, Tool: said(tool), Params: value(params), Outcome: session.Success,
			Result: value(`{"saved":true}`), Took: 2 * time.Second,
			Rationale: session.Rationale{Text: said(why), Source: session.FromModel},
		}}}}}}
}

// numbers returns the turns of hits.
func numbers(r SearchResponse) []int {
	list := []int{}
	for _, h := range r.Hits {
		list = append(list, h.TurnNumber)
	}
	return list
}

// A question of stop words only is looked for as it is, since nothing else was typed.
func TestAQuestionLosesTheWordsThatEveryQuestionHas(t *testing.T) {
	for q, want := range map[string][]string{
		"why did it delete that file?":    {"delete", "file"},
		"Why?":                            {"Why"},
		`why "did it" fail`:               {"did it", "fail"},
		"what happened to log.go, please": {"log.go"},
		"":                                nil,
	} {
		assert.Equal(t, want, SplitQuery(q), q)
	}
}

// The newest turn is found first, so that only the rank can change the order.
func TestTheBestMatchComesFirst(t *testing.T) {
	documents := []Document{
		oneCall(6, "grep", `{"pattern":"x"}`, "Some permission of the German user."),
		oneCall(5, "say", `{"text":"I delete one file"}`, "to tell"),
		oneCall(4, "look", `{"path":"a"}`, "I delete the file next"),
		oneCall(3, "delete_file", `{"path":"config/legacy.yaml"}`, "Nothing reads it."),
		oneCall(2, "bash", `{"command":"rm old.txt"}`, "a file that is old"),
	}
	got := find("why did it delete that file?", nil, documents...)
	assert.Equal(t, []int{3, 5, 4, 2}, numbers(got), "tool and object, then reasons, then near matches")
	assert.Equal(t, []string{"delete", "file"}, got.Looked)
	assert.Equal(t, []string{"rm"}, got.Near)
	assert.Equal(t, []bool{false, false, false, true}, []bool{
		got.Hits[0].IsNear, got.Hits[1].IsNear, got.Hits[2].IsNear, got.Hits[3].IsNear})
	hit := got.Hits[0]
	assert.Equal(t, []SnippetPart{{"delete", true}, {"_", false}, {"file", true}}, hit.Name)
	assert.Equal(t, []SnippetPart{{"config/legacy.yaml", false}}, hit.Object)
	assert.Equal(t, []SnippetPart{{"Nothing reads it.", false}}, hit.Reason)
	assert.Equal(t, "saved", hit.Line.String())
	assert.Equal(t, "Fix it", hit.Title)
	assert.Equal(t, 2, hit.Step)
	assert.Equal(t, []int{2}, numbers(find("rm", nil, documents[0], documents[4])), "not in the middle of a word")
}

// Nothing has all three; what has two is shown and counted.
func TestASearchShowsWhatHasMostIfNothingHasAllWords(t *testing.T) {
	documents := []Document{
		oneCall(2, "grep", `{"pattern":"rates"}`, "to see"), oneCall(1, "grep", `{"pattern":"rates of tax"}`, "to see"),
	}
	got := find("rates tax friday", nil, documents...)
	assert.Equal(t, []int{1}, numbers(got))
	assert.True(t, got.Partial)
	assert.Equal(t, 1, got.Total)
	assert.False(t, find("rates", nil, documents...).Partial)
	assert.Equal(t, []FacetItem{{"grep", 1}}, got.Facets["tool"], "facets count what is shown")
}

// What has two of three words is shown behind what has all of them, what has one is not.
func TestHitsThatLackAThirdOfTheWordsComeLast(t *testing.T) {
	documents := []Document{
		oneCall(3, "grep", `{"pattern":"rates"}`, "to see"), oneCall(2, "grep", `{"pattern":"rates tax"}`, "to see"),
		oneCall(1, "grep", `{"pattern":"rates tax friday"}`, "to see"),
	}
	got := find("rates tax friday", nil, documents...)
	assert.Equal(t, []int{1, 2}, numbers(got))
	assert.Equal(t, 2, got.Total)
	assert.False(t, got.Partial)
	assert.Equal(t, []FacetItem{{"grep", 2}}, got.Facets["tool"], "facets count what is shown")
	assert.Equal(t, []int{1}, numbers(find("rates friday", nil, documents...)), "of two words none may be missing")
}

// Want and know say how somebody asks. They decide between equals, and find something only if nothing else was typed.
func TestWordsThatSayLittleMakeNoHit(t *testing.T) {
	documents := []Document{
		oneCall(3, "look", `{"path":"totals.go"}`, "to see"),
		oneCall(2, "look", `{"path":"totals.go"}`, "I want to know it."),
		oneCall(1, "say", `{"text":"want to know"}`, "to see"),
	}
	got := find("why did it want to know totals", nil, documents...)
	assert.Equal(t, []int{2, 3}, numbers(got))
	assert.False(t, got.Partial, "the one word that counts was found")
	assert.Equal(t, []int{1, 2}, numbers(find("want to know", nil, documents...)))
}

// A call whose reason has the word, too, is more about it.
func TestEveryFieldWithAWordCounts(t *testing.T) {
	assert.Equal(t, []int{1, 2}, numbers(find("totals", nil,
		oneCall(2, "grep", `{"pattern":"totals"}`, "to see"),
		oneCall(1, "grep", `{"pattern":"totals"}`, "Totals changed."))))
}

func TestVerbsAreFoundInAllTheirForms(t *testing.T) {
	d := oneCall(1, "http_post", `{"url":"x"}`, "It was sent before the table went away.")
	assert.Len(t, find("send", nil, d).Hits, 1)
	assert.Len(t, find("gone", nil, d).Hits, 1)
	assert.Empty(t, find("seen", nil, d).Hits)
}

func TestNamesOfFilesMayBeMistyped(t *testing.T) {
	d := oneCall(1, "read_file", `{"path":"config/legacy_rates.yaml"}`, "to see")
	for q, want := range map[string]bool{
		"legacy_rate.yaml": true, "legasy_rates.yml": true, "legasy_rate.yml": true, "lagasy_rate.yml": false,
		"config/legasy_rates.yaml": true, "legacy.yaml": false,
	} {
		assert.Equal(t, want, len(find(q, nil, d).Hits) == 1, q)
	}
}

// A word of five letters may have one wrong, a longer one two, and the first has to be right.
func TestOtherFormsAndMistypedWordsAreNearMatches(t *testing.T) {
	documents := []Document{oneCall(1, "profile", `{"path":"login.prof"}`, "A profile says where the time goes.")}
	for q, want := range map[string]bool{
		"profiling": true, "profiled": true, "porfile": true, "profle": true, "prifole": false, "rofile": true,
		"ogin": true, "lo": true, "in": false, "yprofile": false,
	} {
		assert.Equal(t, want, len(find(q, nil, documents...).Hits) == 1, q)
	}
	assert.True(t, find("profle", nil, documents...).Hits[0].IsNear)
	assert.Equal(t, []string{"profile"}, find("profle", nil, documents...).Near)
}

// The message and the plan of a step are shared by its calls, so alone they lead to none of them.
func TestACallIsFoundByTheWordsAroundItOnlyBesideItsOwn(t *testing.T) {
	d := oneCall(1, "grep", `{"pattern":"rates"}`, "to see")
	d.Turn.Input = said("is the config used?")
	assert.Equal(t, []string{"call_1 object"}, fields(find("rates config", nil, d)))
	assert.Equal(t, []string{" user_input"}, fields(find("config used", nil, d)))
}

// The query is the only text of an answer that was not cleaned; it may be a secret that somebody checks for.
func TestAnAnswerRepeatsNoWordThatNoTextHas(t *testing.T) {
	got := find("rates hunter2hunter2", nil, oneCall(1, "grep", `{"pattern":"rates"}`, "to see"))
	assert.Equal(t, []string{"rates"}, got.Looked, "what was typed may be a secret")
	assert.Len(t, got.Hits, 1)
}

// Every page is a search of its own, and together they have each hit once, in one order.
func TestHitsBeyondTheFirstPageAreReached(t *testing.T) {
	var all []Document
	for n := range 30 {
		all = append(all, oneCall(30-n, "grep", fmt.Sprintf(`{"pattern":"rates %d"}`, n), "to see"))
	}
	var seen []int
	for offset := 0; offset < 30; offset += 8 {
		got := Query{Words: []string{"rates"}, Limit: 8, Offset: offset}.Run(slices.Values(all))
		assert.Equal(t, 30, got.Total)
		seen = append(seen, numbers(got)...)
	}
	require.Len(t, seen, 30)
	assert.Equal(t, 30, seen[0])
	assert.Equal(t, 1, seen[29])
	assert.Empty(t, Query{Words: []string{"rates"}, Limit: 8, Offset: 40}.Run(slices.Values(all)).Hits)
}

// Without words every hit counts, so a person can ask for all that was denied.
func TestHitsHaveFacetsBeforeAnyWordIsTyped(t *testing.T) {
	d := oneCall(1, "grep", `{"pattern":"rates"}`, "to see")
	c := &d.Turn.Steps[0].Calls[0]
	c.Approval = &session.Approval{Answer: session.Deny}
	c.Outcome = session.Rejected
	got := find("", nil, d)
	for facet, want := range map[string]string{
		"outcome": "rejected", "approval": "deny", "duration": "1 to 10 s", "tool": "grep",
	} {
		assert.Equal(t, []FacetItem{{want, 1}}, got.Facets[facet], facet)
	}
	assert.Equal(t, []FacetItem{{"5,000 to 20,000", 1}}, got.Facets["tokens"])
	assert.Len(t, find("", map[string][]string{"approval": {"deny"}}, d).Hits, 1)
}

func TestCallsAndTurnsAreFoundByHowLongTheyTookAndByTheirTokens(t *testing.T) {
	for _, c := range []struct {
		took time.Duration
		want string
	}{
		{0, "under 0.1 s"}, {100*time.Millisecond - 1, "under 0.1 s"}, {100 * time.Millisecond, "0.1 to 1 s"},
		{time.Second - 1, "0.1 to 1 s"}, {time.Second, "1 to 10 s"}, {10*time.Second - 1, "1 to 10 s"},
		{10 * time.Second, "over 10 s"}, {time.Hour, "over 10 s"},
	} {
		d := oneCall(1, "grep", `{"pattern":"rates"}`, "to see")
		d.Turn.Steps[0].Calls[0].Took = c.took
		assert.Equal(t, []FacetItem{{c.want, 1}}, find("", nil, d).Facets["duration"], c.took)
		for _, asked := range []string{"under 0.1 s", "0.1 to 1 s", "1 to 10 s", "over 10 s"} {
			found := len(find("rates", map[string][]string{"duration": {asked}}, d).Hits) > 0
			assert.Equal(t, asked == c.want, found, "%s for one of %s", asked, c.took)
		}
	}
	for _, c := range []struct {
		spent session.Usage
		want  string
	}{
		{session.Usage{Output: 1}, "under 5,000"}, {session.Usage{Input: 1}, "under 5,000"},
		{session.Usage{Input: 4000, Output: 999}, "under 5,000"},
		{session.Usage{Input: 4000, Output: 1000}, "5,000 to 20,000"},
		{session.Usage{Input: 19_000, Output: 1000}, "5,000 to 20,000"},
		{session.Usage{Input: 19_000, Output: 1001}, "over 20,000"},
	} {
		d := oneCall(1, "grep", `{"pattern":"rates"}`, "to see")
		d.Turn.Usage = c.spent
		assert.Equal(t, []FacetItem{{c.want, 1}}, find("", nil, d).Facets["tokens"], c.spent)
		for _, asked := range []string{"under 5,000", "5,000 to 20,000", "over 20,000"} {
			found := len(find("rates", map[string][]string{"tokens": {asked}}, d).Hits) > 0
			assert.Equal(t, asked == c.want, found, "%s for one of %v", asked, c.spent)
		}
	}
	d := oneCall(1, "grep", `{"pattern":"rates"}`, "to see")
	d.Turn.Usage = session.Usage{}
	for _, change := range []func(*session.Call){
		func(c *session.Call) { c.Outcome = session.Pending }, func(c *session.Call) { c.Untimed = true },
	} {
		change(&d.Turn.Steps[0].Calls[0])
		got := find("", nil, d).Facets
		assert.Empty(t, got["duration"], "nobody knows")
		assert.Empty(t, got["tokens"], "nobody knows")
		d.Turn.Steps[0].Calls[0].Outcome = session.Success
	}
}
