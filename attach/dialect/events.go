package dialect

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"candor/attach/otlp"
)

// Some writers have the messages of a model call not on its span but in log records, which name the span: one for each
// message, or one with all of them. A record with a message is read like a model call within that span.

// messageEvents are the records of the GenAI conventions that are read, or known to repeat what others told.
var messageEvents = []string{
	"gen_ai.choice", "gen_ai.user.message", "gen_ai.tool.message", "gen_ai.client.inference.operation.details",
	"gen_ai.system.message", "gen_ai.assistant.message",
}

// Message returns the node of a log record with a message of a model call; ok is false for every other record. clean
// takes secrets out of names, as for Read.
func Message(r otlp.Record, clean func(name string) string) (n Node, ok bool) {
	name := eventName(r)
	if !isMessage(r, name) {
		return Node{}, false
	}
	body := valueOf(r.Body)
	var said struct {
		Message json.RawMessage `json:"message"`
		Finish  string          `json:"finish_reason"`
		ID      string          `json:"id"`
		Content json.RawMessage `json:"content"`
	}
	_ = json.Unmarshal(body, &said) // of another shape, it has none of these
	attrs := otlp.Attributes{"gen_ai.operation.name": "chat"}
	set := func(key string, list any) {
		if raw, err := json.Marshal([]any{list}); err == nil {
			attrs[key] = string(raw)
		}
	}
	switch name {
	case "gen_ai.choice":
		attrs["gen_ai.response.finish_reasons"] = said.Finish
		if len(said.Message) > 0 {
			set("gen_ai.completion", said.Message)
		}
	case "gen_ai.user.message":
		set("gen_ai.prompt", message{Role: "user", Content: said.Content})
	case "gen_ai.tool.message":
		set("gen_ai.input.messages", message{Role: "tool", Parts: []messagePart{
			{Type: "tool_call_response", ID: said.ID, Result: said.Content}}})
	case "gen_ai.client.inference.operation.details":
		attrs = r.Attrs
	default:
		return Node{}, false // what the model was sent before
	}
	// A record that is sent again is the same node.
	sum := sha256.Sum256([]byte(strings.Join([]string{r.Trace, r.Span, name, r.At.String(), string(body)}, "\x00")))
	n, _, ok = Read(otlp.Span{
		Trace: r.Trace, ID: hex.EncodeToString(sum[:spanDigits/2]), Parent: r.Span, Name: name, Scope: r.Scope,
		Start: r.At, End: r.At, Attrs: attrs, Resource: r.Resource,
	}, clean)
	return n, ok
}

// isMessage reports whether a record is of a message of a model call, whose span it names.
func isMessage(r otlp.Record, name string) bool {
	return slices.Contains(messageEvents, name) && len(r.Trace) == traceDigits && len(r.Span) == spanDigits
}
