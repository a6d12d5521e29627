package dialect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"

	"candor/attach"
	"candor/attach/otlp"
)

// The attributes of OpenLLMetry are those of Traceloop's SDK for what runs, and messages flattened into numbers for
// what a model was sent and said. Versions differ in how they begin.
var (
	sentAs = []string{"gen_ai.prompt.", "llm.prompts."}
	saidAs = []string{"gen_ai.completion.", "llm.completions."}
)

// isTraceloop reports whether a span has names of OpenLLMetry.
func isTraceloop(a otlp.Attributes) bool {
	return a.Text("traceloop.span.kind") != "" || a.Text("llm.request.type") != "" || hasNumbered(a)
}

// hasNumbered reports whether a span has messages of OpenLLMetry.
func hasNumbered(a otlp.Attributes) bool {
	for _, begin := range append(sentAs, saidAs...) {
		if first(a, begin+"0.role", begin+"0.content", begin+"0.tool_calls.0.name") != nil {
			return true
		}
	}
	return false
}

// traceloop reads a span of OpenLLMetry.
func (w *writer) traceloop() {
	a := w.span.Attrs
	name, in, out := a.Text("traceloop.entity.name"), a["traceloop.entity.input"], a["traceloop.entity.output"]
	switch kind := a.Text("traceloop.span.kind"); kind {
	case "tool":
		result, call, failure := toolOutput(valueOf(out))
		if failure != "" && !w.span.Failed {
			w.span.Failed, w.span.Message = true, failure
		}
		w.ran(cmp.Or(name, w.span.Name), call, toolInput(valueOf(in)), result)
		return
	case "agent", "workflow":
		run := map[string]spanKind{"agent": isAgent, "workflow": isChain}[kind]
		text, _ := out.(string)
		w.run(run, cmp.Or(name, w.span.Name), plainText(text))
		given, _ := in.(string)
		w.prompted(promptIn(given))
		return
	case "task":
		w.known = true // a part of a run, such as a node of a graph
	}
	switch a.Text("llm.request.type") {
	case "embedding", "rerank", "embeddings":
		w.known = true
		return
	case "":
		if !hasNumbered(a) {
			return
		}
	}
	w.is(isModel)
	w.prompted(numberedPrompt(a))
	w.numberedResults()
	w.answer(numberedAnswer(a))
	w.used(attach.Used{
		Input: cmp.Or(a.Int("gen_ai.usage.input_tokens"), a.Int("gen_ai.usage.prompt_tokens"),
			a.Int("llm.usage.prompt_tokens")),
		Output: cmp.Or(a.Int("gen_ai.usage.output_tokens"), a.Int("gen_ai.usage.completion_tokens"),
			a.Int("llm.usage.completion_tokens")),
		Reasoning: cmp.Or(a.Int("gen_ai.usage.reasoning_tokens"), a.Int("llm.usage.reasoning_tokens")),
		Cached:    cmp.Or(a.Int("gen_ai.usage.cache_read_input_tokens"), a.Int("llm.usage.cache_read_input_tokens")),
	})
	numbered(a, saidAs, func(m string) { w.stopped(a.Text(m + "finish_reason")) })
	w.stopped(finishOf(a["gen_ai.response.finish_reasons"]), a.Text("gen_ai.response.finish_reason"),
		a.Text("llm.response.finish_reason"), a.Text("llm.response.stop_reason"))
	w.about(a.Text("gen_ai.response.model"), a.Text("gen_ai.request.model"), a.Text("llm.request.model"))
}

// numbered visits the messages whose attributes have numbers, by the beginnings of their names.
func numbered(a otlp.Attributes, begins []string, visit func(prefix string)) {
	for _, begin := range begins {
		for i := range maxFlatInput {
			m := fmt.Sprintf("%s%d.", begin, i)
			if first(a, m+"role", m+"content", m+"tool_calls.0.name", m+"finish_reason") == nil {
				break
			}
			visit(m)
		}
	}
}

// numberedPrompt returns the last message of a user that the model was sent.
func numberedPrompt(a otlp.Attributes) (text string) {
	numbered(a, sentAs, func(m string) {
		if isUser(a.Text(m + "role")) {
			text = cmp.Or(contentText(a.Text(m+"content")), text)
		}
	})
	return text
}

// numberedResults takes the results of calls that the model was sent since its last answer.
func (w *writer) numberedResults() {
	a := w.span.Attrs
	var last []string
	numbered(a, sentAs, func(m string) {
		if last = append(last, m); a.Text(m+"role") == "assistant" {
			last = nil
		}
	})
	for _, m := range last {
		w.heard(a.Text(m+"tool_call_id"), valueOf(a[m+"content"]))
	}
}

// numberedAnswer returns what the model said.
func numberedAnswer(a otlp.Attributes) (parts []part) {
	numbered(a, saidAs, func(m string) {
		if len(parts) >= maxFlat {
			return
		}
		thought := a.Text(m+"role") == "thinking"
		if text := a.Text(m + "reasoning"); text != "" {
			parts = append(parts, part{summary: true, text: text})
		}
		if text := contentText(a.Text(m + "content")); text != "" {
			parts = append(parts, part{summary: thought, text: text})
		}
		for i := range maxFlat {
			c := fmt.Sprintf("%stool_calls.%d.", m, i)
			name := a.Text(c + "name")
			if name == "" {
				break
			}
			parts = append(parts, part{call: a.Text(c + "id"), name: name, params: valueOf(a[c+"arguments"])})
		}
	})
	return parts
}

// toolInput returns the parameters in what a framework passed to a tool: OpenLLMetry has all that the framework knows.
func toolInput(raw json.RawMessage) json.RawMessage {
	var in map[string]json.RawMessage
	if json.Unmarshal(raw, &in) != nil {
		return raw
	}
	for _, key := range []string{"inputs", "kwargs", "input_str", "args"} {
		if v := in[key]; len(v) > 0 && string(v) != "{}" && string(v) != "[]" && string(v) != "null" &&
			string(v) != `""` {
			return argumentsOf(v)
		}
	}
	if in["args"] != nil || in["input_str"] != nil {
		return json.RawMessage("{}")
	}
	return raw
}

// toolMessage is how LangChain writes the message with a tool's result where it has no JSON for it.
var toolMessage = regexp.MustCompile(`(?s)^content=(?:'(.*?)'|"(.*?)")(?: [a-z_]+=.*?)? tool_call_id='([^']+)'`)

// toolOutput returns the result in what a framework has of a tool's end, with the id of the call and the words of a
// failure where a message of LangChain has them.
func toolOutput(raw json.RawMessage) (result json.RawMessage, call, failure string) {
	var out struct {
		Output json.RawMessage `json:"output"`
	}
	if json.Unmarshal(raw, &out) == nil && len(out.Output) > 0 {
		raw = out.Output
	}
	if m := toolMessage.FindStringSubmatch(textOf(raw)); m != nil {
		return valueOf(cmp.Or(m[1], m[2])), m[3], ""
	}
	type toolEnd struct {
		Content json.RawMessage `json:"content"`
		Call    string          `json:"tool_call_id"`
		Status  string          `json:"status"`
	}
	var said struct {
		toolEnd
		Kwargs toolEnd `json:"kwargs"`
	}
	if json.Unmarshal(raw, &said) != nil {
		return raw, "", ""
	}
	m := said.toolEnd
	if m.Call == "" {
		m = said.Kwargs
	}
	switch {
	case m.Call == "":
		return raw, "", ""
	case m.Status == "error":
		return nil, m.Call, cmp.Or(textOf(m.Content), string(m.Content))
	}
	return argumentsOf(m.Content), m.Call, ""
}
