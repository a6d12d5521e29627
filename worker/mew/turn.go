package mew

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"candor/session"
)

// turn is the answer to one question. Its start opens a context, in which everything that leads
// to the answer is said.
type turn struct {
	*member
	trigger envelope
	cancel  context.CancelCauseFunc

	lock     sync.Mutex // guards the fields below; it may be taken while the member's is held
	start    string     // id of the start; empty if the space does not allow the participant to reason
	answerID string     // id of the answer
	contexts []string   // ids of the starts of the turn and of its sub-agents
	paths    map[string]string
	calls    map[string]*ownCall // by the turn's ids
	stopped  string              // who stopped the turn, and why; empty if nobody did
	live     liveText
	fold     session.Turn
	events   uint64
}

// newTurn returns a turn that has not begun.
func newTurn(m *member, trigger envelope, cancel context.CancelCauseFunc) *turn {
	return &turn{
		member: m, trigger: trigger, cancel: cancel, paths: map[string]string{}, calls: map[string]*ownCall{},
	}
}

// begin tells the space that the participant thinks about the question.
func (t *turn) begin(question string) {
	cleaned, _ := t.layer().Mask(question)
	t.observe("", session.TurnStarted{Input: cleaned})
	e, err := newEnvelope("reasoning/start", object{}) // nothing is thought yet
	if err != nil {
		return
	}
	if t.open("", e.ID, e.ID); t.say(e.about(t.trigger.ID)) == "" {
		t.open("", "", "")
		return
	}
	t.openLiveText()
}

// open notes the context of an agent of the turn, and the id of its start. It is called before
// the start is said, so that nothing that refers to it comes too early.
func (t *turn) open(agentID, path, start string) {
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.paths[agentID] = path; agentID == "" {
		t.start = start
	}
	if start != "" {
		t.contexts = append(t.contexts, start)
	}
}

// newRecorder returns the recorder of the turn's lead agent.
func (t *turn) newRecorder() recording {
	r := &recorder{turn: t}
	if len(t.Approvers) > 0 {
		return &askingRecorder{r}
	}
	return r
}

// observe folds an event into the turn as later turns remember it.
func (t *turn) observe(agentID string, b session.Body) {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.events++
	t.fold = t.fold.Apply(session.Event{
		Seq: t.events, At: time.Now().UTC(), Ref: session.Ref{Turn: 1, Agent: agentID}, Body: b,
	})
}

// folded returns the turn as it ended, and the ids of what the participant said in it.
func (t *turn) folded() (f session.Turn, said []string) {
	t.lock.Lock()
	defer t.lock.Unlock()
	return t.fold, append(slices.Clone(t.contexts), t.answerID)
}

// owns reports whether a message belongs to the turn's reasoning, or to one below it.
func (t *turn) owns(e envelope) bool {
	t.lock.Lock()
	defer t.lock.Unlock()
	return slices.ContainsFunc(e.contexts(), func(id string) bool { return slices.Contains(t.contexts, id) })
}

// interrupt stops the turn. From now on it says nothing but how its calls and the turn end.
func (t *turn) interrupt(why string) {
	t.lock.Lock()
	t.stopped = cmp.Or(t.stopped, why)
	t.lock.Unlock()
	t.cancel(nil)
}

// hasStopped reports whether somebody stopped the turn.
func (t *turn) hasStopped() bool {
	t.lock.Lock()
	defer t.lock.Unlock()
	return t.stopped != ""
}

// path returns the context of an agent of the turn.
func (t *turn) path(agentID string) string {
	t.lock.Lock()
	defer t.lock.Unlock()
	return t.paths[agentID]
}

// breakOff says that the turn was stopped.
func (t *turn) breakOff() {
	t.lock.Lock()
	why := cmp.Or(t.stopped, "Stopped, because the participant leaves the space.")
	t.lock.Unlock()
	t.conclude(object{"cancelled": true, "message": why})
}

// conclude ends the turn's reasoning.
func (t *turn) conclude(payload object) {
	if t.start != "" {
		t.tell("reasoning/conclusion", t.start, nil, payload)
	}
}

// sayAnswer sends the answer to everybody, as the question was. It belongs to no context.
func (t *turn) sayAnswer(text string) {
	id := t.tell("chat", "", nil, object{"text": text, "format": "markdown"}, t.trigger.ID, t.start)
	t.lock.Lock()
	defer t.lock.Unlock()
	t.answerID = id
}

// finish closes what the turn still has open.
func (t *turn) finish() {
	t.closeLiveText()
	t.lock.Lock()
	calls := t.calls
	t.calls = map[string]*ownCall{}
	t.lock.Unlock()
	for _, c := range calls {
		t.forgetCall(c)
	}
}

// firstSentence returns the beginning of a text: its first sentence or line, and no more than
// 300 characters.
func firstSentence(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if end := strings.Index(line, ". "); end >= 0 {
		line = line[:end+1]
	}
	if short := []rune(line); len(short) > 300 {
		return string(short[:300]) + "…"
	}
	return line
}
