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

	"candor/safety"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	maxResult = 1 << 20  // bytes of a result as JSON
	maxError  = 16 << 10 // bytes of an error's text

	longestWord = 4 << 10 // how far back a cut looks for the end of a word, in bytes
)

// result is a tool's answer as the model sees it.
type result struct {
	Structured json.RawMessage `json:"structured,omitempty"`
	Content    []part          `json:"content,omitempty"`
	Truncated  string          `json:"truncated,omitempty"`
}

// part is one piece of content. Binary content is reduced to its type and size.
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

// leftOut is the note of a part whose bytes are not shown.
const leftOut = "the bytes themselves are left out"

// convert returns a server's answer as compact JSON of at most limit bytes, or as an error
// if the answer says that the tool failed.
func convert(in *sdk.CallToolResult, limit int) (json.RawMessage, error) {
	out := result{}
	for _, c := range in.Content {
		out.Content = append(out.Content, partOf(c))
	}
	if in.IsError {
		return nil, errorOf(out.Content)
	}
	if in.StructuredContent != nil {
		raw, err := safety.Marshal(in.StructuredContent)
		if err != nil {
			return nil, fmt.Errorf("the structured result cannot be encoded: %w", err)
		}
		out.Structured = raw
		out.dropDuplicate(in.StructuredContent)
	}
	out.shrink(limit)
	return safety.Marshal(out)
}

// partOf converts one piece of content.
func partOf(c sdk.Content) part {
	switch c := c.(type) {
	case *sdk.TextContent:
		if kind, ok := c.Meta[unread].(string); ok {
			return part{Type: valid(kind), Text: valid(c.Text), Note: "this part cannot be read, and is left out"}
		}
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

// resourcePart converts an embedded resource.
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

// errorOf returns the tool's own text as an error of at most maxError bytes.
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

// dropDuplicate removes text that only repeats the structured result, which servers send
// for clients that do not know structured results. The text then replaces the structured
// result, because decoding has rounded the latter's large numbers.
func (r *result) dropDuplicate(structured any) {
	kept := r.Content[:0]
	for _, p := range r.Content {
		var same any
		var exact bytes.Buffer
		duplicate := p.Type == "text" && json.Unmarshal([]byte(p.Text), &same) == nil &&
			reflect.DeepEqual(same, structured)
		if duplicate && json.Compact(&exact, []byte(p.Text)) == nil {
			r.Structured = exact.Bytes()
			continue
		}
		kept = append(kept, p)
	}
	r.Content = kept
}

// shrink makes the result fit into limit bytes of JSON. It drops structured content that
// is too large as a whole, since a part of it could mean something else, and cuts text.
func (r *result) shrink(limit int) {
	const overhead = 256 // for the note and the JSON around the content
	if size(r) <= limit {
		return
	}
	r.Truncated = fmt.Sprintf("the result was cut to %d bytes; ask for less", limit)
	left := limit - overhead
	if len(r.Structured) > left {
		r.Structured = nil
	}
	left -= len(r.Structured)
	// The parts are kept in order up to the first that does not fit even when cut.
	kept := r.Content[:0]
	for _, p := range r.Content {
		p = p.truncate(left - 1)
		n := size(p) + 1
		if n > left {
			break
		}
		left -= n
		kept = append(kept, p)
	}
	r.Content = kept
}

// truncate returns the part with as much of its text as fits into limit bytes of JSON.
func (p part) truncate(limit int) part {
	if size(p) <= limit {
		return p
	}
	whole := p.Text
	// Only the text is cut; a part without text is returned as it is and does not fit.
	// The size as JSON grows with the text, at a rate that depends on the characters.
	n := sort.Search(len(whole), func(n int) bool {
		p.Text = cut(whole, n+1)
		return size(p) > limit
	})
	p.Text = cut(whole, n)
	return p
}

// cut returns at most the first n bytes of s. It cuts between words where it can: half of a
// credential would not be recognized and redacted later.
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

// size returns the length of v as JSON.
func size(v any) int {
	raw, err := safety.Marshal(v)
	if err != nil {
		return maxResult + 1
	}
	return len(raw)
}

// valid returns s with each run of invalid UTF-8 replaced by U+FFFD.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
