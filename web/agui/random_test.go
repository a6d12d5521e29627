package agui

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"candor/safety"
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

// fact is what happened to whom.
type fact struct {
	agent string
	body  session.Body
}

// author writes what a turn may look like: everything that the loop can do, in any
// order in which it can do it.
type author struct {
	*chooser
	calls, agents int
}

var layer = safety.NewLayer()

func words(s string) safety.Text {
	t, _ := layer.Mask(s)
	return t
}

func (a *author) value() safety.JSON {
	all := []string{`{}`, `{"a":[1,null,"x"]}`, `"text"`, `null`, `17`}
	v, _ := layer.CleanJSON([]byte(all[a.upTo(len(all)-1)]))
	return v
}

// turn is all that happens between a turn's start and its end.
func (a *author) turn(agent string, depth int) (facts []fact) {
	step := 1
	for ; step <= a.upTo(2)+1 && a.calls < 24; step++ {
		facts = append(facts, a.step(agent, step, depth)...)
	}
	summary := session.Narrated{Step: step, Answer: true, Source: session.FromSummary}
	switch a.upTo(3) {
	case 1, 2:
		summary.Text = words("I am done.")
	case 3:
		summary.Blocked = true
	default:
		return facts
	}
	return append(facts, fact{agent, summary})
}

func (a *author) step(agent string, step, depth int) (facts []fact) {
	say := func(b session.Body) { facts = append(facts, fact{agent, b}) }
	switch a.upTo(3) {
	case 1, 2:
		say(session.Narrated{Step: step, Text: words("I look."), Source: session.FromModel})
	case 3:
		say(session.Narrated{Step: step, Blocked: true})
	}
	var prompt []string
	var patient [][]fact
	for range a.upTo(3) + 1 {
		a.calls++
		id := fmt.Sprintf("call_%d", a.calls)
		called := session.ToolCalled{Step: step, Call: id, Tool: words("look"), Rationale: session.Fallback(),
			Params: a.value()}
		kind := a.upTo(3)
		called.FrontEnd = kind == 2
		say(called)
		switch {
		case kind == 1:
			say(session.ApprovalAsked{Request: "ask-" + id, Call: id, Description: words("It looks.")})
			patient = append(patient, a.approved(agent, id))
		case kind == 2:
			patient = append(patient, []fact{{agent, a.returned(id)}})
		case kind == 3 && depth < 2:
			patient = append(patient, a.delegated(agent, id, depth))
		default:
			prompt = append(prompt, id)
		}
	}
	if len(patient) > 0 && len(prompt) == 0 {
		say(session.StepWaits{Step: step})
	}
	for _, id := range prompt {
		say(a.returned(id))
	}
	if len(patient) > 0 && len(prompt) > 0 {
		say(session.StepWaits{Step: step})
	}
	facts = append(facts, a.merge(patient)...)
	return append(facts, fact{agent, session.StepEnded{Step: step, Usage: session.Usage{Input: a.upTo(3), Output: 1}}})
}

func (a *author) returned(id string) session.Body {
	if a.coin() {
		return session.ToolReturned{Call: id, Outcome: session.Errored, Error: words("it broke"), Took: time.Second}
	}
	return session.ToolReturned{Call: id, Outcome: session.Success, Result: a.value()}
}

func (a *author) approved(agent, id string) []fact {
	if a.coin() {
		return []fact{
			{agent, session.ApprovalAnswered{Request: "ask-" + id, Call: id, Answer: session.Deny}},
			{agent, session.ToolReturned{Call: id, Outcome: session.Rejected, Error: words("denied")}},
		}
	}
	return []fact{{agent, session.ApprovalAnswered{Request: "ask-" + id, Call: id, Answer: session.Approve}},
		{agent, a.returned(id)}}
}

func (a *author) delegated(agent, id string, depth int) []fact {
	a.agents++
	child := fmt.Sprintf("helper_%d", a.agents)
	if agent != "" {
		child = agent + "/" + child
	}
	facts := []fact{{agent, session.Handoff{Call: id, From: agent, To: child, Text: words("look for me")}}}
	facts = append(facts, a.turn(child, depth+1)...)
	return append(facts, fact{child, session.Handoff{Call: id, From: child, To: agent, Text: words("I looked")}},
		fact{agent, a.returned(id)})
}

// merge takes from several sequences in any order, each in its own.
func (a *author) merge(from [][]fact) (all []fact) {
	from = slices.Clone(from)
	for len(from) > 0 {
		i := a.upTo(len(from) - 1)
		all = append(all, from[i][0])
		if from[i] = from[i][1:]; len(from[i]) == 0 {
			from = slices.Delete(from, i, i+1)
		}
	}
	return all
}

// randomLog is a thread with one to three turns, as a session has it.
func randomLog(t testing.TB, choices []byte) []session.Update {
	t.Helper()
	c := &chooser{choices}
	own, err := session.NewMemory(nil).Open(t.Context(), "ann")
	require.NoError(t, err)
	opened, err := own.OpenThread()
	require.NoError(t, err)
	for range c.upTo(2) + 1 {
		randomTurn(t, c, own, opened.Thread)
	}
	var log []session.Update
	for up, err := range own.Watch(t.Context(), 0) {
		require.NoError(t, err)
		if log = append(log, up); up.Event.Seq == own.Head() {
			break
		}
	}
	return log
}

func randomTurn(t testing.TB, c *chooser, own *session.Session, thread string) {
	t.Helper()
	e, err := own.Accept(thread, words("go on"), nil)
	require.NoError(t, err)
	waits := []session.Event{}
	record := func(agent string, b session.Body) {
		ref := e.Ref
		ref.Agent = agent
		_, err := own.Append(ref, b)
		require.NoError(t, err)
		if c.upTo(20) == 7 && len(waits) == 0 {
			next, err := own.Accept(thread, words("and then"), nil)
			require.NoError(t, err)
			waits = append(waits, next)
		}
	}
	facts := (&author{chooser: c}).turn("", 0)
	end := session.Body(session.TurnCompleted{Response: words("That is it."),
		Usage: session.Usage{Input: 1, Output: 1}})
	if c.coin() {
		facts = facts[:c.upTo(len(facts))]
		end = session.TurnInterrupted{}
		if c.coin() {
			end = session.TurnFailed{Error: words("the model is gone")}
		}
	}
	for _, f := range facts {
		record(f.agent, f.body)
	}
	record("", end)
	for _, next := range waits { // as the chat does: it starts, or it was dropped
		if queued, ok := next.Body.(session.TurnQueued); ok && c.coin() {
			_, err = own.Append(next.Ref, session.TurnStarted{
				Message: queued.Message, Input: queued.Input, Findings: queued.Findings,
			})
			require.NoError(t, err)
		}
		_, err = own.Append(next.Ref, session.TurnInterrupted{})
		require.NoError(t, err)
	}
}
