// Package offline is a model that needs no key and no network: rules that choose
// tools by the words of the user's message. With it a fresh machine can show a
// whole turn with true reasons. It is not a language model.
//
// # How a message becomes calls
//
//   - split (message.go) cuts the last user message into requests, one for each
//     thing the user wants. Requests that "then" separates belong to later steps.
//   - toolbox.best (match.go) scores every tool by the words that the request
//     shares with the tool's name and description, and takes the best one.
//   - fill (arguments.go) finds the tool's arguments in the request: quoted
//     text, paths, numbers, and what remains once those and the tool's own words
//     are taken out.
//   - newPlan (this file) puts the calls of each step together; Respond makes
//     the calls of the step that is due. The steps already made are counted in
//     the conversation, so the model keeps no state.
//   - report (answer.go) renders each result for the final answer.
//
// Nothing in these rules names a tool of Candor's: they work with the tools of
// any server, by the description that the server gives. Only the last clause of
// a reason (expectation in reason.go) knows common names such as read or list.
//
// # Guarantees
//
//   - The same conversation and tools always get the same response.
//   - Each call has a reason that quotes the words which led to the tool. Nothing
//     else led to it, so the reason is true.
//   - A call's arguments are one JSON object of properties that the tool's schema
//     has, of the types it asks for, with all that it requires. A request whose
//     required arguments are not in the message leads to no call; the answer says
//     which argument was missing.
//   - A request that no tool fits is answered with what this model is and what
//     each tool does.
//
// TestMessagesAndTheirCalls is the best list of what the model understands. To
// teach it another way of writing an argument, extend fill and add a row there.
package offline

import (
	"context"
	"fmt"
	"strings"

	"candor/agent"
)

// maxCalls bounds the calls of one step.
const maxCalls = 12

// Model is the offline model. The zero value is ready to use. A Model has no
// state and is safe for concurrent use.
type Model struct{}

var _ agent.Provider = Model{}

// New returns the offline model.
func New() Model { return Model{} }

// Respond returns the calls of the next step that the last user message asks
// for. When all steps are made, or no tools are offered, it returns an answer put
// together from the results. The only error is that of a context that has ended.
func (Model) Respond(ctx context.Context, req agent.Request) (agent.Response, error) {
	if err := ctx.Err(); err != nil {
		return agent.Response{}, fmt.Errorf("the offline model was stopped: %w", err)
	}
	resp := respond(req)
	for piece := range strings.Lines(resp.Text) {
		req.Say(piece)
	}
	return resp, nil
}

// respond returns the calls that are due, or the answer.
func respond(req agent.Request) agent.Response {
	t := readTurn(req.Messages)
	if len(req.Tools) == 0 {
		return agent.Response{Text: t.withoutTools()}
	}
	p := newPlan(t.message, newToolbox(req.Tools))
	if t.steps < len(p.steps) {
		return agent.Response{Text: p.narrative(t.steps), Calls: p.calls(t.number, t.steps)}
	}
	return agent.Response{Text: p.answer(t)}
}

// plan is the model's response to one user message: the calls of each step, and notes
// for the answer on requests that it does not carry out.
type plan struct {
	tools toolbox
	steps [][]action // none is empty
	notes []string
}

// action is one planned call and the request it answers.
type action struct {
	request
	tool *profile
	args object
}

// newPlan depends on the message and the tools alone, so every step of a turn
// computes the same plan.
func newPlan(message string, tools toolbox) plan {
	p := plan{tools: tools}
	steps, truncated := split(message, tools.opens)
	if truncated {
		p.notes = append(p.notes, fmt.Sprintf("Your message is long; I read its first %d words only.", maxWords))
	}
	for _, requests := range steps {
		var actions []action
		for _, r := range requests {
			a, note := tools.resolve(r)
			switch {
			case note != "":
				p.notes = append(p.notes, note)
			case a.tool != nil && len(actions) < maxCalls:
				actions = append(actions, a)
			case a.tool != nil:
				p.notes = append(p.notes, fmt.Sprintf("I make at most %d calls at once and left out “%s”.",
					maxCalls, shorten(r.text)))
			}
		}
		if len(actions) > 0 {
			p.steps = append(p.steps, actions)
		}
	}
	return p
}

// resolve turns a request into a call, or says in a note why it leads to none. A
// single word that fits no tool, such as a greeting, gives neither.
func (b toolbox) resolve(r request) (a action, note string) {
	tool := b.best(r)
	if tool == nil {
		if len(r.words) < 2 {
			return action{}, ""
		}
		return action{}, "None of my tools fits “" + shorten(r.text) + "”."
	}
	args, missing := fill(r, tool)
	if len(missing) > 0 {
		return action{}, fmt.Sprintf("For “%s” I would use %s, but I cannot tell its %s from your words, so I did not "+
			"call it.", shorten(r.text), tool.Name, join(missing))
	}
	return action{request: r, tool: tool, args: args}, ""
}
