package openai

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"candor/agent"
	"candor/agent/provider/retry"
)

// respond asks by Responses. Nothing is kept at the provider; its reasoning comes
// here encrypted and goes back with the calls it led to.
func (p *Provider) respond(ctx context.Context, req agent.Request, all bool) (agent.Response, error) {
	params, err := p.responseParams(req, all)
	if err != nil {
		return agent.Response{}, err
	}
	stream := p.responses.NewStreaming(ctx, params)
	defer stream.Close()
	var o output
	for stream.Next() {
		o.add(stream.Current())
	}
	switch err := stream.Err(); {
	case err != nil:
		return agent.Response{}, p.failed(ctx, err)
	case o.problem != nil:
		return agent.Response{}, o.problem.Failure(p.options.Key)
	case !o.ended:
		return agent.Response{}, p.failed(ctx, errCutOff)
	}
	return p.fromItems(o), nil
}

func (p *Provider) responseParams(req agent.Request, all bool) (responses.ResponseNewParams, error) {
	out := responses.ResponseNewParams{Model: p.options.Model, Store: param.NewOpt(false)}
	if all {
		out.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
		out.Reasoning = shared.ReasoningParam{
			Effort: shared.ReasoningEffort(p.options.Effort), Summary: shared.ReasoningSummaryAuto,
		}
	}
	var input responses.ResponseInputParam
	for _, m := range oneSystem(req.Messages) {
		if m.Role == agent.RoleSystem {
			out.Instructions = param.NewOpt(m.Text)
			continue
		}
		input = append(input, p.items(m)...)
	}
	out.Input.OfInputItemList = input
	for _, s := range req.Tools {
		schema, err := parameters(s)
		if err != nil {
			return out, err
		}
		out.Tools = append(out.Tools, responses.ToolUnionParam{OfFunction: &responses.FunctionToolParam{
			Name: s.Name, Description: param.NewOpt(s.Description), Parameters: schema,
			Strict: param.NewOpt(false), // strict wants every property, with a null for those left out
		}})
	}
	return out, nil
}

// items are what one message is in Responses' terms.
func (p *Provider) items(m agent.Message) []responses.ResponseInputItemUnionParam {
	switch m.Role {
	case agent.RoleUser:
		return messageItem(m.Text, responses.EasyInputMessageRoleUser)
	case agent.RoleTool:
		item := responses.ResponseInputItemParamOfFunctionCallOutput(m.Text)
		item.OfFunctionCallOutput.CallID = param.NewOpt(m.CallID)
		return []responses.ResponseInputItemUnionParam{item}
	}
	out := p.reasoningAt(m, 0)
	out = append(out, messageItem(m.Text, responses.EasyInputMessageRoleAssistant)...)
	out = append(out, p.reasoningAt(m, 1)...)
	for i, c := range m.Calls {
		out = append(out, responses.ResponseInputItemParamOfFunctionCall(object(c.Arguments), c.ID, callable(c.Name)))
		out = append(out, p.reasoningAt(m, i+2)...)
	}
	return out
}

func messageItem(text string, role responses.EasyInputMessageRole) []responses.ResponseInputItemUnionParam {
	if text == "" {
		return nil
	}
	return []responses.ResponseInputItemUnionParam{responses.ResponseInputItemParamOfMessage(text, role)}
}

// kindAt marks where an item stood: 0 before everything, 1 after the text, and one
// more after each call. The provider refuses reasoning that was moved.
func kindAt(place int) string { return "reasoning:" + strconv.Itoa(place) }

func (p *Provider) reasoningAt(m agent.Message, place int) []responses.ResponseInputItemUnionParam {
	var out []responses.ResponseInputItemUnionParam
	for _, o := range m.Opaque {
		if o.Provider == p.origin && o.Kind == kindAt(place) && json.Valid(o.Data) {
			out = append(out, param.Override[responses.ResponseInputItemUnionParam](json.RawMessage(o.Data)))
		}
	}
	return out
}

// output is a response as its events come in.
type output struct {
	items   []responses.ResponseOutputItemUnion // as they were done
	final   responses.Response
	problem *retry.Problem
	ended   bool
}

func (o *output) add(e responses.ResponseStreamEventUnion) {
	switch e.Type {
	case "response.output_item.done": // what .added had may be incomplete
		o.items = append(o.items, e.Item)
	case "response.completed", "response.incomplete":
		o.final, o.ended = e.Response, true
	case "response.failed":
		o.problem = &retry.Problem{
			Codes: []string{string(e.Response.Error.Code)}, Message: e.Response.Error.Message,
		}
	case "error":
		o.problem = &retry.Problem{Codes: []string{e.Code}, Message: e.Message}
	}
}
