// Package ui is the web page: its static files, built into the program, and the
// handler that serves them.
//
// The files are what a browser runs, byte for byte: there is no build step. The
// page may load nothing but them and speak to nobody but the server it came from,
// which the Content-Security-Policy of every answer says. It has no inline script
// and no inline style, so none can be smuggled in.
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
	"time"
)

//go:embed *.html *.js *.css *.svg
var files embed.FS

// Prefix is where the page's files are; the page itself is at /.
const Prefix = "/ui/"

// TrustedTypes is the one policy by which the page may turn a string into HTML.
const TrustedTypes = "candor"

// policy is the page's Content-Security-Policy.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types " + TrustedTypes

// file is one file, ready to be served.
type file struct {
	kind, tag string
	data      []byte
}

// Handler serves the page at / and its files below Prefix, each with an ETag that
// a browser asks about every time, so that a new version is seen at once.
func Handler() http.Handler {
	pages := map[string]file{}
	names, _ := fs.Glob(files, "*") // the pattern is ours
	for _, name := range names {
		data, err := files.ReadFile(name)
		if err != nil {
			continue // cannot be: the name is of an embedded file
		}
		sum := sha256.Sum256(data)
		tag := fmt.Sprintf("%q", base64.RawURLEncoding.EncodeToString(sum[:12]))
		pages[Prefix+name] = file{kindOf(name), tag, data}
	}
	pages["/"] = pages[Prefix+"index.html"]
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		f.serve(w, r)
	})
}

// kinds are the media types of our files. They do not depend on the machine's
// table of types.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".svg":  "image/svg+xml",
}

func kindOf(name string) string { return kinds[path.Ext(name)] }

func (f file) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("ETag", f.tag)
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.data))
}
