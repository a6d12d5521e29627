package openwop_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"candor/session"
)

// chooser makes choices from fuzzed bytes; when they have run out it takes the first.
type chooser struct{ from []byte }

func (c *chooser) upTo(n int) int {
	if len(c.from) == 0 || n <= 0 {
		return 0
	}
	b := c.from[0]
	c.from = c.from[1:]
	return int(b) % (n + 1)
}

func (c *chooser) coin() bool { return c.upTo(1) == 1 }

// author writes what a run may look like: everything that a loop can do, in an order in which it
// can do it.
type author struct {
	*chooser
	calls, agents int
	facts         []fact
}

func (a *author) say(agent string, bodies ...session.Body) {
	for _, b := range bodies {
		a.facts = append(a.facts, fact{agent, b})
	}
}

// run writes a run with nodes, or that of a chat, up to its end, if it has one.
func (a *author) run(nodes bool) []fact {
	if nodes {
		for i := range a.upTo(2) + 1 {
			a.node(fmt.Sprintf("node_%d", i))
		}
	} else {
		a.turn("", 0)
	}
	switch a.upTo(3) {
	case 0:
		a.say("", session.TurnCompleted{Response: words("It is sunny.")})
	case 1:
		a.say("", session.TurnFailed{Error: words("The model is gone.")})
	case 2:
		a.say("", session.TurnInterrupted{})
	}
	return a.facts
}

func (a *author) node(name string) {
	kinds := []string{"core.noop", "core.identity", "core.conformance.mock-agent"}
	kind := kinds[a.upTo(len(kinds)-1)]
	a.say("", session.NodeStarted{Node: name, Type: kind})
	if kind == kinds[2] {
		a.turn("", 0)
	}
	switch a.upTo(4) {
	case 0, 1:
		a.say("", session.NodeEnded{Node: name, Outputs: value(`{"payload":[1,null]}`)})
	case 2:
		a.say("", session.NodeEnded{Node: name, Outputs: value(`17`)})
	case 3:
		a.say("", session.NodeEnded{Node: name, Error: words("It broke.")})
	}
}

// turn is all that an agent does.
func (a *author) turn(agent string, depth int) {
	step := 1
	for ; step <= a.upTo(2)+1 && a.calls < 24; step++ {
		a.step(agent, step, depth)
	}
	a.speak(agent, step)
	if a.coin() {
		a.say(agent, session.Narrated{Step: step, Answer: true, Source: session.FromSummary,
			Text: words("I am done.")})
	}
}

// speak writes the parts of a text as they are spoken.
func (a *author) speak(agent string, step int) {
	index := 0
	for range a.upTo(4) {
		text := words("It could rain today. ")
		if a.upTo(4) == 0 {
			index = 0 // what was spoken before is withdrawn
			if a.coin() {
				text = words("")
			}
		}
		a.say(agent, session.Spoken{Step: step, Index: index, Text: text})
		index++
	}
}

func (a *author) step(agent string, step, depth int) {
	a.speak(agent, step)
	switch a.upTo(4) {
	case 0, 1:
		a.say(agent, session.Narrated{Step: step, Text: words("I look, äöü and 😀."), Source: session.FromModel})
	case 2:
		a.say(agent, session.Narrated{Step: step, Blocked: true})
	case 3:
		a.say(agent, session.Narrated{Step: step, Text: words("It looked."), Source: session.FromSummary})
	}
	var open []session.ToolCalled
	for range a.upTo(2) + 1 {
		a.calls++
		b := a.call(step)
		a.say(agent, b)
		open = append(open, b)
	}
	for _, b := range open {
		a.end(agent, b, depth)
	}
	a.say(agent, session.StepEnded{Step: step})
}

func (a *author) call(step int) session.ToolCalled {
	values := []string{`{}`, `{"decision":"left","x":[1.50,"<b>"]}`, `"text"`, `null`, `17`}
	b := session.ToolCalled{
		Step: step, Call: fmt.Sprintf("call_%d", a.calls), Tool: words("look"), Rationale: session.Fallback(),
		Params: value(values[a.upTo(len(values)-1)]), Decides: a.upTo(3) == 3, Transport: session.MCP,
	}
	if a.coin() {
		b.Rationale = session.Rationale{Text: words("to see whether it rains"), Source: session.FromModel}
	}
	if a.coin() {
		b.Confidence = &session.Confidence{Stated: float64(a.upTo(10)) / 10, Threshold: 0.7, Suppressed: a.coin()}
	}
	if a.coin() {
		b.Group, b.Tool = new(a.calls), words("")
	}
	return b
}

// end is how a call ends, if it does.
func (a *author) end(agent string, b session.ToolCalled, depth int) {
	low := b.Confidence != nil && b.Confidence.Low() && !b.Confidence.Suppressed
	if low || a.upTo(4) == 4 {
		ask := session.ApprovalAsked{Request: "ask-" + b.Call, Call: b.Call, Shown: value(`{}`), LowConfidence: low}
		a.say(agent, ask)
		answers := []session.Answer{session.Approve, session.Deny, session.Expired, session.Withdrawn, ""}
		answer := answers[a.upTo(len(answers)-1)]
		if answer == "" {
			return // nobody answers
		}
		said := session.ApprovalAnswered{Request: ask.Request, Call: b.Call, Answer: answer}
		if a.coin() {
			said.Value = value(`{"decision":"right"}`)
		}
		a.say(agent, said)
		if !answer.Allows() {
			a.say(agent, session.ToolReturned{Call: b.Call, Outcome: session.Rejected, Error: words("denied")})
			return
		}
	}
	if depth < 2 && a.upTo(3) == 3 {
		a.delegate(agent, b.Call, depth)
	}
	switch a.upTo(4) {
	case 0, 1:
		a.say(agent, session.ToolReturned{Call: b.Call, Outcome: session.Success, Result: b.Params,
			Took: time.Second})
	case 2:
		a.say(agent, session.ToolReturned{Call: b.Call, Outcome: session.Errored, Took: time.Millisecond})
	case 3:
		a.say(agent, session.ToolReturned{Call: b.Call, Outcome: session.Cancelled, Error: words("stopped")})
	}
}

func (a *author) delegate(agent, call string, depth int) {
	a.agents++
	child := fmt.Sprintf("helper_%d", a.agents)
	if agent != "" {
		child = agent + "/" + child
	}
	a.say(agent, session.Handoff{Call: call, From: agent, To: child, Text: words("look for me")})
	a.turn(child, depth+1)
	a.say(child, session.Handoff{Call: call, From: child, To: agent, Text: words("I looked")})
}

// randomRun returns the log of a run that these bytes choose.
func randomRun(t testing.TB, choices []byte) []session.Update {
	t.Helper()
	a := &author{chooser: &chooser{choices}}
	nodes := a.coin()
	return recorded(t, randomWorkflow(nodes), a.run(nodes))
}

func randomWorkflow(nodes bool) session.Workflow {
	if nodes {
		return session.Workflow{ID: "conformance-multi-node", Inputs: value(`{"payload":1}`), Spoken: true}
	}
	return session.Workflow{ID: "chat", Spoken: true, Options: value(`{"tags":["a"],"metadata":{"b":1}}`)}
}

// seeds are choices for so many runs, always the same.
func seeds(n, length int) [][]byte {
	random := rand.NewChaCha8([32]byte{18})
	all := make([][]byte, n)
	for i := range all {
		all[i] = make([]byte, length)
		_, _ = random.Read(all[i]) // never fails
	}
	return slices.Clip(all)
}
