package export

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // for the template and the style
	"encoding/base64"
	"html/template"
	"sync"

	"candor/safety"
)

//go:embed page.html
var pageSource string

//go:embed page.css
var style string

var page = sync.OnceValues(func() (*template.Template, error) {
	return template.New("page").Funcs(template.FuncMap{
		"text":  func(t safety.Text) template.HTML { return template.HTML(t.HTML()) },
		"title": func(t safety.Text) string { return short(t.String()) },
		"agent": agent,
	}).Parse(pageSource)
})

// HTML is the document as one page that holds all it needs. Its policy lets it load
// nothing and run nothing; the one style is named by its hash.
func HTML(d Document) ([]byte, error) {
	t, err := page()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(style))
	var b bytes.Buffer
	err = t.Execute(&b, map[string]any{
		"Title": d.Title, "Thread": d.Thread, "Turns": d.turns(), "Count": plural(len(d.Turns), "turn"),
		"Style": template.CSS(style), "Hash": template.HTMLAttr(base64.StdEncoding.EncodeToString(sum[:])),
	})
	return b.Bytes(), err
}

// short is the beginning of a text, for a heading.
func short(text string) string {
	if runes := []rune(text); len(runes) > maxTitle {
		return string(runes[:maxTitle]) + "…"
	}
	if text == "" {
		return "A conversation"
	}
	return text
}
