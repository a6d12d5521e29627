package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"candor/safety"
	"candor/safety/thinking"
	"candor/session"
)

// nudge is shown to the model in the last step in which it may call tools, one before the limit of steps.
const nudge = "You are close to the limit of tool calls for this turn. " +
	"Answer in the next step with what you have."

// agentRun is the run of one agent within a turn: the main agent, or a sub-agent that a
// Delegate started. It belongs to the goroutine that runs it.
type agentRun struct {
	*Dispatcher
	// Safety is the dispatcher's layer with the turn's memory. It hides the dispatcher's, so
	// that nothing of a run is cleaned without it.
	Safety   *safety.Layer
	rec      Recorder
	agent    string // the sub-agent's id; empty for the main agent
	messages []Message
	own      []boundTool   // tools that only this turn has
	worked   time.Duration // what the running step has cost besides its model, its tools and waiting
	mistakes int           // steps in a row without a call that could run
	*turnTotals
}

// turnTotals are the counters that all agents of a turn share. They are safe for
// concurrent use.
type turnTotals struct {
	budget
	calls  atomic.Int64 // calls made; the source of their ids
	groups atomic.Int64 // parallel groups that ran
	agents atomic.Int64 // sub-agents that were started
	seen   *safety.SeenSecrets

	threshold *float64 // of confidence, of this turn alone; nil if it has none
}

// seenBy returns the recorder's memory, or a new one.
func seenBy(rec Recorder) *safety.SeenSecrets {
	if k, ok := rec.(SecretKeeper); ok {
		return k.Seen()
	}
	return safety.NewSeenSecrets()
}

// loop asks the model step by step until it answers without calling a tool. In the last
// step but one it asks the model to come to an end, and in the last step it offers no
// tools.
func (r *agentRun) loop(ctx context.Context) (answer Response, err error) {
	limit := r.MaxSteps
	if limit == 0 {
		limit = DefaultMaxSteps
	}
	for number := 1; number <= limit; number++ {
		tools := r.offered()
		req := Request{Tools: slices.Clone(tools.specs)}
		switch number {
		case limit:
			req.Tools = nil
		case limit - 1:
			r.messages = append(r.messages, Message{Role: RoleSystem, Text: nudge})
		}
		req.Messages = r.messages
		resp, err := r.respond(ctx, number, req, tools)
		if err != nil {
			return Response{}, fmt.Errorf("the model provider failed: %w", err)
		}
		if len(resp.Calls) == 0 && (resp.Stop.NoAnswer() || resp.Stop == session.StopPaused && number < limit) {
			if err := r.unanswered(number, resp); err != nil {
				return Response{}, err
			}
			continue
		}
		if len(resp.Calls) == 0 || (number == limit && strings.TrimSpace(resp.Text) != "") {
			r.answer(ctx, number, resp)
			return resp, nil
		}
		if number == limit {
			break
		}
		if !r.reserve(resp.size()) {
			return Response{}, r.exceeded()
		}
		r.step(ctx, number, resp, tools)
		switch {
		case ctx.Err() != nil:
			return Response{}, ctx.Err()
		case r.full.Load():
			return Response{}, r.unrecordable()
		}
		if err := r.mistaken(resp); err != nil {
			return Response{}, err
		}
	}
	return Response{}, fmt.Errorf("%w in %d steps", ErrTooManySteps, limit)
}

// respond asks the model, and passes on what it says meanwhile. If the turn is stopped or
// fails before the step is complete, what the model has said is recorded.
func (r *agentRun) respond(ctx context.Context, step int, req Request, tools *toolset) (Response, error) {
	s := r.listen(step, &req)
	resp, err := r.ask(ctx, req)
	if err != nil {
		s.breakOff()
		return resp, err
	}
	began := time.Now()
	resp = tools.written(resp)
	r.learn(resp)
	r.worked = time.Since(began)
	s.end(resp.Text)
	return resp, nil
}

// learn cleans a response that calls tools, for what its texts and arguments name. The first
// of its events is then recorded with the knowledge of them all: a narrative may use a
// password that only an argument names.
func (r *agentRun) learn(resp Response) {
	if len(resp.Calls) == 0 {
		return
	}
	r.Safety.Mask(resp.Text)
	r.Safety.Mask(resp.Summary)
	for _, c := range resp.Calls[:min(len(resp.Calls), maxStepCalls+1)] {
		r.Safety.CleanJSON(c.Arguments)
		r.Safety.Mask(c.Reasoning)
	}
}

// ask calls the provider. A panic in the provider becomes its error.
func (r *agentRun) ask(ctx context.Context, req Request) (resp Response, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return r.Provider.Respond(ctx, req)
}

// step records the narrative, runs the calls, and appends both to the conversation.
func (r *agentRun) step(ctx context.Context, number int, resp Response, tools *toolset) {
	began := time.Now()
	r.recordNarrative(number, resp)
	b := r.newBatch(number, resp, tools)
	r.keep(b.attempts[0].id, resp.Opaque)
	b.preflight(ctx)
	r.worked += time.Since(began)
	b.run(ctx)
	r.record(session.StepEnded{Step: number, Usage: session.Usage(resp.Usage), Spent: r.spent(resp)})
	if r.OnStep != nil {
		r.OnStep(r.worked)
	}
	r.messages = append(r.messages, b.messages(resp)...)
}

// answer records the reasoning behind the step that answers, and keeps what its provider
// wants back. The answer itself is recorded by the caller, afterwards. The answer of a
// turn that was stopped meanwhile is recorded as its narrative, since the turn has none.
func (r *agentRun) answer(ctx context.Context, number int, resp Response) {
	if ctx.Err() != nil {
		r.recordNarrative(number, resp)
		return
	}
	n := session.Narrated{
		Step: number, Answer: true, Source: session.FromSummary, Stop: resp.Stop, Sealed: sealed(resp),
	}
	r.narrate(n, resp.Summary)
	r.keep("", resp.Opaque)
}

// keep hands a step's opaque reasoning to the recorder. call is the step's first call, or
// empty for the step that answers. It is called before the call or the answer is
// recorded, so that whoever reads the record finds the items.
func (r *agentRun) keep(call string, items []Opaque) {
	if k, ok := r.rec.(OpaqueKeeper); ok && len(items) > 0 {
		k.Keep(call, items)
	}
}

// recordNarrative records the text before the calls, with the provider's summary of the step beside it, or the
// summary alone if there is no text. It also records what the provider sealed, and why the model stopped.
func (r *agentRun) recordNarrative(step int, resp Response) {
	n, raw := session.Narrated{Step: step, Source: session.FromModel, Stop: resp.Stop, Sealed: sealed(resp)}, resp.Text
	if thinking.Strip(raw) == "" {
		n.Source, raw = session.FromSummary, resp.Summary
	} else if thought := thinking.Strip(resp.Summary); thought != "" {
		text, report := r.Safety.Clean(thought)
		n.Thought, n.Findings, n.ThoughtBlocked = text, report.Findings, report.Verdict == safety.Blocked
		r.warnChanged("thought", step, report)
	}
	r.narrate(n, raw)
}

// narrate cleans a narrative and records it as n, or without its text if safety blocks
// it. An empty one is recorded only where reasoning is sealed, or where the model was neither done nor called tools,
// and has no source.
func (r *agentRun) narrate(n session.Narrated, raw string) {
	if raw = thinking.Strip(raw); raw == "" {
		if n.Sealed.Known() || n.Stop != "" {
			n.Source = ""
			r.record(n)
		}
		return
	}
	text, report := r.Safety.Clean(raw)
	n.Text, n.Findings, n.Blocked = text, session.Merge(n.Findings, report.Findings), report.Verdict == safety.Blocked
	r.warnChanged("narrative", n.Step, report)
	r.record(n)
}

// record passes an event to the recorder. A failure is counted and logged. It does not stop
// the turn at once, but one whose events are not kept, for lack of room or by the storage, ends with the step.
func (r *agentRun) record(b session.Body) error {
	r.used.Add(overhead)
	err := r.rec.Record(b)
	if err != nil {
		r.unrecorded.Add(1)
		r.Log.Warn("event not recorded", "event", fmt.Sprintf("%T", b), "error", err)
	}
	lost := errors.Is(err, session.ErrStorage) || errors.Is(err, session.ErrDamaged)
	if lost {
		r.lost.Store(true)
	}
	if lost || isFull(err) {
		r.full.Store(true)
	}
	return err
}

// warnChanged logs that the safety layer withheld or truncated a text, without the text.
func (r *agentRun) warnChanged(what string, step int, report safety.Report) {
	switch {
	case report.Verdict == safety.Blocked:
		r.Log.Warn("safety withheld text", "what", what, "step", step, "findings", report.Findings)
	case report.Truncated:
		r.Log.Warn("safety truncated text", "what", what, "step", step)
	}
}

// maxValue bounds what a person says beside an answer, in bytes.
const maxValue = 64 << 10

// ErrValue means that what came beside an answer is not JSON, or is too long.
var ErrValue = fmt.Errorf("what is said beside an answer has to be JSON of at most %d bytes", maxValue)

// Reply is how a question about a call was answered.
type Reply struct {
	Answer session.Answer
	Value  json.RawMessage // what the person said beside it, raw; nil if nothing

	edited *Edited // the arguments as the person changed them; nil if they did not
}

// ReplyOf returns how the question about the call for which a tool runs was answered. It is zero
// if nobody was asked.
func ReplyOf(ctx context.Context) Reply {
	site, _ := ctx.Value(callSiteKey{}).(callSite)
	return site.reply
}

// Approve is Answer with nothing beside the answer.
func (c *Chat) Approve(ctx context.Context, user, request string, answer session.Answer) (session.Ref, error) {
	return c.Answer(ctx, user, request, answer, nil)
}

// Answer answers a user's open question about a call with session.Approve, Always or Deny, and
// returns the turn of the call. value is what the person says beside the answer, such as another
// decision: the log gets it cleaned, and the call as it is, by [ReplyOf]. It may be empty or
// null.
//
// Answer fails with session.ErrNoApproval if the user has no such question open. It fails with
// session.ErrNotAlways if the question does not offer Always, and with ErrValue; the question
// then stays open.
func (c *Chat) Answer(
	ctx context.Context, user, request string, reply session.Answer, value json.RawMessage,
) (session.Ref, error) {
	value = bytes.Clone(bytes.TrimSpace(value))
	switch {
	case len(value) == 0, string(value) == "null":
		value = nil
	case len(value) > maxValue, !json.Valid(value):
		return session.Ref{}, ErrValue
	}
	ref, err := c.approvals.answer(user, request, Reply{Answer: reply, Value: value})
	if errors.Is(err, session.ErrNoApproval) {
		return c.answerElsewhere(ctx, user, request,
			turnCommand{Answer: &answerCommand{user, request, reply, value}})
	}
	return ref, err
}
