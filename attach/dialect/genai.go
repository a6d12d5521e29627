package dialect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"candor/attach"
	"candor/attach/otlp"
)

// isGenAI reports whether a span has names of the GenAI conventions for what it is, or for what was said or done.
func isGenAI(s *otlp.Span) bool {
	a := s.Attrs
	return a.Text("gen_ai.operation.name") != "" || a.Text("gen_ai.tool.name") != "" ||
		a.Text("mcp.method.name") != "" ||
		first(a, "gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.prompt", "gen_ai.completion") != nil ||
		s.Scope == "pydantic-ai" && a["agent_name"] != nil
}

// passed are the operations that stand between others and tell nothing themselves.
var passed = []string{"create_agent", "agent_step", "embeddings", "retrieval", "rerank", "plan"}

// genAI reads a span of the GenAI conventions.
func (w *writer) genAI() {
	a := w.span.Attrs
	operation := a.Text("gen_ai.operation.name")
	// Some spans have no operation. A request of MCP names its method, a tool itself, and Pydantic AI's older spans of
	// a run the agent; what has messages and none of these is a model call.
	switch method := a.Text("mcp.method.name"); {
	case method == "tools/call", method == "" && operation == "" && a.Text("gen_ai.tool.name") != "":
		operation, w.node.request = "execute_tool", method != ""
	case method != "":
		operation = passed[0]
	case operation == "" && a["agent_name"] != nil:
		operation = "invoke_agent"
	case operation == "":
		operation = "chat"
	}
	switch operation {
	case "execute_tool":
		_, word, _ := strings.Cut(w.span.Name, "tools/call ")
		w.ran(cmp.Or(a.Text("gen_ai.tool.name"), a.Text("mcp.tool.name"), word), a.Text("gen_ai.tool.call.id"),
			valueOf(first(a, "gen_ai.tool.call.arguments", "tool_arguments")),
			valueOf(first(a, "gen_ai.tool.call.result", "tool_response")))
	case "invoke_agent":
		w.run(isAgent, cmp.Or(a.Text("gen_ai.agent.name"), a.Text("agent_name")), "")
		w.prompted(lastPrompt(messages(a["gen_ai.input.messages"])))
		w.pydantic()
	case "invoke_workflow":
		w.run(isChain, a.Text("gen_ai.workflow.name"), "")
	case "chat", "generate_content", "text_completion":
		w.chat()
	default:
		w.known = w.known || slices.Contains(passed, operation) || strings.HasSuffix(operation, "_memory")
	}
}

// chat reads a model call.
func (w *writer) chat() {
	a := w.span.Attrs
	w.is(isModel)
	sent := messages(a["gen_ai.input.messages"])
	w.prompted(lastPrompt(sent))
	for i := len(sent) - 1; i >= 0 && sent[i].Role != "assistant"; i-- {
		for _, p := range sent[i].Parts {
			if p.Type == "tool_call_response" {
				w.heard(p.ID, cmpRaw(p.Result, p.Response))
			}
		}
	}
	// The content is off by default in many writers: the loss tells a person why there are no reasons and texts.
	if a["gen_ai.output.messages"] == nil && !w.span.Failed {
		w.lost = noMessages
	}
	w.answer(answered(a["gen_ai.output.messages"]))
	w.stopped(finishOf(a["gen_ai.response.finish_reasons"]), finishIn(messages(a["gen_ai.output.messages"])),
		a.Text("anthropic.message.stop_reason"))
	// The conventions' first form, in which other writers have what was sent and said.
	w.prompted(lastPrompt(oldMessages(a["gen_ai.prompt"])))
	var parts []part
	old := oldMessages(a["gen_ai.completion"])
	for i := range old {
		parts = append(parts, old[i].parts()...)
	}
	w.answer(parts)
	w.stopped(finishIn(old))
	w.used(attach.Used{
		Input: a.Int("gen_ai.usage.input_tokens"), Output: a.Int("gen_ai.usage.output_tokens"),
		Reasoning: a.Int("gen_ai.usage.reasoning.output_tokens"), Cached: a.Int("gen_ai.usage.cache_read.input_tokens"),
	})
	w.about(a.Text("gen_ai.response.model"), a.Text("gen_ai.request.model"))
}

// answered returns what the model said in the messages of an attribute.
func answered(v any) (parts []part) {
	said := messages(v)
	for i := range said {
		parts = append(parts, said[i].parts()...)
	}
	return parts
}

// finishOf returns why the model stopped, of an attribute with a word for each answer that it was asked for: a list, or
// one as JSON in a string. The last one that there is counts.
func finishOf(v any) (word string) {
	if text, ok := v.(string); ok && !strings.HasPrefix(text, "[") {
		return text
	}
	var words []string
	_ = json.Unmarshal(valueOf(v), &words) // of another type, there is none
	for _, one := range words {
		word = cmp.Or(one, word)
	}
	return word
}

// finishIn returns why the model stopped, where its messages say so.
func finishIn(list []message) (word string) {
	for _, m := range list {
		word = cmp.Or(m.Finish, word)
	}
	return word
}

// pydantic reads the messages that Pydantic AI sets on a whole run. Each answer is told as if it had a span, and each
// result as if the channel had seen it. They begin with the latest prompt: what was before it is the history that the
// run was given, and belongs to turns that were told when they ran.
func (w *writer) pydantic() {
	list := messages(w.span.Attrs["pydantic_ai.all_messages"])
	if list == nil {
		list = oldMessages(w.span.Attrs["all_messages_events"])
	}
	if list == nil {
		return
	}
	w.tellPrompt(lastPrompt(list))
	begin := 0
	for i := range list {
		if list[i].Role == "user" && list[i].prompt() != "" {
			begin = i // what was before is the history that the run was given
		}
	}
	id := w.node.id
	for i := range list[begin:] {
		if m := &list[begin+i]; m.Role == "assistant" {
			// Answers have no times: that of the run's start, and their order.
			w.node.id = fmt.Sprintf("%s.%04d", id, i)
			end := w.span.End
			w.span.End = w.span.Start.Add(timeOfPlace(i))
			w.tellAnswer(m.parts())
			w.tellStop(m.Finish, m.parts())
			w.span.End = end
		} else {
			w.responses(m, i)
		}
	}
	w.node.id = id
	w.node.flat, w.node.facts = w.node.facts, nil
}

// responses tells the results among the parts of a message.
func (w *writer) responses(m *message, place int) {
	for _, p := range m.Parts {
		if p.Type != "tool_call_response" || p.ID == "" {
			continue
		}
		s := w.at(w.span.Start.Add(timeOfPlace(place)))
		s.Call, s.Returned = p.ID, &attach.Returned{Result: cmpRaw(p.Result, p.Response)}
		w.node.facts = append(w.node.facts, s)
	}
}

// first returns the first attribute that is there.
func first(a otlp.Attributes, keys ...string) any {
	for _, key := range keys {
		if a[key] != nil {
			return a[key]
		}
	}
	return nil
}

// cmpRaw returns the first value that is there.
func cmpRaw(values ...json.RawMessage) json.RawMessage {
	for _, v := range values {
		if len(v) > 0 {
			return v
		}
	}
	return nil
}
