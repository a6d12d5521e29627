package render

import (
	"html"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	nethtml "golang.org/x/net/html"

	"candor/safety"
	"candor/safety/internal/injection"
	"candor/safety/internal/ruletest"
	"candor/safety/internal/secrets"
)

// textOf is a text that holds s as it is, markup and all: the rules which would
// neutralise something only warn.
func textOf(s string) safety.Text {
	text, _ := tolerant().Mask(s)
	return text
}

var tolerant = sync.OnceValue(func() *safety.Layer {
	p := safety.DefaultPolicy()
	p.Actions = map[string]safety.Action{}
	for _, r := range append(secrets.Rules(), injection.Rules()...) {
		p.Actions[r.ID] = safety.Warn
	}
	return safety.NewLayer(safety.WithPolicy(p), safety.MaxBytes(1<<20))
})

// inert reports whether parsing gives text alone: no element, no comment.
func inert(t *testing.T, page SafeHTML) {
	z := nethtml.NewTokenizer(strings.NewReader(string(page)))
	for {
		switch z.Next() {
		case nethtml.ErrorToken:
			return
		case nethtml.TextToken:
		default:
			require.Fail(t, "markup survives", "%q", page)
		}
	}
}

func TestHTMLIsInertAndLossless(t *testing.T) {
	for _, s := range []string{
		"plain", "if a < b && c > d", "Vec<String>", "<script>alert(1)</script>ok", `<img src=x onerror="alert(1)">`,
		"a &lt; b", `"q" 'a' &amp;`, "<!-- c -->", "<div",
	} {
		text := textOf(s)
		inert(t, HTML(text))
		assert.Equal(t, s, html.UnescapeString(string(HTML(text))))
		assert.NotContains(t, string(HTML(text)), "<")
	}
}

func FuzzHTML(f *testing.F) {
	for _, s := range append(ruletest.Seeds(append(secrets.Rules(), injection.Rules()...)), "<script>x</script>",
		"a<b", "&amp;lt;", "<!--", "</", "<a href='x'>") {
		f.Add(s)
	}
	l := safety.NewLayer()
	f.Fuzz(func(t *testing.T, s string) {
		text, _ := l.Mask(s)
		page := HTML(text)
		inert(t, page)
		require.True(t, text.String() == html.UnescapeString(string(page)), "the page does not say what the text says")
		require.True(t, string(page) == strict().Sanitize(string(page)), "the page is not inert")
	})
}
