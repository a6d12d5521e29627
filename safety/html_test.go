package safety

import (
	"html"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	nethtml "golang.org/x/net/html"
)

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
		"plain", "if a < b && c > d", "Vec<String>", "<script>alert(1)</script>ok", `<img src=x onerror="alert(1)">`, "a &lt; b", `"q" 'a' &amp;`, "<!-- c -->", "<div",
	} {
		text := Text{s}
		inert(t, text.HTML())
		assert.Equal(t, s, html.UnescapeString(string(text.HTML())))
		assert.NotContains(t, string(text.HTML()), "<")
	}
}
