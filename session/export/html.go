package export

import (
	"bufio"
	"crypto/sha256"
	_ "embed" // for the template and the style sheet
	"encoding/base64"
	"html/template"
	"io"
	"sync"

	"candor/safety"
	"candor/safety/render"
)

//go:embed page.html
var pageSource string

//go:embed page.css
var styleSheet string

// parsePage parses page.html on first use. The template escapes what it inserts, except
// the result of text, which safety has escaped already.
var parsePage = sync.OnceValues(func() (*template.Template, error) {
	return template.New("page").Funcs(template.FuncMap{
		"text":  func(t safety.Text) template.HTML { return template.HTML(render.HTML(t)) },
		"title": func(s string) string { return oneLine(s, maxTitle) },
		"agent": agentName, "whois": whoIs,
	}).Parse(pageSource)
})

// HTML writes the document as a self-contained page. The page's content security
// policy forbids it to load or run anything; its style sheet is allowed by hash.
func HTML(w io.Writer, d Document) error {
	page, err := parsePage()
	if err != nil {
		return err
	}
	hash := sha256.Sum256([]byte(styleSheet))
	b := bufio.NewWriterSize(w, maxBuffered)
	err = page.Execute(b, map[string]any{
		"Title": d.heading(), "Origin": d.origin() + " " + d.Thread + d.Job,
		"Of": d.Origin, "Where": d.where(), "Turns": d.turns(), "Count": plural(len(d.Turns), "turn"),
		"Contents": d.contents(), "Several": len(d.Turns) > 1, "Span": d.span(),
		"Style": template.CSS(styleSheet), "Hash": template.HTMLAttr(base64.StdEncoding.EncodeToString(hash[:])),
	})
	if err != nil {
		return err
	}
	return b.Flush()
}
