package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sort"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	maxResult = 1 << 20  // bytes of a result's JSON
	maxError  = 16 << 10 // bytes of an error's text

	longestWord = 4 << 10 // how far a cut goes back to the end of a word
)

// result is what a model reads of a tool's answer.
type result struct {
	Structured json.RawMessage `json:"structured,omitempty"`
	Content    []part          `json:"content,omitempty"`
	Truncated  string          `json:"truncated,omitempty"`
}

// part is one piece of content. Of bytes it has the type and the number only.
type part struct {
	Type  string `json:"type"`
	Text  string `json:"text,omitempty"`
	URI   string `json:"uri,omitempty"`
	Name  string `json:"name,omitempty"`
	Title string `json:"title,omitempty"`
	About string `json:"description,omitempty"`
	MIME  string `json:"mime,omitempty"`
	Bytes int64  `json:"bytes,omitempty"`
	Note  string `json:"note,omitempty"`
}

const leftOut = "the bytes themselves are left out"

// digest turns an answer into compact JSON of at most limit bytes, or into the
// error that it stands for.
func digest(in *sdk.CallToolResult, limit int) (json.RawMessage, error) {
	out := result{}
	for _, c := range in.Content {
		out.Content = append(out.Content, partOf(c))
	}
	if in.IsError {
		return nil, errorOf(out.Content)
	}
	if in.StructuredContent != nil {
		raw, err := compact(in.StructuredContent)
		if err != nil {
			return nil, fmt.Errorf("the structured result cannot be encoded: %w", err)
		}
		out.Structured = raw
		out.dropTwin(in.StructuredContent)
	}
	out.shrink(limit)
	return compact(out)
}

func partOf(c sdk.Content) part {
	switch c := c.(type) {
	case *sdk.TextContent:
		return part{Type: "text", Text: valid(c.Text)}
	case *sdk.ImageContent:
		return part{Type: "image", MIME: valid(c.MIMEType), Bytes: int64(len(c.Data)), Note: leftOut}
	case *sdk.AudioContent:
		return part{Type: "audio", MIME: valid(c.MIMEType), Bytes: int64(len(c.Data)), Note: leftOut}
	case *sdk.ResourceLink:
		p := part{
			Type: "resource_link", URI: valid(c.URI), Name: valid(c.Name), Title: valid(c.Title),
			About: valid(c.Description), MIME: valid(c.MIMEType),
		}
		if c.Size != nil {
			p.Bytes = *c.Size
		}
		return p
	case *sdk.EmbeddedResource:
		return resourcePart(c.Resource)
	}
	return part{Type: "unknown", Note: "content of a kind that is not supported"}
}

func resourcePart(r *sdk.ResourceContents) part {
	if r == nil {
		return part{Type: "resource", Note: "it has no contents"}
	}
	p := part{Type: "resource", URI: valid(r.URI), MIME: valid(r.MIMEType), Text: valid(r.Text)}
	if r.Blob != nil {
		p.Bytes, p.Note = int64(len(r.Blob)), leftOut
	}
	return p
}

// errorOf is the error that a tool's own words make.
func errorOf(content []part) error {
	var texts []string
	for _, p := range content {
		if t := strings.TrimSpace(p.Text); t != "" {
			texts = append(texts, t)
		}
	}
	if len(texts) == 0 {
		return errors.New("the tool failed without saying why")
	}
	return errors.New(cut(strings.Join(texts, "\n"), maxError))
}

// dropTwin leaves out text that only says the structured result again, as
// servers do for clients that know no structured results. The text is taken for
// the result then: decoded on the way, its large numbers would be rounded.
func (r *result) dropTwin(structured any) {
	kept := r.Content[:0]
	for _, p := range r.Content {
		var same any
		var exact bytes.Buffer
		twin := p.Type == "text" && json.Unmarshal([]byte(p.Text), &same) == nil && reflect.DeepEqual(same, structured)
		if twin && json.Compact(&exact, []byte(p.Text)) == nil {
			r.Structured = exact.Bytes()
			continue
		}
		kept = append(kept, p)
	}
	r.Content = kept
}

// shrink makes the result's JSON fit into limit bytes: structured content that
// is too large goes whole, half of it would mean something else; text is cut.
func (r *result) shrink(limit int) {
	const room = 256 // for the note and the frame around it all
	if size(r) <= limit {
		return
	}
	r.Truncated = fmt.Sprintf("the result was cut to %d bytes; ask for less", limit)
	left := limit - room
	if len(r.Structured) > left {
		r.Structured = nil
	}
	left -= len(r.Structured)
	kept := r.Content[:0]
	for _, p := range r.Content {
		p = p.within(left - 1)
		n := size(p) + 1
		if n > left {
			break
		}
		left -= n
		kept = append(kept, p)
	}
	r.Content = kept
}

// within is the part with as much of its text as makes it fit into limit bytes.
func (p part) within(limit int) part {
	if size(p) <= limit {
		return p
	}
	whole := p.Text
	// The length as JSON grows with the text, but how fast depends on the text.
	n := sort.Search(len(whole), func(n int) bool {
		p.Text = cut(whole, n+1)
		return size(p) > limit
	})
	p.Text = cut(whole, n)
	return p
}

// cut is the beginning of s, of at most n bytes. It ends between words where it
// can: half a credential would not be known for one by whoever redacts it later.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n = max(n, 0)
	if space := strings.LastIndexAny(s[:n], " \t\r\n"); space > max(0, n-longestWord) {
		return s[:space]
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// size is how long v is as JSON.
func size(v any) int {
	raw, err := compact(v)
	if err != nil {
		return maxResult + 1
	}
	return len(raw)
}

// compact is JSON as people read it: < and & stay what they are.
func compact(v any) (json.RawMessage, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(buf.Bytes()), nil
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
