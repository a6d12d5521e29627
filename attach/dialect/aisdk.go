package dialect

import (
	"encoding/json"
	"strings"

	"candor/attach"
)

// aiSDK reads a span of the AI SDK before version 7. Its operation is ai.generateText or a relative; a model call
// within has the same name with .doGenerate or .doStream behind it.
func (w *writer) aiSDK(operation string) {
	a := w.span.Attrs
	switch {
	case operation == "ai.toolCall":
		w.ran(a.Text("ai.toolCall.name"), a.Text("ai.toolCall.id"),
			valueOf(a["ai.toolCall.args"]), valueOf(a["ai.toolCall.result"]))
	case strings.HasSuffix(operation, ".doGenerate"), strings.HasSuffix(operation, ".doStream"):
		w.sdkModel()
	case strings.HasPrefix(operation, "ai.generate"), strings.HasPrefix(operation, "ai.stream"):
		w.run(isAgent, a.Text("ai.telemetry.functionId"), a.Text("ai.response.text"))
		w.prompted(sdkPrompt(a.Text("ai.prompt")))
	case strings.HasPrefix(operation, "ai.embed"), strings.HasPrefix(operation, "ai.rerank"):
		w.known = true
	}
}

// sdkModel reads a model call.
func (w *writer) sdkModel() {
	a := w.span.Attrs
	w.is(isModel)
	w.prompted(sdkLast(a.Text("ai.prompt.messages")))
	// The attributes do not say in which order the answer had them: a thought comes first, and calls last.
	parts := []part{{summary: true, text: a.Text("ai.response.reasoning")}, {text: a.Text("ai.response.text")}}
	if a["ai.response.object"] != nil {
		parts = append(parts, part{text: a.Text("ai.response.object")})
	}
	var calls []struct {
		ID    string          `json:"toolCallId"`
		Tool  string          `json:"toolName"`
		Input json.RawMessage `json:"input"`
		Args  json.RawMessage `json:"args"` // before version 5
	}
	if text := a.Text("ai.response.toolCalls"); text != "" && json.Unmarshal([]byte(text), &calls) != nil {
		w.lost = badCalls
	}
	for _, c := range calls {
		parts = append(parts, part{call: c.ID, name: c.Tool, params: argumentsOf(cmpRaw(c.Input, c.Args))})
	}
	w.answer(parts)
	// Versions 4 and 5 have usage in the conventions' names, later ones in both.
	w.used(attach.Used{
		Input:     max(a.Int("ai.usage.inputTokens"), a.Int("gen_ai.usage.input_tokens")),
		Output:    max(a.Int("ai.usage.outputTokens"), a.Int("gen_ai.usage.output_tokens")),
		Reasoning: a.Int("ai.usage.reasoningTokens"), Cached: a.Int("ai.usage.cachedInputTokens"),
	})
	w.stopped(a.Text("ai.response.finishReason"), a.Text("ai.finishReason"),
		finishOf(a["gen_ai.response.finish_reasons"]))
	w.about(a.Text("ai.response.model"), a.Text("ai.model.id"))
}

// sdkPrompt returns the message in the prompt of a whole run: a text, or the last of its messages.
func sdkPrompt(raw string) string {
	var p struct {
		Prompt   json.RawMessage `json:"prompt"`
		Messages json.RawMessage `json:"messages"`
	}
	if json.Unmarshal([]byte(raw), &p) != nil {
		return ""
	}
	if text := textOf(p.Prompt); text != "" {
		return text
	}
	return sdkLast(string(p.Messages))
}

// sdkLast returns the text of the last message of a user. A message's content is a text, or parts.
func sdkLast(raw string) string {
	var list []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal([]byte(raw), &list) != nil {
		return ""
	}
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Role != "user" {
			continue
		}
		m := message{Content: list[i].Content}
		_ = json.Unmarshal(list[i].Content, &m.Parts) // else it is a text
		return m.prompt()
	}
	return ""
}
