package render

import (
	"html"
	"strings"
	"sync"

	"github.com/microcosm-cc/bluemonday"

	"candor/safety"
)

// SafeHTML is HTML that is safe to insert into a page: it runs and loads nothing. Being a
// type of its own keeps it from being escaped twice.
type SafeHTML string

// strict removes every element.
var strict = sync.OnceValue(bluemonday.StrictPolicy)

// HTML returns the text escaped, without any element. It escapes first, so that code such
// as Vec<String> is kept, and then sanitizes, which has nothing left to remove.
func HTML(t safety.Text) SafeHTML {
	s := t.String()
	if !strings.ContainsAny(s, `<>&"'`) {
		return SafeHTML(s)
	}
	return SafeHTML(strict().Sanitize(html.EscapeString(s)))
}
