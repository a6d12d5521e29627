package export

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	goldhtml "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"

	"candor/safety"
	"candor/session"
)

var layer = safety.NewLayer()

func clean(raw string) safety.Text {
	text, _ := layer.Mask(raw)
	return text
}

// everywhere is a turn that says the same in every place where somebody else's
// words can stand.
func everywhere(said string) Document {
	at := time.Date(2026, 2, 21, 10, 0, 0, 0, time.UTC)
	text := clean(said)
	value, _ := json.Marshal(map[string]string{"said": said})
	params, _ := layer.CleanJSON(value)
	return Document{Title: text, Thread: "550e8400", Turns: []session.Turn{{
		Number: 1, State: session.Completed, Input: text, Response: text, CreatedAt: at, StartedAt: at, EndedAt: at.Add(4100 * time.Millisecond),
		Steps: []session.Step{{Number: 1, Narrative: text, NarrativeSource: session.FromModel, Calls: []session.Call{{
			ID: "call_1", Tool: text, Rationale: session.Rationale{Text: text, Source: session.FromModel}, Params: params,
			Group: new(0), Outcome: session.Errored, Result: params, Error: text, Took: 40 * time.Millisecond,
		}}}},
		Handoffs: []session.HandoffAt{{Handoff: session.Handoff{To: "helper", Text: text}}},
		Findings: []safety.Finding{{Rule: "aws-key", Count: 2}},
	}}}
}

// hostile are texts that try to be more than text.
var hostile = []string{
	"<script>alert(1)</script>", "</details></blockquote><img src=http://x.test/a onerror=alert(1)>", "![a](http://x.test/a.png)",
	"[a](javascript:alert(1))", "[a]: http://x.test\n\n[a]", "```\n</details>\n```", "````\n```json\n````", "~~~\nx\n~~~",
	"# h\n## h\nunder\n===\nunder\n---", "- a\n- b\n\n1. a\n2) b", "| a | b |\n|---|---|\n| c | d |", "a\n:-:\nb", "    code\n\tcode",
	"> quote\n>> quote", "`code` ``code``", "*e* **s** __s__ ~~d~~", "&lt;b&gt; &#60;b&#62; &amp;", "http://x.test www.x.test <http://x.test>",
	"a  \nb\\\nc\\", "\\<b\\>", "<!-- c\n\n-->", "<![CDATA[ x ]]>", "<?php x ?>", "a\r\nb\rc", "\n\n\n", "   ", "``", "`", "#", "a #", "=", "-", "+", "$$x$$",
	"</pre></code></details></article></main><style>*{}</style>", "{{.Style}}", "a\u2028b\u00a0c", "<a href='data:text/html,x'>x</a>", "1.", "12) x", "* * *", "_ _ _",
}

func render(t *testing.T, d Document) *html.Node {
	t.Helper()
	var page bytes.Buffer
	require.NoError(t, goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(goldhtml.WithUnsafe())).
		Convert(Markdown(d), &page))
	doc, err := html.Parse(&page)
	require.NoError(t, err)
	return doc
}

// shape lists a page's elements, those that only break lines and paragraphs apart
// left out, since text may have any number of lines.
func shape(doc *html.Node) (elements []string) {
	for n := range doc.Descendants() {
		if n.Type == html.CommentNode {
			elements = append(elements, "comment")
		}
		if n.Type != html.ElementNode || n.Data == "br" || n.Data == "p" {
			continue
		}
		name := n.Data
		for _, a := range n.Attr {
			name += " " + a.Key
		}
		elements = append(elements, name)
	}
	return elements
}

// words are the page's texts without its white space.
func words(doc *html.Node) string {
	var b strings.Builder
	for n := range doc.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	}
	return strings.Join(strings.FieldsFunc(b.String(), func(r rune) bool { return strings.ContainsRune(" \t\n\u00a0", r) }), "")
}

func assertItStaysText(t *testing.T, said string) {
	t.Helper()
	plain := everywhere("plain")
	d := everywhere(said)
	seen := strings.Join(strings.FieldsFunc(d.Turns[0].Input.String(), func(r rune) bool { return strings.ContainsRune(" \t\r\n\u00a0", r) }), "")

	doc := render(t, d)
	want := shape(render(t, plain))
	if seen != "" {
		assert.Equal(t, want, shape(doc), "Markdown of %q", said)
		assert.GreaterOrEqual(t, strings.Count(words(doc), seen), 6, "Markdown of %q keeps it", said)
	} else {
		assert.NotContains(t, shape(doc), "script")
	}

	page, err := HTML(d)
	require.NoError(t, err)
	doc, err = html.Parse(bytes.NewReader(page))
	require.NoError(t, err)
	ordinary, err := HTML(plain)
	require.NoError(t, err)
	usual, err := html.Parse(bytes.NewReader(ordinary))
	require.NoError(t, err)
	if seen != "" {
		assert.Equal(t, shape(usual), shape(doc), "HTML of %q", said)
		assert.GreaterOrEqual(t, strings.Count(words(doc), seen), 6, "HTML of %q keeps it", said)
	}
}

func TestWhateverIsSaidStaysText(t *testing.T) {
	for _, said := range hostile {
		assertItStaysText(t, said)
	}
	assertItStaysText(t, strings.Join(hostile, "\n\n"))
}

func FuzzWhateverIsSaidStaysText(f *testing.F) {
	for _, said := range hostile {
		f.Add(said)
	}
	f.Fuzz(func(t *testing.T, said string) { assertItStaysText(t, said) })
}

func TestTheMarkdownSaysAllThatIsKnown(t *testing.T) {
	got := string(Markdown(everywhere("plain words")))
	for _, want := range []string{
		"## Turn 1: completed, 4.1 s", "2026-02-21T10:00:00Z", "<summary>Reasoning: 1 tool, 1 in parallel</summary>", "#### 1. `plain words`",
		"> plain words\n", "*the model's own words*", "error · 40 ms · parallel group 0", "Masked in this turn: aws-key ×2.", "\"said\": \"plain words\"",
		"**Hand-off** from `lead` to `helper`", "<summary>Parameters</summary>", "<summary>Result</summary>",
	} {
		assert.Contains(t, got, want)
	}
}

func TestPartsCanBeLeftOut(t *testing.T) {
	for omit, gone := range map[Omit][]string{
		{Reasoning: true}:  {"Reasoning:", "Parameters", "own words"},
		{Parameters: true}: {"Parameters"},
		{Results: true}:    {"Result"},
	} {
		d := everywhere("plain")
		d.Omit = omit
		page, err := HTML(d)
		require.NoError(t, err)
		for _, word := range gone {
			assert.NotContains(t, string(Markdown(d)), word)
			assert.NotContains(t, string(page), word)
		}
	}
}

func TestATurnWithoutAnAnswerSaysWhy(t *testing.T) {
	for state, words := range map[session.State]string{
		session.Queued: "had not begun", session.Processing: "still running", session.Interrupted: "was interrupted", session.Failed: "failed before",
	} {
		d := Document{Thread: "t", Turns: []session.Turn{{Number: 1, State: state, Input: safety.Literal("hi")}}}
		assert.Contains(t, string(Markdown(d)), words)
		page, err := HTML(d)
		require.NoError(t, err)
		assert.Contains(t, string(page), words)
	}
}

func TestThePageNeedsNothingAndAllowsNothing(t *testing.T) {
	page, err := HTML(everywhere("plain"))
	require.NoError(t, err)
	assert.Contains(t, string(page), `content="default-src 'none'; style-src 'sha256-`)
	assert.NotRegexp(t, `(?i)<script|<link|<img|\ssrc=|\shref=|url\(|@import`, string(page))
}

func TestAnEmptyThreadIsADocumentToo(t *testing.T) {
	assert.Contains(t, string(Markdown(Document{Thread: "t"})), "0 turns")
	page, err := HTML(Document{Thread: "t"})
	require.NoError(t, err)
	assert.Contains(t, string(page), "0 turns")
}
