package session

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"candor/safety"
)

// Origin says whose turns an observed thread has: those of one participant of a space that
// Candor hears, and not of its own agent. All of it is empty for every other thread.
type Origin struct {
	Protocol    string      // such as mew; ours, never text of others
	Space       safety.Text // where the participant speaks
	Participant safety.Text
}

// Observed reports whether the thread has the turns of somebody else's agent.
func (o Origin) Observed() bool { return o.Protocol != "" }

// AttachedProtocol is the Protocol of threads of attached agents: the sessions of agents that other programs
// run. Participant is the program and Space the last element of the folder in which it works, if that is known.
const AttachedProtocol = "attached"

// Attached reports whether the thread has the turns of an attached agent.
func (o Origin) Attached() bool { return o.Protocol == AttachedProtocol }

// Began returns when the turn began: when its message was accepted, or by the clock of a watched agent, whose turn
// may have begun long before anybody told us of it.
func (t Turn) Began() time.Time {
	if !t.StartedAt.IsZero() && t.StartedAt.Before(t.CreatedAt) {
		return t.StartedAt
	}
	return t.CreatedAt
}

// Asked says who asked for an observed turn, and why. By is empty if nobody is known to have.
type Asked struct {
	By     safety.Text
	Thread string      // of the asking participant; empty if it has none yet
	Turn   int         // in which it asked; 0 if it asked outside of its turns
	Call   string      // by which it asked; empty if it asked by a message
	Reason safety.Text // of that call, or the thought before it; empty if it gave none
	Source Source      // of Reason: FromModel for the reason of the call, FromThought otherwise

	// Unseen says that the turn began before Candor heard of it, so that who asked is unknown.
	Unseen bool
}

// Answered records the answer of an observed turn that has ended, since an agent may conclude
// its reasoning first.
type Answered struct {
	Response   safety.Text
	Conclusion safety.Text // if it came after the end, too
	Findings   []safety.Finding
}

// NoteKind says what a note is.
type NoteKind string

// The kinds of notes.
const (
	NoteChat       NoteKind = "chat"       // a message within the reasoning, of whoever wrote it
	NoteThought    NoteKind = "thought"    // a thought of somebody whose reasoning it is not
	NoteConclusion NoteKind = "conclusion" // likewise, or a further one of its agent
	NoteCancel     NoteKind = "cancel"     // a request to stop, with its reason
	NoteReject     NoteKind = "reject"     // a refusal of a call that was proposed, with its reason
	NoteShutdown   NoteKind = "shutdown"   // a request to the agent to end
	NoteOther      NoteKind = "other"      // anything else, with its kind in the text
)

// Noted records something within an observed turn that is no part of its steps. Every other
// event of such a turn that comes after its end is a note, too, in what a view shows.
type Noted struct {
	From     safety.Text
	To       safety.Text // whom a message was for; empty if it was for everybody
	Kind     NoteKind
	Text     safety.Text
	Late     bool // it came after the end of a part of the turn; the fold sets it after the turn's
	Findings []safety.Finding
}

// NoteAt is a note with its time.
type NoteAt struct {
	Noted
	At time.Time
}

// OpenObserved opens the observed thread with this name, unless it is already open, and
// returns its id. Names of observed threads and of others do not meet.
func (s *Session) OpenObserved(name string, o Origin) (id string, err error) {
	id = s.NamedID("observed/" + name)
	cost := threadCost + textCost(o.Space, o.Participant)
	err = s.charged(cost, func() (int, error) {
		if s.threads[id] != nil {
			return 0, nil
		}
		_, err := s.add(Ref{Thread: id}, ThreadOpened{Origin: o})
		return cost, err
	})
	return id, err
}

// Observe begins the next turn of an observed thread, however many of its turns are open, and
// returns the event with the turn's number. It sets the id of the message. It fails with
// ErrNoThread, with ErrObserved if the thread is not observed, and with ErrFull or
// ErrServerFull.
func (s *Session) Observe(threadID string, b TurnStarted) (e Event, err error) {
	cost := costOf(b) + turnPromise
	err = s.charged(cost, func() (int, error) {
		th, err := s.lookup(threadID)
		if err != nil {
			return 0, err
		}
		if !th.origin.Observed() {
			return 0, fmt.Errorf("thread %s: %w", threadID, ErrObserved)
		}
		b.Message = s.nextID("message")
		e, err = s.add(Ref{Thread: threadID, Turn: th.total() + 1}, b)
		return cost, err
	})
	return e, err
}

// foldBefore returns the turn of a late event right before that event, folded from the log: the
// session's own fold of it may be further. It is the zero value if the turn was dropped.
func (s *Session) foldBefore(e Event) (f folding, err error) {
	first, ok := s.firstOf(e.turn())
	if !ok {
		return folding{}, nil
	}
	events, err := s.log.between(first, e.Seq)
	for _, before := range events {
		if before.turn() == e.turn() {
			f = f.apply(before)
		}
	}
	return f, err
}

// firstOf returns the number of a turn's first event, and whether there is such a turn.
func (s *Session) firstOf(r Ref) (first uint64, ok bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if th := s.threads[r.Thread]; th != nil {
		if m := th.mark(r.Turn); m != nil {
			return m.first, true
		}
	}
	return 0, false
}

// follows reports whether a body may follow the end of an observed turn: everything that is no
// further end. A second start tells who asked, if that became known only then. Only a rating
// may follow the end of any turn, and [Session.Rate] sees to it.
func follows(b Body) bool {
	switch b.(type) {
	case TurnStarted, Answered, Noted, Narrated, ToolCalled, ToolReturned, StepEnded, Handoff, DecisionRated, Sighted:
		return true
	case ApprovalAnswered:
		return true // a process that waits may hear of the end first
	}
	return false
}

// applyObserved folds the events that only observed turns have.
func (t Turn) applyObserved(e Event) Turn {
	switch b := e.Body.(type) {
	case Answered:
		t.Conclusion = cmp.Or(t.Conclusion, b.Conclusion)
		return t.answered(b.Response, b.Findings)
	case TurnStarted:
		t.Input, t.Asked = b.Input, b.Asked
		return t
	case Noted:
		return t.note(e, b)
	case Sighted:
		return t.sight(e, b).project()
	}
	return t
}

// note returns the turn with a note at its end.
func (t Turn) note(e Event, b Noted) Turn {
	b.Late = b.Late || t.State.Ended()
	// Clip makes append copy, so that two snapshots never share a tail.
	t.Notes = append(slices.Clip(t.Notes), NoteAt{Noted: b, At: e.At})
	t.Findings = Merge(t.Findings, b.Findings)
	return t
}

// answered returns the turn with its answer, unless that is empty. What the agent said within
// its turn is no note once it has become the answer, and is one again when another text does.
func (t Turn) answered(response safety.Text, f []safety.Finding) Turn {
	t.Findings = Merge(t.Findings, f)
	if response.Empty() {
		return t
	}
	notes := slices.Clone(t.Notes)
	if t.answerNote != nil {
		notes = append(notes, *t.answerNote)
		slices.SortStableFunc(notes, func(a, b NoteAt) int { return a.At.Compare(b.At) })
	}
	at := lastIndex(notes, func(n NoteAt) bool {
		return n.Kind == NoteChat && n.Text.String() == response.String()
	})
	t.Response, t.Notes, t.answerNote = response, notes, nil
	if at >= 0 {
		t.answerNote, t.Notes = &notes[at], slices.Delete(slices.Clone(notes), at, at+1)
	}
	return t
}

// Profile says who an agent is, for people: its name, the model that it asks and the effort of reasoning that
// the model is told to make. What nobody said is empty.
type Profile struct{ Name, Model, Effort safety.Text }

// Words returns the profile in a line, such as "helper (gpt-5-mini, effort high)". An agent without a name has
// the given id.
func (p Profile) Words(id string) string {
	words := p.Name.String()
	if words == "" {
		words = id
	}
	about := p.Model.String()
	if effort := p.Effort.String(); effort != "" {
		if about != "" {
			about += ", "
		}
		about += "effort " + effort
	}
	if about == "" {
		return words
	}
	return words + " (" + about + ")"
}
