package export

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	goldhtml "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"

	"candor/safety"
	"candor/session"
)

// layer cleans the texts of all tests; making one takes a while.
var layer = safety.NewLayer()

// filledWith returns a document with the same text in every place that can hold text
// of a user, a model or a tool.
func filledWith(raw string) Document {
	at := time.Date(2026, 2, 21, 10, 0, 0, 0, time.UTC)
	text, _ := layer.Mask(raw)
	object, _ := json.Marshal(map[string]string{"said": raw})
	params, _ := layer.CleanJSON(object)
	call := session.Call{
		ID: "call_1", Tool: text, Rationale: session.Rationale{Text: text, Source: session.FromModel}, Params: params,
		Group: new(0), Outcome: session.Errored, Result: params, Error: text, Took: 40 * time.Millisecond,
		Feedback: &session.Feedback{Rating: session.Bad, Note: text, At: at},
	}
	step := session.Step{
		Number: 1, Narrative: text, NarrativeSource: session.FromModel, Calls: []session.Call{call},
	}
	return Document{Title: text, Thread: "550e8400", Turns: []session.Turn{{
		Number: 1, State: session.Completed, Input: text, Response: text,
		CreatedAt: at, StartedAt: at, EndedAt: at.Add(4100 * time.Millisecond), Steps: []session.Step{step},
		Handoffs: []session.HandoffAt{{Handoff: session.Handoff{To: "helper", Text: text}}},
		Findings: []safety.Finding{
			{Rule: "aws-key", Count: 2, Effect: safety.Masked},
			{Rule: "sensitive-path", Count: 1, Severity: safety.Low, Effect: safety.Noticed},
		},
	}}}
}

// observedWith returns the document as one of an observed thread, with the text also in every
// place that only such a thread has.
func observedWith(raw string) Document {
	d := filledWith(raw)
	t := &d.Turns[0]
	d.Origin = session.Origin{Protocol: "mew", Space: d.Title, Participant: d.Title}
	t.Asked = session.Asked{By: d.Title, Thread: "t-1", Turn: 2, Call: "call_3", Reason: d.Title,
		Source: session.FromModel}
	t.Conclusion = d.Title
	t.Steps[0].Calls[0].To = d.Title
	for _, late := range []bool{false, true} {
		note := session.Noted{From: d.Title, To: d.Title, Kind: session.NoteChat, Text: d.Title, Late: late}
		t.Notes = append(t.Notes, session.NoteAt{Noted: note, At: t.CreatedAt})
	}
	return d
}

// htmlOf returns the document as an HTML page.
func htmlOf(t *testing.T, d Document) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, HTML(&b, d))
	return b.String()
}

// markdownOf returns the document as Markdown.
func markdownOf(t *testing.T, d Document) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, Markdown(&b, d))
	return b.String()
}

// renderMarkdown returns the elements that a renderer makes of the Markdown.
func renderMarkdown(t *testing.T, d Document) *html.Node {
	t.Helper()
	var b bytes.Buffer
	renderer := goldmark.New(
		goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(goldhtml.WithUnsafe()))
	require.NoError(t, renderer.Convert([]byte(markdownOf(t, d)), &b))
	root, err := html.Parse(&b)
	require.NoError(t, err)
	return root
}

// renderHTML returns the elements of the HTML page.
func renderHTML(t *testing.T, d Document) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(htmlOf(t, d)))
	require.NoError(t, err)
	return root
}

// elements lists the elements under root with their attributes, except paragraphs and
// line breaks, as text may have any number of lines, and what opens a short text.
func elements(root *html.Node) (list []string) {
	for n := range root.Descendants() {
		if n.Type == html.CommentNode {
			list = append(list, "comment")
		}
		if n.Type != html.ElementNode || n.Data == "br" || n.Data == "p" {
			continue
		}
		name := n.Data
		for _, a := range n.Attr {
			if a.Key != "open" {
				name += " " + a.Key
			}
		}
		list = append(list, name)
	}
	return list
}

// withoutSpace removes all blanks and line breaks.
func withoutSpace(s string) string {
	isSpace := func(r rune) bool { return strings.ContainsRune(" \t\r\n\u00a0", r) }
	return strings.Join(strings.FieldsFunc(s, isSpace), "")
}

// visibleText returns the text under root without blanks and line breaks.
func visibleText(root *html.Node) string {
	var b strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	}
	return withoutSpace(b.String())
}

// assertStaysText checks that the text adds no element to either format and is shown
// in full in at least the places outside of JSON and titles.
func assertStaysText(t *testing.T, raw string) {
	t.Helper()
	text, _ := layer.Mask(raw)
	plain := harmless(text.String())
	assertStaysTextIn(t, filledWith(raw), filledWith(plain), raw, 6)
	assertStaysTextIn(t, observedWith(raw), observedWith(plain), raw, 16)
	assertStaysTextIn(t, decisionWith(raw), decisionWith(plain), raw, 7)
	assertStaysTextIn(t, twice(filledWith(raw)), twice(filledWith(plain)), raw, 12)
}

// twice returns the document with its turn once more, so that it has contents.
func twice(d Document) Document {
	second := d.Turns[0]
	second.Number = 2
	d.Turns = append(d.Turns, second)
	return d
}

// harmless returns a text of the same lines, sentences and length in which nothing could be markup. What a line says
// of a text, and so whether the whole of it follows, depends on those alone.
func harmless(raw string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(".!? ", r) || unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
			return r
		}
		return []rune{'x', 'é', '語', '𝒳'}[utf8.RuneLen(r)-1]
	}, strings.ToValidUTF8(raw, "\uFFFD"))
}

func assertStaysTextIn(t *testing.T, d, plain Document, raw string, places int) {
	t.Helper()
	shown := withoutSpace(d.Turns[0].Input.String())
	if shown == "" || json.Valid([]byte(shown)) {
		// Nothing but blanks, or a text that may be about nothing: some elements have no content and go missing.
		assert.NotContains(t, elements(renderMarkdown(t, d)), "script")
		htmlOf(t, d)
		return
	}
	for format, render := range map[string]func(*testing.T, Document) *html.Node{
		"Markdown": renderMarkdown, "HTML": renderHTML,
	} {
		root := render(t, d)
		assert.Equal(t, elements(render(t, plain)), elements(root), "%s of %q", format, raw)
		assert.GreaterOrEqual(t, strings.Count(visibleText(root), shown), places, "%s of %q shows it", format, raw)
	}
}

// hostile texts try to be more than text.
var hostile = []string{
	"<script>alert(1)</script>", "</details></blockquote><img src=http://x.test/a onerror=alert(1)>",
	"![a](http://x.test/a.png)", "[a](javascript:alert(1))", "[a]: http://x.test\n\n[a]",
	"```\n</details>\n```", "````\n```json\n````", "~~~\nx\n~~~", "# h\n## h\nunder\n===\nunder\n---",
	"- a\n- b\n\n1. a\n2) b", "| a | b |\n|---|---|\n| c | d |", "a\n:-:\nb", "    code\n\tcode", "> quote\n>> quote",
	"`code` ``code``", "*e* **s** __s__ ~~d~~", "&lt;b&gt; &#60;b&#62; &amp;",
	"http://x.test www.x.test <http://x.test>", "a  \nb\\\nc\\", "\\<b\\>",
	"<!-- c\n\n-->", "<![CDATA[ x ]]>", "<?php x ?>",
	"a\r\nb\rc", "\n\n\n", "   ", "``", "`", "#", "a #", "=", "-", "+", "$$x$$",
	"</pre></code></details></article></main><style>*{}</style>", "{{.Style}}", "a\u2028b\u00a0c",
	"<a href='data:text/html,x'>x</a>", "1.", "12) x", "* * *", "_ _ _",
}

func TestUntrustedTextStaysText(t *testing.T) {
	for _, raw := range hostile {
		assertStaysText(t, raw)
	}
	assertStaysText(t, strings.Join(hostile, "\n\n"))
}

func FuzzUntrustedTextStaysText(f *testing.F) {
	for _, raw := range hostile {
		f.Add(raw)
	}
	f.Fuzz(assertStaysText)
}

func TestThePageLoadsNothingAndRunsNothing(t *testing.T) {
	page := htmlOf(t, twice(filledWith("plain")))
	assert.Contains(t, page, `content="default-src 'none'; style-src 'sha256-`)
	assert.NotRegexp(t, `(?i)<script|<link|<img|\ssrc=|\shref="?[^#"]|url\(|@import`, page)
}
