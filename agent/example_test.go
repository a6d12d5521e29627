package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"candor/agent"
	"candor/agent/tool"
	"candor/safety"
	"candor/session"
)

// scripted is a provider that gives one prepared response per step.
type scripted struct{ responses []agent.Response }

func (p *scripted) Respond(context.Context, agent.Request) (agent.Response, error) {
	next := p.responses[0]
	p.responses = p.responses[1:]
	return next, nil
}

// call is a call as models write it: the rationale is one of the arguments.
func call(name, arguments string) agent.Call {
	return agent.Call{Name: name, Arguments: json.RawMessage(arguments)}
}

// printer is a recorder that prints what happens in a turn.
type printer struct{}

func (printer) Record(event session.Body) error {
	switch e := event.(type) {
	case session.Narrated:
		fmt.Println("says:", e.Text)
	case session.ToolCalled:
		fmt.Printf("calls %s %s because: %s (%s)\n", e.Tool, e.Params.Raw(), e.Rationale.Text, e.Rationale.Source)
	case session.ToolReturned:
		if e.Outcome == session.Success {
			fmt.Println("success:", string(e.Result.Raw()))
		} else {
			fmt.Printf("%s: %s\n", e.Outcome, e.Error)
		}
	case session.TurnCompleted:
		fmt.Println("answers:", e.Response)
	}
	return nil
}

// weather is a tool made from a typed function.
func weather() agent.Tool {
	type input struct {
		City string `json:"city" jsonschema:"name of the city"`
	}
	return tool.New("weather", "Tell the weather of a city.", func(_ context.Context, in input) (any, error) {
		return map[string]any{"city": in.City, "celsius": 21}, nil
	})
}

// newDispatcher returns a dispatcher for one tool and a scripted model.
func newDispatcher(t agent.Tool, responses ...agent.Response) *agent.Dispatcher {
	tools := &agent.Toolbox{}
	if err := tools.Replace(t); err != nil {
		panic(err)
	}
	return &agent.Dispatcher{
		Provider: &scripted{responses}, Tools: tools, Safety: safety.NewLayer(), Log: slog.New(slog.DiscardHandler),
	}
}

// A turn ends when the model answers without calling a tool. The recorder receives every
// step of the way, including why each call was made.
func ExampleDispatcher_Run() {
	d := newDispatcher(weather(),
		agent.Response{Text: "I look it up.", Calls: []agent.Call{
			call("weather", `{"rationale":"the forecast decides what to wear","city":"Kyoto"}`),
		}},
		agent.Response{Text: "Wear something light."},
	)
	question := []agent.Message{{Role: agent.RoleUser, Text: "What shall I wear in Kyoto?"}}
	if err := d.Run(context.Background(), printer{}, question); err != nil {
		fmt.Println(err)
	}
	// Output:
	// says: I look it up.
	// calls weather {"city":"Kyoto"} because: the forecast decides what to wear (model)
	// success: {"celsius":21,"city":"Kyoto"}
	// answers: Wear something light.
}

// A policy sees the arguments without the rationale. Its error rejects the call and is
// shown to the model, which goes on.
func ExamplePolicy() {
	d := newDispatcher(weather(),
		agent.Response{Calls: []agent.Call{call("weather", `{"city":"Atlantis"}`)}},
		agent.Response{Text: "I do not know."},
	)
	d.Policy = func(_ context.Context, _ agent.Spec, args []byte) error {
		if string(args) == `{"city":"Atlantis"}` {
			return errors.New("this city is not covered")
		}
		return nil
	}
	_ = d.Run(context.Background(), printer{}, []agent.Message{{Role: agent.RoleUser, Text: "And Atlantis?"}})
	// Output:
	// calls weather {"city":"Atlantis"} because: Tool selected to satisfy the current subtask. (fallback)
	// rejected: this city is not covered
	// answers: I do not know.
}

// Send returns before the turn has run. The session's log says what came of it; here we
// wait for the end of the second turn, which starts when the first has ended.
func ExampleChat_Send() {
	ctx := context.Background()
	store := session.NewMemory(nil)
	defer store.Close()
	chat := agent.NewChat(store, newDispatcher(weather(),
		agent.Response{Text: "Hello."}, agent.Response{Text: "Goodbye."},
	), time.Minute)

	first, err := chat.Send(ctx, "ann", "", "Hi!")
	if err != nil {
		fmt.Println(err)
		return
	}
	second, err := chat.Send(ctx, "ann", first.Thread, "Bye!")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("accepted as turns", first.Turn, "and", second.Turn)

	chat.Close(ctx) // waits for both turns
	own, _ := store.Open(ctx, "ann")
	for _, ref := range []session.Ref{first.Ref, second.Ref} {
		turn, _ := own.Turn(ref.Thread, ref.Turn)
		fmt.Println(turn.Input, turn.State, turn.Response)
	}
	// Output:
	// accepted as turns 1 and 2
	// Hi! completed Hello.
	// Bye! completed Goodbye.
}

// A call of a tool with ApprovalAsk waits until its user has answered.
func ExampleChat_Approve() {
	ctx := context.Background()
	store := session.NewMemory(nil)
	defer store.Close()
	d := newDispatcher(weather(),
		agent.Response{Calls: []agent.Call{call("weather", `{"rationale":"you asked","city":"Kyoto"}`)}},
		agent.Response{Text: "It is warm."},
	)
	d.Approval = func(agent.Spec) agent.Approval { return agent.ApprovalAsk }
	chat := agent.NewChat(store, d, time.Minute)

	sent, err := chat.Send(ctx, "ann", "", "How is Kyoto?")
	if err != nil {
		fmt.Println(err)
		return
	}
	own, _ := store.Open(ctx, "ann")
	for update, err := range own.Watch(ctx, sent.Seq) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch b := update.Event.Body.(type) {
		case session.ApprovalAsked:
			_, err := chat.Approve(ctx, "ann", b.Request, session.Approve)
			fmt.Println("approved:", err == nil)
		case session.TurnCompleted:
			fmt.Println(b.Response)
			chat.Close(ctx)
			return
		}
	}
	// Output:
	// approved: true
	// It is warm.
}
