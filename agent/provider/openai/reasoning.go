package openai

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	sdk "github.com/openai/openai-go/v3"

	"candor/agent"
)

// The fields in which Chat's many speakers send reasoning. None is in OpenAI's own
// protocol; the two of text are the same thing under two names.
const (
	reasoningContent = "reasoning_content"
	reasoningText    = "reasoning"
	reasoningDetails = "reasoning_details"
)

// placeholder stands where a provider insists on reasoning and there is none. An
// empty string counts as missing with some.
const placeholder = "."

// reasoning gathers one answer's.
type reasoning struct {
	text    map[string]*strings.Builder // by field
	details []*detail
}

// detail is one entry of reasoning_details. Text and summaries come in pieces;
// everything else is whole, and stays byte for byte what it was.
type detail struct {
	raw    json.RawMessage
	fields map[string]json.RawMessage
	kind   string
	field  string // where its text is, if it can come in pieces
	text   string
	grown  bool
}

// add takes what a piece of the answer holds.
func (r *reasoning) add(delta sdk.ChatCompletionChunkChoiceDelta) {
	for _, name := range []string{reasoningContent, reasoningText} {
		var piece string
		if json.Unmarshal([]byte(delta.JSON.ExtraFields[name].Raw()), &piece) != nil || piece == "" {
			continue
		}
		if r.text == nil {
			r.text = map[string]*strings.Builder{}
		}
		if r.text[name] == nil {
			r.text[name] = &strings.Builder{}
		}
		r.text[name].WriteString(piece)
	}
	var entries []json.RawMessage
	if json.Unmarshal([]byte(delta.JSON.ExtraFields[reasoningDetails].Raw()), &entries) != nil {
		return
	}
	for _, raw := range entries {
		if d := newDetail(raw); d != nil && !r.grow(d) {
			r.details = append(r.details, d)
		}
	}
}

func newDetail(raw json.RawMessage) *detail {
	d := &detail{raw: slices.Clone(raw)}
	if json.Unmarshal(raw, &d.fields) != nil || d.fields == nil {
		return nil
	}
	_ = json.Unmarshal(d.fields["type"], &d.kind)
	switch d.kind {
	case "reasoning.text":
		d.field = "text"
	case "reasoning.summary":
		d.field = "summary"
	}
	_ = json.Unmarshal(d.fields[d.field], &d.text)
	return d
}

// grow adds a piece to the entry before it, if it goes on there.
func (r *reasoning) grow(piece *detail) bool {
	if len(r.details) == 0 || piece.field == "" {
		return false
	}
	last := r.details[len(r.details)-1]
	if last.kind != piece.kind || !bytes.Equal(last.fields["index"], piece.fields["index"]) || last.signed() {
		return false
	}
	last.text += piece.text
	last.grown = true
	for name, value := range piece.fields {
		if old, ok := last.fields[name]; !ok || string(old) == "null" {
			last.fields[name] = value
		}
	}
	return true
}

// signed is whether an entry is complete: its signature ends it.
func (d *detail) signed() bool {
	s := d.fields["signature"]
	return len(s) > 0 && string(s) != "null" && string(s) != `""`
}

func (d *detail) encode() json.RawMessage {
	if !d.grown {
		return d.raw
	}
	d.fields[d.field] = plain(d.text)
	return plain(d.fields)
}

// plain is JSON without the escapes meant for HTML, so that what a provider
// signed reads as it was sent.
func plain(v any) json.RawMessage {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // strings and raw JSON encode
	return bytes.TrimSpace(buf.Bytes())
}

// summary is what the provider itself calls one.
func (r *reasoning) summary() string {
	var parts []string
	for _, d := range r.details {
		if d.kind == "reasoning.summary" && strings.TrimSpace(d.text) != "" {
			parts = append(parts, d.text)
		}
	}
	return strings.Join(parts, "\n\n")
}

// keep is what the provider may want back.
func (p *Provider) keep(r reasoning) []agent.Opaque {
	if p.echo == EchoForbidden {
		return nil
	}
	var out []agent.Opaque
	for _, name := range []string{reasoningContent, reasoningText} {
		if b := r.text[name]; b != nil {
			out = append(out, p.opaque(name, []byte(b.String())))
		}
	}
	if len(r.details) > 0 {
		entries := make([]json.RawMessage, len(r.details))
		for i, d := range r.details {
			entries[i] = d.encode()
		}
		out = append(out, p.opaque(reasoningDetails, plain(entries)))
	}
	return out
}

// reasoningOf is what goes back with a message, under the names it came by.
// Details hold the text already.
func (p *Provider) reasoningOf(m agent.Message) map[string]any {
	if p.echo == EchoForbidden {
		return nil
	}
	out := map[string]any{}
	for _, o := range m.Opaque {
		switch {
		case o.Provider != p.origin:
		case o.Kind == reasoningDetails && json.Valid(o.Data):
			out[o.Kind] = json.RawMessage(o.Data)
		case o.Kind == reasoningContent, o.Kind == reasoningText:
			out[o.Kind] = string(o.Data)
		}
	}
	if out[reasoningDetails] != nil || out[reasoningContent] != nil {
		delete(out, reasoningText)
	}
	if p.echo == EchoRequired && len(out) == 0 {
		out[reasoningContent] = placeholder
	}
	return out
}
