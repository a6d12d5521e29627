package terminal_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clipperhouse/displaywidth"
	"github.com/stretchr/testify/assert"

	"candor/cmd/candor/apptest"
	"candor/cmd/candor/terminal"
	"candor/web/client"
)

// partsOf makes the parts of a text whose matches stand between < and >.
func partsOf(text string) []client.Part {
	var parts []client.Part
	for i, piece := range strings.FieldsFunc(text, func(r rune) bool { return r == '<' || r == '>' }) {
		parts = append(parts, client.Part{Text: piece, Match: (i%2 == 1) != strings.HasPrefix(text, "<")})
	}
	return parts
}

var foundAt = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// aFinding has calls that went well and did not, one without a reason, and a text that is no call's.
var aFinding = client.Found{
	Total: 134, Searched: client.Searched{Decisions: 1200, Texts: 43, Places: 61},
	Looked: []string{"delete", "file"}, Near: []string{"remove", "rm"}, Partial: true, Truncated: true,
	Hits: []client.Hit{
		{ThreadID: "7c9e6679-7425-40de", TurnNumber: 4, Step: 5, CallID: "call_1", At: foundAt.Add(-2 * time.Hour),
			Title: "Fix the invoice test", Outcome: "success", Source: "model", Field: "tool_name",
			Name: partsOf("<delete>_<file>"), Object: partsOf("config/legacy_rates.yaml"), Line: "deleted, 2.1 kB",
			Reason: partsOf("Nothing references it since the rates moved to the service; its last reader went with " +
				"#471, three years ago, and nobody <deleted the file> since.")},
		{ThreadID: "9b1d77aa-7425-40de", TurnNumber: 7, CallID: "call_2", At: foundAt, Title: "Billing",
			Outcome: "rejected", Source: "fallback", Field: "parameters", Name: partsOf("<delete>_<file>"),
			Object: partsOf("tmp/profile.out"), Line: "denied by a person: keep it, I still need it",
			Snippet: partsOf(`{"why":"the <file> of [REDACTED:github-pat]"}`)},
		{JobID: "0b6f4a52-2c1d-4c33-9a43-1f2b7c0d5e11", CallID: "call_3", At: foundAt.Add(-72 * time.Hour),
			IsNear: true, Outcome: "success", Field: "object",
			Name:   partsOf("a_tool_with_a_name_that_is_much_too_long_for_one_column"),
			Object: partsOf("git <rm> internal/legacy/rates.go"), Reason: partsOf("It is not imported any more.")},
		{ThreadID: "9b1d77aa-7425-40de", TurnNumber: 8, At: foundAt, Participant: "planner", Field: "user_input",
			Snippet: partsOf("Why did you <delete> that <file>?")},
	},
}

// opening is the command that shows a hit, as these tests have it.
func opening(h client.Hit) string {
	return fmt.Sprintf("candor reasoning %.8s %d %s", h.ThreadID, h.TurnNumber, h.CallID)
}

// What a search found holds every width, and shows the same without a terminal.
func TestWhatASearchFoundKeepsToTheWidth(t *testing.T) {
	for _, width := range []int{0, 50, 80, 100, 200} {
		f := terminal.Finding{Style: terminal.Style{Width: width}, Now: foundAt, From: 10, Open: opening}
		out := f.Hits(aFinding)
		for line := range strings.Lines(out) {
			cells := displaywidth.String(strings.TrimSuffix(line, "\n"))
			assert.True(t, width == 0 || cells <= width, "%d: %q", width, line)
		}
		colored := f
		colored.Color = true
		assert.Equal(t, out, withoutSGR(colored.Hits(aFinding)), "color adds nothing but color, at %d", width)
		apptest.CompareGolden(t, filepath.Join("testdata", "found", fmt.Sprintf("%d.txt", width)), out)
	}
}

// withoutSGR removes renditions.
func withoutSGR(s string) string {
	var out strings.Builder
	for i, piece := range strings.Split(s, "\x1b[") {
		if _, rest, ok := strings.Cut(piece, "m"); ok && i > 0 {
			piece = rest
		}
		out.WriteString(piece)
	}
	return out.String()
}

// A terminal forgets a rendition at the end of our lines, so a match that is broken is opened again.
func TestWhatMatchedIsBoldAndUnderlinedAlsoAcrossLines(t *testing.T) {
	f := terminal.Finding{Style: terminal.Style{Color: true, Width: 60}, Now: foundAt, Open: opening}
	out := f.Hits(client.Found{Hits: []client.Hit{{CallID: "call_1", Name: partsOf("<rm>"), Outcome: "error",
		Reason: partsOf("It is old, so " + "<" + strings.Repeat("word ", 12) + "end> goes."), Line: "no such file"}}})
	assert.Contains(t, out, "\x1b[31m✗\x1b[0m \x1b[1;4mrm\x1b[0m")
	first, second, _ := strings.Cut(out[strings.Index(out, "It is old"):], "\n")
	assert.Contains(t, first, "\x1b[1;4mword word")
	assert.Regexp(t, `^ +\x1b\[1;4mword .*end\x1b\[0m goes\.`, second, "the match goes on in the next line")
	assert.Contains(t, out, "\x1b[31m→ no such file\x1b[0m")
}

// A server's words are as foreign as a model's: no sequence and no sign of ours comes through.
func TestAHostileHitIsHarmless(t *testing.T) {
	evil := "\x1b]0;title\x07\x1b[2J\x01\x02\u202eevil\r\nline"
	h := client.Hit{CallID: evil, Tool: evil, ThreadID: evil, Title: evil, Field: evil, Participant: evil, Line: evil,
		Outcome: evil, Name: partsOf(evil), Object: partsOf(evil), Reason: partsOf(evil), Snippet: partsOf(evil)}
	said := h
	said.CallID = ""
	f := terminal.Finding{Style: terminal.Style{Width: 80}, Now: foundAt, Open: opening}
	out := f.Hits(client.Found{Hits: []client.Hit{h, said}, Looked: []string{evil}, Near: []string{evil}})
	out += f.Choices(client.Found{Searched: client.Searched{Decisions: 1},
		Facets: map[string][]client.FacetItem{"tool": {{Value: evil, Count: 1}}}}, []string{"tool"})
	assert.Contains(t, out, "evil line")
	assert.NotRegexp(t, "[\x00-\x09\x0b-\x1f\x7f\u202e]", out)
}

// Values have no breaks within, and a facet that nothing has is left out.
func TestTheChoicesOfASearchAreListedWithTheirCounts(t *testing.T) {
	tools := []client.FacetItem{{Value: "read_file", Count: 1204}}
	for n := range 14 {
		tools = append(tools, client.FacetItem{Value: fmt.Sprintf("tool_%d", n), Count: 1})
	}
	f := terminal.Finding{Style: terminal.Style{Width: 80}}
	found := client.Found{Searched: client.Searched{Decisions: 1243, Texts: 3, Places: 61},
		Facets: map[string][]client.FacetItem{"tool": tools, "tokens": {{Value: "over 20,000", Count: 4}}}}
	out := f.Choices(found, []string{"tool", "outcome", "tokens"})
	const first = "  1,243 decisions in 61 places\n    tool          read_file 1,204 · tool_0 1"
	assert.True(t, strings.HasPrefix(out, first), out)
	assert.Contains(t, out, "3 more\n    tokens        over 20,000 4\n")
	assert.NotContains(t, out, "outcome")
	assert.Equal(t, "  ─ There is nothing to search yet: no agent has called a tool.\n", f.Choices(client.Found{}, nil))
}

func TestASearchSaysThatItIsBehind(t *testing.T) {
	f := terminal.Finding{Style: terminal.Style{}, Now: foundAt, Open: opening}
	found := aFinding
	assert.NotContains(t, f.Hits(found), "behind")
	found.Behind = true
	assert.Contains(t, f.Hits(found), "search is behind: older turns are still being indexed")
	assert.Contains(t, f.Choices(found, nil), "search is behind")
	assert.Contains(t, f.Choices(client.Found{Behind: true}, nil), "search is behind")
}
