package openai

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"candor/agent"
	"candor/agent/provider/retry"
	"candor/agent/provider/wire"
	"candor/agent/provider/wire/responses"
)

// maxItems bounds the items of one answer, whose number the server chooses.
const maxItems = 1024

// responsesAnswer collects the events of a response.
type responsesAnswer struct {
	items   []*outputItem // in the order in which they began
	final   responses.Response
	problem *retry.Problem
	ended   bool
	spoken  *outputItem // the message that was spoken last
}

// outputItem is an output item. A server may send it whole, in pieces, or only as a part of the final response.
type outputItem struct {
	responses.Item
	index     *wire.Int // nil if nobody told
	text      string    // the pieces of its text or its summary
	pending   string    // those of the paragraph of a summary that has not ended
	refusal   string
	arguments string
	closed    bool // its end came
	merged    bool // the final response has it
}

// add joins an event, and returns what it adds to the text of the answer. An incomplete response ends, too.
func (a *responsesAnswer) add(e responses.Event) (said string) {
	switch e.Type {
	case "response.output_item.added", "response.output_item.done":
		it := a.item(e, string(e.Item.Type))
		it.join(e.Item)
		it.closed = it.closed || e.Type == "response.output_item.done"
	case "response.output_text.delta":
		return a.say(a.item(e, responses.TypeMessage), string(e.Delta))
	case "response.refusal.delta":
		it := a.item(e, responses.TypeMessage)
		it.refusal += string(e.Delta)
		return a.say(it, string(e.Delta))
	case "response.output_text.done":
		it := a.item(e, responses.TypeMessage)
		it.text = longer(it.text, string(e.Text))
	case "response.refusal.done":
		it := a.item(e, responses.TypeMessage)
		it.refusal = longer(it.refusal, string(e.Refusal))
	case "response.content_part.done":
		if it := a.item(e, responses.TypeMessage); len(it.Content) == 0 {
			it.text = longer(it.text, partText(e.Part))
			it.refusal = longer(it.refusal, string(e.Part.Refusal))
		}
	case "response.function_call_arguments.delta", "response.function_call_arguments.done":
		it := a.item(e, responses.TypeFunctionCall)
		it.Name = wire.Text(longer(string(it.Name), string(e.Name)))
		it.arguments = longer(it.arguments+string(e.Delta), string(e.Arguments))
	case "response.reasoning_summary_text.delta":
		a.item(e, responses.TypeReasoning).pending += string(e.Delta)
	case "response.reasoning_summary_text.done":
		it := a.item(e, responses.TypeReasoning)
		it.text, it.pending = paragraphs(it.text, longer(it.pending, string(e.Text))), ""
	default:
		a.end(e)
	}
	return ""
}

// end takes the end out of an event, if it is one.
func (a *responsesAnswer) end(e responses.Event) {
	switch e.Type {
	case "response.completed", "response.incomplete", "response.cancelled", "response.done":
		a.final, a.ended = e.Response, true
		if kind := string(e.Type[len("response."):]); a.final.Status == "" && kind != "done" {
			a.final.Status = wire.Text(kind)
		}
	case "response.failed":
		problem := retry.Read(0, nil, e.Response.Error)
		a.problem = &problem
	case "error":
		a.problem = &retry.Problem{Codes: []string{string(e.Code)}, Message: string(e.Message)}
	}
}

// item returns the item that an event is about, which may begin with it: that of its id, else the latest at its place,
// else the latest. Some servers number all items 0, some name them anew with each event, and some do neither.
func (a *responsesAnswer) item(e responses.Event, kind string) *outputItem {
	id := cmp.Or(e.ItemID, e.Item.ID)
	frames := e.Type == "response.output_item.added" || e.Type == "response.output_item.done"
	for _, it := range slices.Backward(a.items) {
		if id != "" && it.ID == id {
			return it
		}
	}
	for _, it := range slices.Backward(a.items) {
		placed := e.OutputIndex != nil && it.index != nil
		switch {
		case placed && *it.index != *e.OutputIndex, kind != "" && it.Type != "" && string(it.Type) != kind:
		case frames && (it.closed || it.isOther(e.Item)), !placed && it.closed:
		default:
			return it
		}
	}
	it := &outputItem{index: e.OutputIndex, Item: responses.Item{Type: wire.Text(kind), ID: id}}
	if len(a.items) < maxItems {
		a.items = append(a.items, it)
	}
	return it
}

// isOther reports whether an item has another id, and another one of its call.
func (it *outputItem) isOther(other responses.Item) bool {
	return it.ID != "" && other.ID != "" && it.CallID != "" && other.CallID != "" && it.CallID != other.CallID
}

// join takes over what another copy of the item has. The members of a later one hold, as far as they say something.
func (it *outputItem) join(other responses.Item) {
	old := it.Item
	it.Item = other
	if len(other.Content) == 0 {
		it.Content = old.Content
	}
	if len(other.Summary) == 0 {
		it.Summary = old.Summary
	}
	for _, m := range []struct{ now, was *wire.Text }{
		{&it.Type, &old.Type}, {&it.ID, &old.ID}, {&it.Arguments, &old.Arguments}, {&it.CallID, &old.CallID},
		{&it.Name, &old.Name}, {&it.EncryptedContent, &old.EncryptedContent},
	} {
		if *m.now == "" {
			*m.now = *m.was
		}
	}
	if other.EncryptedContent == "" && old.EncryptedContent != "" {
		it.Raw = old.Raw
	}
}

// say adds a piece to a message, and returns what it adds to the answer's text. Messages are set apart as in the whole
// text.
func (a *responsesAnswer) say(it *outputItem, piece string) string {
	if piece == "" {
		return ""
	}
	it.text += piece
	another := a.spoken != nil && a.spoken != it
	if a.spoken = it; another {
		return "\n\n" + piece
	}
	return piece
}

// whole returns the items, each with all that any of its places has.
func (a *responsesAnswer) whole() []responses.Item {
	for i, f := range a.final.Output {
		at := slices.IndexFunc(a.items, func(it *outputItem) bool {
			same := it.ID != "" && it.ID == f.ID || it.CallID != "" && it.CallID == f.CallID
			return !it.merged && it.Type == f.Type && (same || it.index == nil || int(*it.index) == i)
		})
		if at < 0 {
			if len(a.items) < maxItems {
				a.items = append(a.items, &outputItem{Item: f, merged: true})
			}
			continue
		}
		it := a.items[at]
		now := it.Item
		it.join(f)
		it.join(now)
		it.merged = true
	}
	out := make([]responses.Item, len(a.items))
	for i, it := range a.items {
		out[i] = it.filled()
	}
	return out
}

// filled returns the item with what came in pieces where it has nothing itself.
func (it *outputItem) filled() responses.Item {
	out := it.Item
	switch {
	case out.Type == responses.TypeMessage && messageText(out) == "":
		out.Content = responses.Parts{{Text: wire.Text(it.text)}}
		if it.refusal != "" {
			out.Content = responses.Parts{{Refusal: wire.Text(it.refusal)}}
		}
	case out.Type == responses.TypeFunctionCall && out.Arguments == "":
		out.Arguments = wire.Text(it.arguments)
	case out.Type == responses.TypeReasoning && len(out.Summary) == 0 && it.text+it.pending != "":
		out.Summary = []responses.SummaryPart{{Text: wire.Text(paragraphs(it.text, it.pending))}}
	}
	return out
}

// stop returns why the model stopped.
func (a *responsesAnswer) stop(items []responses.Item) agent.Stop {
	refused := false
	for _, it := range items {
		for _, part := range it.Content {
			refused = refused || it.Type == responses.TypeMessage && part.Refusal != ""
		}
	}
	cut := slices.ContainsFunc(items, func(it responses.Item) bool { return it.Status == "incomplete" })
	switch {
	case a.final.Status != "" && a.final.Status != "completed" || a.final.Incomplete.Reason != "":
		why := agent.StopOf(string(cmp.Or(a.final.Incomplete.Reason, a.final.Status)), 1)
		if why.CutOff() || a.final.Incomplete.Reason == "" {
			return why
		}
		return agent.StopOf("error", 1)
	case cut:
		return agent.StopOf("incomplete", 1)
	case refused:
		return agent.StopOf("refusal", 1)
	}
	return ""
}

// longer returns the longer of two texts, of which one may be the beginning of the other.
func longer(a, b string) string {
	if len(b) > len(a) {
		return b
	}
	return a
}

// paragraphs returns two paragraphs.
func paragraphs(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// readItems turns the output items of a response into what the agent loop knows.
func (p *Provider) readItems(a responsesAnswer) agent.Response {
	out := agent.Response{Model: string(a.final.Model), Usage: agent.Usage{
		Input: int(a.final.Usage.InputTokens), Output: int(a.final.Usage.OutputTokens),
		Reasoning: int(a.final.Usage.OutputTokensDetails.ReasoningTokens),
		Cached:    int(a.final.Usage.InputTokensDetails.CachedTokens),
	}}
	items := a.whole()
	out.Stop = a.stop(items)
	var summary, text []string
	between := 0 // where the text since the last call begins in text
	for _, item := range items {
		switch item.Type {
		case responses.TypeReasoning:
			for _, s := range item.Summary {
				summary = append(summary, string(s.Text))
			}
			// An item without encrypted content is useless to send back: the provider
			// would look it up by its id and not find it, since it stored nothing.
			out.Sealed = out.Sealed.Encrypted(len(item.EncryptedContent))
			if item.EncryptedContent != "" {
				kind := placeKind(placeAfter(text, out.Calls))
				out.Opaque = append(out.Opaque, p.opaque(kind, item.Raw))
			}
		case responses.TypeMessage:
			text = append(text, messageText(item))
		case responses.TypeFunctionCall:
			if len(out.Calls) < maxAnswerCalls {
				out.Calls = append(out.Calls, agent.Call{
					ID: string(item.CallID), Name: string(item.Name), Arguments: json.RawMessage(item.Arguments),
					Before: strings.Join(text[between:], "\n\n"),
				})
				between = len(text)
			}
		}
	}
	out.Text = strings.Join(text, "\n\n")
	out.Summary = strings.Join(summary, "\n\n")
	return out
}

// placeAfter is the place, in the sense of placeKind, of an item that follows these
// texts and calls. All texts are sent back as one, ahead of the calls.
func placeAfter(text []string, calls []agent.Call) int {
	if len(calls) > 0 {
		return 1 + len(calls)
	}
	return min(len(text), 1)
}

// messageText joins the parts of a message: text, or the refusal to give one, which is
// what the model has to say then.
func messageText(item responses.Item) string {
	var out strings.Builder
	for _, part := range item.Content {
		out.WriteString(partText(part))
		out.WriteString(string(part.Refusal))
	}
	return out.String()
}

// partText returns the text of a part that is text.
func partText(part responses.ContentPart) string {
	if !wire.IsText(string(part.Type)) {
		return ""
	}
	return string(part.Text)
}
