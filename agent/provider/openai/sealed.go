package openai

import (
	"encoding/json"
	"strconv"
	"strings"

	"candor/agent"
	"candor/agent/provider/wire"
	"candor/agent/provider/wire/chat"
)

// sealed returns how much of the answer's reasoning only its provider can read: encrypted entries of
// reasoning_details, signatures of entries without a text, and those of Gemini beside its calls.
func (a *chatAnswer) sealed() (s agent.Sealed) {
	for _, d := range a.reasoning.details {
		switch {
		case d.kind == "reasoning.encrypted":
			s = s.Encrypted(len(d.stringMember("data")))
		case strings.TrimSpace(d.text) == "":
			s = s.Signed(len(d.stringMember("signature")))
		}
	}
	for _, c := range a.calls {
		s = s.Signed(len(c.signature()))
	}
	return s
}

// stringMember returns a member of an entry that is a string, "" for any other.
func (d *detail) stringMember(name string) (text string) {
	_ = json.Unmarshal(d.members[name], &text)
	return text
}

// signature returns Gemini's signature of the reasoning before a call, "" if there is none.
func (c *chatCall) signature() string {
	var extra struct {
		Google struct {
			Signature wire.Text `json:"thought_signature"`
		} `json:"google"`
	}
	_ = wire.Decode(c.extra, &extra)
	return string(extra.Google.Signature)
}

// signatureKind returns the kind under which what came beside a call is kept, with the call's
// position in its step.
func signatureKind(call int) string { return "extra_content:" + strconv.Itoa(call) }

// callSignatures returns what has to go back beside the calls.
func (p *Provider) callSignatures(calls []*chatCall) (out []agent.Opaque) {
	for i, c := range calls {
		if c.signature() != "" {
			out = append(out, p.opaque(signatureKind(i), c.extra))
		}
	}
	return out
}

// echoSignatures puts back beside the calls of m what came with them.
func (p *Provider) echoSignatures(calls []chat.ToolCall, m agent.Message) {
	for i := range calls {
		for _, o := range m.Opaque {
			if o.Provider == p.origin && o.Kind == signatureKind(i) && json.Valid(o.Data) {
				calls[i].ExtraContent = o.Data
			}
		}
	}
}
