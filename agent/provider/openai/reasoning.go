package openai

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"candor/agent"
	"candor/agent/provider/wire"
	"candor/agent/provider/wire/chat"
)

// The kinds of opaque reasoning of Chat, named after the members in which servers
// send it. The two of text are the same thing under two names.
const (
	reasoningContent = "reasoning_content"
	reasoningText    = "reasoning"
	reasoningDetails = "reasoning_details"
)

// placeholder is sent to providers that require reasoning when there is none. Some
// treat an empty string as missing.
const placeholder = "."

// chatReasoning collects the reasoning of one answer.
type chatReasoning struct {
	content, text strings.Builder // of reasoning_content and of reasoning
	details       []*detail
}

// detail is one entry of reasoning_details. Texts and summaries come in pieces that
// are joined; every other entry is complete and keeps its bytes.
type detail struct {
	raw     json.RawMessage // as the entry, or its first piece, came
	members map[string]json.RawMessage
	kind    string
	member  string // that holds the text, if the entry can come in pieces
	text    string
	joined  bool
}

// add takes the reasoning out of a piece of the answer.
func (r *chatReasoning) add(delta chat.Delta) {
	r.content.WriteString(delta.ReasoningContent)
	r.text.WriteString(delta.Reasoning)
	for _, raw := range delta.ReasoningDetails {
		if d := newDetail(raw); d != nil && !r.join(d) {
			r.details = append(r.details, d)
		}
	}
}

// newDetail reads an entry. It returns nil if the entry is not an object. Only the two
// types that OpenRouter documents as texts can come in pieces.
func newDetail(raw json.RawMessage) *detail {
	d := &detail{raw: slices.Clone(raw)}
	if json.Unmarshal(raw, &d.members) != nil || d.members == nil {
		return nil
	}
	_ = json.Unmarshal(d.members["type"], &d.kind)
	switch d.kind {
	case "reasoning.text":
		d.member = "text"
	case "reasoning.summary":
		d.member = "summary"
	}
	_ = json.Unmarshal(d.members[d.member], &d.text)
	return d
}

// join adds a piece to the last entry and reports whether it belongs there. The last
// entry also gets the members that only the piece has, such as the signature.
func (r *chatReasoning) join(piece *detail) bool {
	if len(r.details) == 0 || piece.member == "" {
		return false
	}
	last := r.details[len(r.details)-1]
	if last.kind != piece.kind || !bytes.Equal(last.members["index"], piece.members["index"]) || last.signed() {
		return false
	}
	last.text += piece.text
	last.joined = true
	for name, value := range piece.members {
		if old, ok := last.members[name]; !ok || string(old) == "null" {
			last.members[name] = value
		}
	}
	return true
}

// signed reports whether an entry has its signature, which completes it.
func (d *detail) signed() bool {
	s := d.members["signature"]
	return len(s) > 0 && string(s) != "null" && string(s) != `""`
}

// whole returns the entry: as it came, or put together from its pieces.
func (d *detail) whole() json.RawMessage {
	if !d.joined {
		return d.raw
	}
	d.members[d.member] = rawJSON(d.text)
	return rawJSON(d.members)
}

// rawJSON returns the JSON of v, which consists of strings and raw JSON.
func rawJSON(v any) json.RawMessage {
	raw, _ := wire.Encode(v) // strings and raw JSON that was decoded before always encode
	return raw
}

// escapeHTML escapes <, > and & in the strings of raw JSON, as they always were in the
// entries of reasoning_details that go back. The value stays the same.
func escapeHTML(raw json.RawMessage) json.RawMessage {
	var buf bytes.Buffer
	json.HTMLEscape(&buf, raw)
	return buf.Bytes()
}

// summary joins the texts that the provider itself calls summaries.
func (r *chatReasoning) summary() string {
	var parts []string
	for _, d := range r.details {
		if d.kind == "reasoning.summary" && strings.TrimSpace(d.text) != "" {
			parts = append(parts, d.text)
		}
	}
	return strings.Join(parts, "\n\n")
}

// opaqueReasoning returns what the provider may want back, one Opaque for each member
// that had reasoning.
func (p *Provider) opaqueReasoning(r chatReasoning) []agent.Opaque {
	if p.echo == EchoForbidden {
		return nil
	}
	var out []agent.Opaque
	if r.content.Len() > 0 {
		out = append(out, p.opaque(reasoningContent, []byte(r.content.String())))
	}
	if r.text.Len() > 0 {
		out = append(out, p.opaque(reasoningText, []byte(r.text.String())))
	}
	if len(r.details) > 0 {
		entries := make([]json.RawMessage, len(r.details))
		for i, d := range r.details {
			entries[i] = d.whole()
		}
		out = append(out, p.opaque(reasoningDetails, rawJSON(entries)))
	}
	return out
}

// echoReasoning adds the reasoning of m to a message, under the names by which it
// came. The member "reasoning" is left out where another one has the same text.
func (p *Provider) echoReasoning(out *chat.Message, m agent.Message) {
	if p.echo == EchoForbidden {
		return
	}
	for _, o := range m.Opaque {
		text := string(o.Data)
		switch {
		case o.Provider != p.origin:
		case o.Kind == reasoningDetails && json.Valid(o.Data):
			out.ReasoningDetails = escapeHTML(o.Data)
		case o.Kind == reasoningContent:
			out.ReasoningContent = &text
		case o.Kind == reasoningText:
			out.Reasoning = &text
		}
	}
	if out.ReasoningDetails != nil || out.ReasoningContent != nil {
		out.Reasoning = nil
	}
	if p.echo == EchoRequired && out.ReasoningDetails == nil && out.ReasoningContent == nil && out.Reasoning == nil {
		missing := placeholder
		out.ReasoningContent = &missing
	}
}

// Echo says whether Chat sends a model's raw reasoning back with its tool calls.
type Echo int

// The rules of providers. Zero means the rule that is known for the provider. The
// rules have changed before and will again, which is why Options can overrule them.
const (
	EchoRequired  Echo = iota + 1 // refuses a conversation without it
	EchoOptional                  // may use it
	EchoForbidden                 // refuses a conversation with it, or never sends any
)

// echoRules are tried in order; an empty field matches everything. They follow what the
// providers document, and what users of other clients report.
var echoRules = []struct {
	host  string // matches the host and its subdomains
	model string // matches a part of the model's name
	echo  Echo
}{
	{"openai.com", "", EchoForbidden},
	{"openai.azure.com", "", EchoForbidden},
	{"groq.com", "", EchoForbidden},
	{"mistral.ai", "", EchoForbidden},
	{"deepseek.com", "", EchoRequired},
	{"moonshot.ai", "", EchoRequired},
	{"moonshot.cn", "", EchoRequired},
	{"openrouter.ai", "", EchoOptional},
	{"", "kimi-k2", EchoRequired},
	{"", "", EchoOptional},
}

// echoRule returns the rule of the server at host for a model.
func echoRule(host, model string) Echo {
	host, model = strings.ToLower(host), strings.ToLower(model)
	for _, r := range echoRules {
		hostMatches := r.host == "" || host == r.host || strings.HasSuffix(host, "."+r.host)
		if hostMatches && strings.Contains(model, r.model) {
			return r.echo
		}
	}
	return EchoOptional
}
