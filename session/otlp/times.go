package otlp

import (
	"time"

	"candor/session"
)

// times are what the events of a turn say and its fold does not: when steps began and ended, when
// people answered, and when agents were handed their tasks.
type times struct {
	idle     map[string]time.Time // by agent: since when it waits for its model
	steps    map[string]*stepTime // by stepKey
	answered map[string]time.Time // by call: when a person answered
	tasks    map[string]*task     // by call: the task that it hands to an agent
	answer   *stepTime            // the lead agent's step that answered; nil if there is none
}

// stepTime is a model's request for a step: from asked to said. Usage is that of its answer.
type stepTime struct {
	asked, said time.Time
	usage       session.Usage
	stop        session.Stop
}

// task is one that an agent was handed by a call.
type task struct {
	agent    string
	from, to time.Time // to is zero if the agent did not answer
	answer   stepTime
}

// timesOf reads the events of a turn, oldest first.
func timesOf(events []session.Event) times {
	t := times{
		idle: map[string]time.Time{}, steps: map[string]*stepTime{}, answered: map[string]time.Time{},
		tasks: map[string]*task{},
	}
	for _, e := range events {
		t.read(e)
	}
	return t
}

func (t *times) read(e session.Event) {
	switch b := e.Body.(type) {
	case session.TurnStarted:
		t.idle[""] = e.At
	case session.Narrated:
		t.step(e, b.Step).stop = b.Stop
	case session.ToolCalled:
		t.step(e, b.Step)
	case session.StepEnded:
		t.step(e, b.Step).usage = b.Usage
		t.idle[e.Agent] = e.At
	case session.ApprovalAnswered:
		t.answered[b.Call] = e.At
	case session.Handoff:
		t.handoff(e, b)
	case session.TurnCompleted:
		t.answer = &stepTime{t.idle[""], e.At, b.Usage, b.Stop}
	}
}

// step returns the times of a step, which the first of its events begins.
func (t *times) step(e session.Event, number int) *stepTime {
	key := stepKey(e.Agent, number)
	if t.steps[key] == nil {
		t.steps[key] = &stepTime{asked: t.idle[e.Agent], said: e.At}
	}
	return t.steps[key]
}

// handoff reads a task that is passed on, or the answer to it, which comes later.
func (t *times) handoff(e session.Event, b session.Handoff) {
	known := t.tasks[b.Call]
	switch {
	case b.Call == "":
	case known == nil:
		t.tasks[b.Call] = &task{agent: b.To, from: e.At}
		t.idle[b.To] = e.At
	default:
		known.to = e.At
		known.answer = stepTime{t.idle[known.agent], e.At, b.Usage, ""}
	}
}
