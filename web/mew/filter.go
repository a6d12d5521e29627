package mew

import (
	"net/http"
	"net/url"
	"strings"

	"candor/web/mew/wire"
	"candor/web/problem"
)

// filter chooses what a reader gets. The zero value lets everything pass. No filter hides
// messages of the kinds mcp/… and system/…, nor what is addressed to the reader.
type filter struct {
	contexts []string // a path, or "path/*" for the path and all below it; one has to match
	kinds    []string // types of contexts, such as reasoning; the main context passes
	view     string   // "", main or conclusions
}

var (
	badView = problem.New(http.StatusBadRequest, "bad_view",
		"view has to be main or conclusions. Leave it out to get everything.")
	badFilter = problem.New(http.StatusBadRequest, "bad_filter", "context and type may be given 16 times each.")
)

// maxChoices is how many contexts and types a filter may name.
const maxChoices = 16

// parseFilter reads context, type and view of a query.
func parseFilter(query url.Values) (filter, error) {
	f := filter{contexts: query["context"], kinds: query["type"], view: query.Get("view")}
	if f.view != "" && f.view != "main" && f.view != "conclusions" {
		return f, badView
	}
	if len(f.contexts) > maxChoices || len(f.kinds) > maxChoices {
		return f, badFilter
	}
	return f, nil
}

// all reports whether the filter lets everything pass.
func (f filter) all() bool { return f.view == "" && len(f.contexts) == 0 && len(f.kinds) == 0 }

// passes reports whether a reader with this name gets the message.
func (f filter) passes(e entry, reader string) bool {
	kind := e.message.Kind
	if f.all() || strings.HasPrefix(kind, "mcp/") || strings.HasPrefix(kind, "system/") || e.message.IsTo(reader) {
		return true
	}
	switch f.view {
	case "main":
		if e.path != "" {
			return false
		}
	case "conclusions":
		if kind != "reasoning/conclusion" {
			return false
		}
	}
	return f.passesContext(e) && f.passesType(e)
}

// passesContext matches a message by where it stands, and the start of a context also by
// the context that it begins.
func (f filter) passesContext(e entry) bool {
	for _, want := range f.contexts {
		if matchesPath(want, e.path) || e.starts != "" && matchesPath(want, e.starts) {
			return true
		}
	}
	return len(f.contexts) == 0
}

// matchesPath reports whether a path is what a filter asks for: itself, or below "above/*".
func matchesPath(want, path string) bool {
	if above, ok := strings.CutSuffix(want, "/*"); ok {
		return path != "" && wire.Within(path, above)
	}
	return path == want
}

// passesType matches the type of a message's context. One without a type is a reasoning, as
// all contexts of v0.4 are.
func (f filter) passesType(e entry) bool {
	if len(f.kinds) == 0 || e.path == "" {
		return true
	}
	kind := e.message.Context.Type
	if kind == "" {
		kind = "reasoning"
	}
	for _, want := range f.kinds {
		if want == kind {
			return true
		}
	}
	return false
}
