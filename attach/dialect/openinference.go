package dialect

import (
	"cmp"
	"fmt"
	"strings"

	"candor/attach"
)

// The bounds of what is read of flattened attributes. A number of them that is missing ends a list.
const (
	maxFlat      = 512  // parts or calls of a message
	maxFlatInput = 8192 // messages that the model was sent
)

// openInference reads a span of OpenInference, which has messages flattened into attributes with numbers.
func (w *writer) openInference() {
	a := w.span.Attrs
	switch strings.ToUpper(a.Text("openinference.span.kind")) {
	case "LLM":
		w.is(isModel)
		w.prompted(w.flatPrompt())
		w.prompted(promptIn(a.Text("input.value")))
		parts := w.flatAnswer()
		if text := plainText(a.Text("output.value")); len(parts) == 0 && text != "" {
			parts = []part{{text: text}}
		}
		w.answer(parts)
		w.flatResults()
		w.used(attach.Used{
			Input: a.Int("llm.token_count.prompt"), Output: a.Int("llm.token_count.completion"),
			Reasoning: a.Int("llm.token_count.completion_details.reasoning"),
			Cached:    a.Int("llm.token_count.prompt_details.cache_read"),
		})
		w.stopped(a.Text("llm.output_messages.0.message.finish_reason"), a.Text("llm.finish_reason"))
		w.about(a.Text("llm.model_name"))
	case "TOOL":
		name := cmp.Or(a.Text("tool.name"), w.span.Name)
		w.ran(name, cmp.Or(a.Text("tool_call.id"), a.Text("tool.id")),
			valueOf(first(a, "tool.parameters", "input.value")), valueOf(a["output.value"]))
	case "AGENT":
		w.run(isAgent, cmp.Or(a.Text("agent.name"), w.span.Name), plainText(a.Text("output.value")))
		w.prompted(promptIn(a.Text("input.value")))
	case "CHAIN":
		w.run(isChain, w.span.Name, plainText(a.Text("output.value")))
		// What a part of an agent is given is seldom what a person said.
		if w.node.parent == "" {
			w.prompted(promptIn(a.Text("input.value")))
		}
	case "RETRIEVER", "EMBEDDING", "RERANKER", "GUARDRAIL", "EVALUATOR", "PROMPT":
		w.known = true
	}
}

// The attributes of a message are llm.input_messages.N.message.role and so on, with N from 0. A text is its content, or
// stands in parts: message.contents.M.message_content.text. Calls are message.tool_calls.K.tool_call. What a list has
// is known only by asking for the next number.

// flatPrompt returns the last message of a user that the model was sent.
func (w *writer) flatPrompt() (text string) {
	a := w.span.Attrs
	for i := range maxFlatInput {
		m := fmt.Sprintf("llm.input_messages.%d.message.", i)
		role := a.Text(m + "role")
		if role == "" {
			break
		}
		if role != "user" {
			continue
		}
		said := a.Text(m + "content")
		for j := range maxFlat {
			c := fmt.Sprintf("%scontents.%d.message_content.", m, j)
			if a.Text(c+"type") == "" {
				break
			}
			said += a.Text(c + "text")
		}
		text = cmp.Or(said, text)
	}
	return text
}

// flatResults takes the results of calls that the model was sent since its last answer.
func (w *writer) flatResults() {
	a := w.span.Attrs
	var last []string
	for i := range maxFlatInput {
		m := fmt.Sprintf("llm.input_messages.%d.message.", i)
		role := a.Text(m + "role")
		if role == "" {
			break
		}
		if last = append(last, m); role == "assistant" {
			last = nil
		}
	}
	for _, m := range last {
		w.heard(a.Text(m+"tool_call_id"), valueOf(a[m+"content"]))
	}
}

// flatAnswer returns what the model said.
func (w *writer) flatAnswer() (parts []part) {
	a := w.span.Attrs
	for i := range maxFlat {
		m := fmt.Sprintf("llm.output_messages.%d.message.", i)
		if a.Text(m+"role") == "" {
			break
		}
		if text := a.Text(m + "content"); text != "" {
			parts = append(parts, part{text: text})
		}
		for j := range maxFlat {
			c := fmt.Sprintf("%scontents.%d.message_content.", m, j)
			shape := a.Text(c + "type")
			if shape == "" {
				break
			}
			// Some writers have a text both ways; then it is told once.
			if text := a.Text(c + "text"); text != a.Text(m+"content") && (shape == "text" || shape == "reasoning") {
				parts = append(parts, part{text: text, summary: shape == "reasoning"})
			}
		}
		for j := range maxFlat {
			c := fmt.Sprintf("%stool_calls.%d.tool_call.", m, j)
			name := a.Text(c + "function.name")
			if name == "" {
				break
			}
			parts = append(parts, part{
				call: a.Text(c + "id"), name: name, params: valueOf(a[c+"function.arguments"]),
			})
		}
	}
	return parts
}
