package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"

	"candor/agent"
	"candor/agent/provider/retry"
	"candor/agent/provider/wire"
	"candor/agent/provider/wire/responses"
)

// respond asks by Responses. The provider stores nothing; its reasoning comes back
// encrypted and is sent along with the calls it led to. summaries says whether
// reasoning and its summaries are requested.
func (p *Provider) respond(ctx context.Context, req agent.Request, summaries bool) (agent.Response, error) {
	body, err := p.responsesRequest(req, summaries)
	if err != nil {
		return agent.Response{}, err
	}
	var a responsesAnswer
	for event, err := range p.client.Stream(ctx, responses.Path, body) {
		if err != nil {
			return agent.Response{}, p.failed(ctx, err)
		}
		if event.Done() {
			break
		}
		decoded, err := responses.Decode(event.Data)
		if err == nil && event.Whole && decoded.Type == "" {
			decoded.Type = "response.completed"
			err = wire.Decode(event.Data, &decoded.Response)
			if wire.Present(decoded.Error) || decoded.Response.Output == nil {
				return agent.Response{}, retry.Refuse(event.Data, p.options.Key)
			}
		}
		decoded.Type = cmp.Or(decoded.Type, wire.Text(event.Name))
		switch {
		case err != nil:
			return agent.Response{}, p.failed(ctx, err)
		case wire.Present(decoded.Error):
			return agent.Response{}, p.failedInStream(ctx, event.Data)
		}
		req.Say(a.add(decoded))
	}
	switch {
	case a.problem != nil:
		return agent.Response{}, a.problem.Failure(p.options.Key)
	case !a.ended:
		return agent.Response{}, p.failed(ctx, errCutOff)
	}
	return p.readItems(a), nil
}

// responsesRequest returns the body of a request for Responses.
func (p *Provider) responsesRequest(req agent.Request, summaries bool) ([]byte, error) {
	out := responses.Request{Model: p.options.Model, Stream: true}
	if summaries {
		out.Include = []string{responses.EncryptedReasoning}
		out.Reasoning = &responses.Reasoning{Effort: p.options.Effort, Summary: "auto"}
	}
	for _, m := range mergeSystem(req.Messages) {
		if m.Role == agent.RoleSystem {
			out.Instructions = &m.Text
			continue
		}
		out.Input = append(out.Input, p.inputItems(m)...)
	}
	for _, s := range req.Tools {
		schema, err := parameters(s)
		if err != nil {
			return nil, err
		}
		// Strict stays false: it would require every property, with a null for those
		// that are left out.
		out.Tools = append(out.Tools, responses.Tool{
			Type: "function", Name: s.Name, Description: s.Description, Parameters: schema,
		})
	}
	return wire.Encode(out)
}

// inputItems returns the items that one message consists of. What the assistant said is
// its text, then its calls, with the reasoning in between where it stood.
func (p *Provider) inputItems(m agent.Message) []responses.Input {
	switch m.Role {
	case agent.RoleUser:
		return inputMessage(m.Text, "user")
	case agent.RoleTool:
		return []responses.Input{responses.FunctionCallOutput{
			Type: "function_call_output", CallID: m.CallID, Output: m.Text,
		}}
	}
	out := p.reasoningAt(m, 0)
	out = append(out, inputMessage(m.Text, "assistant")...)
	out = append(out, p.reasoningAt(m, 1)...)
	for i, c := range m.Calls {
		out = append(out, responses.FunctionCall{
			Type: responses.TypeFunctionCall, CallID: c.ID, Name: callName(c),
			Arguments: string(wire.Object(c.Arguments)),
		})
		out = append(out, p.reasoningAt(m, i+2)...)
	}
	return out
}

// inputMessage returns a message, or nothing for an empty text.
func inputMessage(text, role string) []responses.Input {
	if text == "" {
		return nil
	}
	return []responses.Input{responses.InputMessage{Content: text, Role: role}}
}

// placeKind returns the kind under which a reasoning item is kept with its place in the
// message: 0 is before everything, 1 after the text, and each call counts one more. The
// provider refuses reasoning items that have moved.
func placeKind(place int) string { return "reasoning:" + strconv.Itoa(place) }

// reasoningAt returns this provider's reasoning items at a place in the message, in
// their order. Items of another provider, and items that are not JSON, are left out.
func (p *Provider) reasoningAt(m agent.Message, place int) []responses.Input {
	var out []responses.Input
	for _, o := range m.Opaque {
		if o.Provider == p.origin && o.Kind == placeKind(place) && json.Valid(o.Data) {
			out = append(out, responses.RawItem{RawMessage: o.Data})
		}
	}
	return out
}
