package dialect

import (
	"cmp"
	"encoding/json"
	"fmt"

	"candor/attach"
	"candor/attach/otlp"
)

// isPydantic reports whether a span is Pydantic AI's and has none of the conventions' names for what it is.
func isPydantic(s *otlp.Span) bool {
	return s.Scope == "pydantic-ai" && (s.Attrs.Text("gen_ai.tool.name") != "" || s.Attrs["agent_name"] != nil)
}

// genAI reads a span of the GenAI conventions.
func (w *writer) genAI() {
	a := w.span.Attrs
	operation := a.Text("gen_ai.operation.name")
	// Pydantic AI's older spans have no operation: a tool's has a tool's name, and a run's the agent's. What the AI SDK
	// calls agent_step, and embeddings, planning or memory, stand between others and tell nothing themselves.
	switch {
	case operation == "execute_tool" || operation == "" && a.Text("gen_ai.tool.name") != "":
		w.ran(a.Text("gen_ai.tool.name"), a.Text("gen_ai.tool.call.id"),
			valueOf(first(a, "gen_ai.tool.call.arguments", "tool_arguments")),
			valueOf(first(a, "gen_ai.tool.call.result", "tool_response")))
	case operation == "invoke_agent" || operation == "":
		w.node.kind = isAgent
		w.node.name = cmp.Or(a.Text("gen_ai.agent.name"), a.Text("agent_name"))
		w.prompted(lastPrompt(messages(a["gen_ai.input.messages"])))
		w.pydantic()
		w.ended()
	case operation == "invoke_workflow":
		w.node.kind = isChain
		w.node.name = a.Text("gen_ai.workflow.name")
		w.ended()
	case operation == "chat" || operation == "generate_content" || operation == "text_completion":
		w.chat()
	}
}

// chat reads a model call.
func (w *writer) chat() {
	a := w.span.Attrs
	w.node.kind = isModel
	w.prompted(lastPrompt(messages(a["gen_ai.input.messages"])))
	said := messages(a["gen_ai.output.messages"])
	var parts []part
	for i := range said {
		parts = append(parts, said[i].parts()...)
	}
	// The content is off by default in many writers: the loss tells a person why there are no reasons and texts.
	if a["gen_ai.output.messages"] == nil && !w.span.Failed {
		w.lost = noMessages
	}
	w.answer(parts)
	w.used(attach.Used{
		Input: a.Int("gen_ai.usage.input_tokens"), Output: a.Int("gen_ai.usage.output_tokens"),
		Reasoning: a.Int("gen_ai.usage.reasoning.output_tokens"), Cached: a.Int("gen_ai.usage.cache_read.input_tokens"),
	})
	w.about(a.Text("gen_ai.response.model"), a.Text("gen_ai.request.model"))
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
	told := w.node.facts
	w.node.facts = nil
	w.prompted(lastPrompt(list))
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
			w.answer(m.parts())
			w.span.End = end
		} else {
			w.responses(m, i)
		}
	}
	w.node.id = id
	w.node.flat, w.node.facts = w.node.facts, told
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
