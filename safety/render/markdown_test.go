package render

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
)

// assertRich fails unless the page holds only what Markdown may make of text.
func assertRich(t *testing.T, page SafeHTML) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(string(page)))
	require.NoError(t, err)
	allowed := strings.Fields("html head body p br hr em strong del code pre blockquote ul ol li h4 h5 h6 table " +
		"thead tbody tr th td a")
	for n := range doc.Descendants() {
		assert.NotEqual(t, html.CommentNode, n.Type)
		if n.Type != html.ElementNode {
			continue
		}
		assert.Contains(t, allowed, n.Data)
		for _, a := range n.Attr {
			assert.True(t, n.Data == "a" && slices.Contains([]string{"href", "rel", "target"}, a.Key) ||
				n.Data == "ol" && a.Key == "start", "%s %s", n.Data, a.Key)
			if a.Key == "href" {
				assert.Regexp(t, `(?i)^(https?:|mailto:)`, a.Val)
			}
		}
	}
}

func TestMarkdownIsRenderedAndHidesNothing(t *testing.T) {
	link := ` rel="nofollow noreferrer noopener" target="_blank"`
	for text, want := range map[string]string{
		"one\n\ntwo":                  "<p>one</p>\n<p>two</p>\n",
		"- a\n- b":                    "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n",
		"3. a":                        "<ol start=\"3\">\n<li>a</li>\n</ol>\n",
		"`Vec<String>` and *b* **c**": "<p><code>Vec&lt;String&gt;</code> and <em>b</em> <strong>c</strong></p>\n",
		"```go\nif a < b {}\n```":     "<pre><code>if a &lt; b {}\n</code></pre>\n",
		"# big":                       "<h4>big</h4>\n",
		"| a |\n|---|\n| b |": "<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</" +
			"thead>\n<tbody>\n<tr>\n<td>b</td>\n</tr>\n</tbody>\n</table>\n",
		"[docs](https://go.dev/doc?a&b)": `<p><a href="https://go.dev/doc?a&amp;b"` + link + ">docs</a></p>\n",
		`[x](https://go.dev/"onclick=x)`: `<p><a href="https://go.dev/%22onclick=x"` + link + ">x</a></p>\n",
		"see https://go.dev.":            `<p>see <a href="https://go.dev"` + link + ">https://go.dev</a>.</p>\n",
		"[x](javascript:alert(1))":       "<p>[x](javascript:alert(1))</p>\n",
		"[x](JaVaScRiPt:alert(1))":       "<p>[x](JaVaScRiPt:alert(1))</p>\n",
		"[x](data:text/html,a)":          "<p>[x](data:text/html,a)</p>\n",
		"[x](/api/logout)":               "<p>[x](/api/logout)</p>\n",
		"![pixel](http://x.test/p.png)":  "<p>![pixel](http://x.test/p.png)</p>\n",
		"<script>alert(1)</script>":      "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n",
		"<!-- hidden -->":                "<p>&lt;!-- hidden --&gt;</p>\n",
		"<div onclick=x>\n\nhi":          "<p>&lt;div onclick=x&gt;</p>\n<p>hi</p>\n",
		"[a]: http://x.test 'hidden'":    "", // below
	} {
		page := Markdown(textOf(text))
		assertRich(t, page)
		if want != "" {
			assert.Equal(t, want, string(page), "%q", text)
		}
	}
	assert.Contains(t, string(Markdown(textOf("[a]: http://x.test 'hidden'"))), "hidden")
}

// Whatever is nested, the page is made in a time that grows with the text.
func TestMarkdownIsBounded(t *testing.T) {
	for _, part := range []string{">", "> ", "- ", "1. ", "[", "![", "*a_", "`", "[a](", "<", "**", "| ", "~", "\\",
		"http://", "a\n> ", "&#", "[a](b", "*a **a ", "_a", "  - a\n  "} {
		text := textOf(strings.Repeat(part, MaxMarkdown/len(part)))
		assertRich(t, Markdown(text))
		assertRich(t, Markdown(textOf(strings.Repeat(part, maxBrackets)))) // just let through
	}
	long := textOf(strings.Repeat("*a* ", MaxMarkdown))
	assert.True(t, strings.HasPrefix(string(Markdown(long)), "<pre>"))
	for name, text := range map[string]string{
		"more than 16 KiB of prose":    strings.Repeat("word ", 4000),
		"more brackets than people":    strings.Repeat("[", 401),
		"more stars than people":       strings.Repeat("*a ", 1601),
		"quotes nested 70 levels deep": strings.Repeat(">", 70) + "a",
		"a line that opens 101 blocks": strings.Repeat("> ", 51) + "a",
	} {
		page := string(Markdown(textOf(text)))
		assert.True(t, strings.HasPrefix(page, "<pre>"), "%s is escaped as a whole: %.60s", name, page)
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{"# a\n* b\n1. c", "[a](http://b)", "![a](b)<img src=x onerror=y>", "|a|\n|-|\n|b|",
		"```\n</pre><script>\n```", "<a href='http://x' onclick=y>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) < 4096 {
			assertRich(t, Markdown(textOf(s)))
		}
	})
}

func BenchmarkMarkdown(b *testing.B) {
	text := textOf(strings.Repeat("A paragraph with `code`, **emphasis** and a [link](https://go.dev).\n\n- "+
		"one\n- two\n\n", 25))
	b.SetBytes(int64(len(text.String())))
	for b.Loop() {
		_ = Markdown(text)
	}
}
