package render

import (
	"html"
	"strings"
	"sync"

	"github.com/microcosm-cc/bluemonday"

	"candor/safety"
)

// SafeHTML is a text's HTML form: inert, without any element. It is a type of
// its own so that nothing escapes a text twice.
type SafeHTML string

var strict = sync.OnceValue(bluemonday.StrictPolicy)

// HTML is the text for a page: escaped first, so that code such as Vec<String>
// survives, and then through bluemonday, which has nothing left to remove.
func HTML(t safety.Text) SafeHTML {
	s := t.String()
	if !strings.ContainsAny(s, `<>&"'`) {
		return SafeHTML(s)
	}
	return SafeHTML(strict().Sanitize(html.EscapeString(s)))
}
