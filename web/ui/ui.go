// Package ui serves the web page: static files, embedded into the program. A browser runs
// them unchanged, except that lines with only a comment are sent empty, and lines without
// indentation where it is no text; line numbers stay. There is no build step and no
// third-party code.
//
// # Layout
//
//	index.html   the shell: every element that exists once, by id
//	app.js       the entry point: builds the parts, connects them, starts the session
//	context.js   the parts and what is open, in one frozen object that is passed around
//	session.js   signing in and out, and reading everything anew
//	navigate.js  the router: what the address asks for, tabs, steps of the keyboard
//	actions.js   stopping, approving, and the menus of turns and decisions
//	joining.js   watching an agent of one's own, and taking part in spaces
//	sending.js   messages under way, one after the other
//	compare.js   which two turns are compared, and the address that holds both
//	finding.js   the search over what is open: the way to it and back
//	answering.js what the keys that answer a question do
//	arrivals.js  what begins elsewhere while the page is open
//	bin.js       deleting conversations and jobs, and taking that back
//	outbox.js    what was written while the server was away; resend.js sends it
//	lib/         knows nothing of Candor: elements, formats, lists, menus, keys, toasts
//	state/       what the page knows; pure functions from events to state to views of it
//	net/         the server's routes, the event stream, and when to fetch what
//	view/        custom elements that draw the state, and what menus do with it
//	css/         base, layout, turns and their rows at once; block.css with the first row that opens or asks,
//	             ondemand.css with the first dialog or menu, closer.css with the first timeline or comparison,
//	             fold.css with the first row of several calls, search.css with the search, compact.css with that density
//	wire.d.ts    the JSON the server sends, which is served for others, generated from the Go types by wire_test.go
//	types.d.ts   here and in folders, types for the checker; browsers never load them
//
// Imports point one way: lib ◀ state ◀ net ◀ view ◀ the modules beside index.html.
// modules_test.go holds that, along with line width, size and dead exports.
//
// # How an event becomes pixels
//
// net/stream.js receives a frame and dispatches it to the Store. state/reduce.js finds
// the conversation it belongs to, drops it if history already includes it (state/cursor.js
// compares positions), and state/fold.js or jobfold.js folds it into one turn. Values are
// immutable: whatever did not change keeps its identity. The store then draws once per
// animation frame: view/conversation.js gives its windowed list the turns, each
// <candor-turn> compares identities and redraws what differs, using state/outline.js for
// the structure of steps and lib/dom.js for elements. If the turn is marked stale,
// net/fetcher.js asks the server for the complete turn and the result goes the same way.
//
// # Where to add things
//
// A frame: its struct in Go, `go test ./web/ui -run Wire -update`, its name in
// net/stream.js, a case in state/fold.js (or jobfold.js), and a folder in testdata/turns,
// which the unit tests replay. A route: a function in net/api.js. An action of the state:
// a member of Action in state/types.d.ts and a function in state/reduce.js. A key: a row
// in lib/keys.js, its words in lib/keywords.js and its function in app.js. Something that one part reports and another
// acts on: a member of Events in types.d.ts and a line in app.js. An element: a module in
// view/, loaded by import() if few visits need it, since a first visit may load 200 kB at
// most; the styles of such an element go into css/ondemand.css.
//
// # Security
//
// The page loads nothing but these files and connects to no other server, which the
// Content-Security-Policy of every answer enforces. Nothing is inline, neither scripts
// nor styles. Texts become text nodes, attributes come from an allowlist, and the only
// HTML comes from the server's sanitizer through one Trusted Types policy (lib/dom.js).
package ui

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"sync"
	"time"
)

//go:embed index.html icon.svg wire.d.ts *.js css/*.css lib/*.js state/*.js net/*.js view/*.js
var files embed.FS

// Prefix is the path below which the page's files are served; the page itself is at /.
const Prefix = "/ui/"

// TrustedTypes names the one policy by which the page may turn a string into HTML.
const TrustedTypes = "candor"

// policy is the page's Content-Security-Policy.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types " + TrustedTypes

// asset is an embedded file with the headers that depend on it.
type asset struct {
	contentType, etag string
	data              []byte
}

// Handler serves the page at / and its files below Prefix; every other path is not
// found. Each answer has an ETag and has to be revalidated, so browsers see a new
// version at once. The files are read and hashed once.
func Handler() http.Handler {
	assets := page()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, ok := assets[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		a.serve(w, r)
	})
}

// page returns the files of the page by the path they are served at, the same for every server of a process.
var page = sync.OnceValue(func() map[string]asset {
	assets := load(files)
	assets["/"] = assets[Prefix+"index.html"]
	return assets
})

// load reads all files of a file system, by the path they are served at. It leaves out
// what cannot be read, which cannot happen with embedded files.
func load(from fs.FS) map[string]asset {
	assets := map[string]asset{}
	_ = fs.WalkDir(from, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(from, name)
		if ext := path.Ext(name); ext == ".js" || ext == ".css" {
			data = withoutComments(data)
			if ext == ".css" || !hasLongTemplate(data) {
				data = withoutIndentation(data)
			}
		}
		if err == nil {
			sum := sha256.Sum256(data)
			etag := fmt.Sprintf("%q", base64.RawURLEncoding.EncodeToString(sum[:12]))
			assets[Prefix+name] = asset{contentTypes[path.Ext(name)], etag, data}
		}
		return err
	})
	return assets
}

// withoutIndentation removes what stands before lines, where it means nothing to a style sheet, nor to a script outside
// of its texts.
func withoutIndentation(text []byte) []byte {
	kept := make([]byte, 0, len(text))
	for line := range bytes.Lines(text) {
		kept = append(kept, bytes.TrimLeft(line, " \t")...)
	}
	return kept
}

// withoutComments empties the lines of a script or a style sheet that hold only a comment,
// a fifth of the bytes. Comments beside code stay. A line of a template literal must not
// look like a comment; none of ours does, which a test holds.
func withoutComments(text []byte) []byte {
	var kept []byte
	inside := false // a comment that goes on
	for line := range bytes.Lines(text) {
		words := bytes.TrimSpace(line)
		ends := bytes.HasSuffix(words, []byte("*/"))
		begins := bytes.HasPrefix(words, []byte("/*")) && (ends || !bytes.Contains(words, []byte("*/")))
		if inside || begins || bytes.HasPrefix(words, []byte("//")) {
			inside = (inside || begins) && !ends
			line = []byte("\n")
		}
		kept = append(kept, line...)
	}
	return kept
}

// hasLongTemplate reports whether a script may have a template literal of several lines, whose indentation is text.
func hasLongTemplate(script []byte) bool {
	for line := range bytes.Lines(script) {
		if bytes.Count(line, []byte("`"))%2 == 1 {
			return true
		}
	}
	return false
}

// contentTypes are fixed here, so they do not depend on the machine's MIME table.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".svg":  "image/svg+xml",
	".ts":   "text/plain; charset=utf-8", // types for others; the page does not load them
}

func (a asset) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.contentType)
	h.Set("ETag", a.etag)
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.data))
}
