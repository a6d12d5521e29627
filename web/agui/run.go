package agui

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"candor/session"
	"candor/web/access"
	"candor/web/problem"
)

// segment is the part of a thread's log that a run shows: what happens to one turn
// after a place.
type segment struct {
	session *session.Session
	turn    session.Turn
	from    uint64
	about   session.Event
	fresh   bool // the turn begins with this run
	answers []answer
}

// post: POST /agui takes a RunAgentInput and streams a run.
func (s *Server) post(w http.ResponseWriter, r *http.Request, who access.Caller) error {
	place, leave, err := s.enter(who.User)
	if err != nil {
		return err
	}
	defer leave()
	body, err := problem.ReadBody(r)
	if err != nil {
		return err
	}
	in, err := parseInput(body)
	if err != nil {
		return err
	}
	asked, err := in.level()
	if err != nil {
		return err
	}
	own, err := s.Store.Open(r.Context(), who.User)
	if err != nil {
		return err
	}
	if err := s.name(who.User, place, in.RunID); err != nil {
		return err
	}
	thread := threadOf(own, in.ThreadID)
	seg, err := s.act(r.Context(), own, thread, who.User, in)
	if err != nil {
		return err
	}
	s.states.put(own.ID(), thread, in.State, s.Safety)
	p := NewProjector(s.view(who, in.ThreadID, thread, asked, in.version1()))
	for _, a := range seg.answers {
		p.Expect(a.call.ID, a.approval == "")
	}
	s.stream(r.Context(), s.open(w), seg, p, in)
	return nil
}

// act does what the input asks for: it answers calls that wait, or begins a turn. An
// error means that nothing was done.
func (s *Server) act(ctx context.Context, own *session.Session, thread, user string, in *Input) (segment, error) {
	if err := s.Chat.Allow(in.Tools); err != nil {
		return segment{}, toolProblem(err)
	}
	h, err := own.History(thread, session.Page{Limit: recentTurns})
	if err != nil && !errors.Is(err, session.ErrNoThread) {
		return segment{}, err
	}
	answers, err := in.answers(h.Turns)
	if err != nil {
		return segment{}, err
	}
	if in.last().Role == "user" {
		return s.begin(ctx, own, thread, user, in, answers)
	}
	if len(answers) == 0 {
		return segment{}, problem.New(http.StatusBadRequest, "nothing_new",
			"The last message has to be the user's, or the result of a call that waits; or resume has to answer an interrupt.")
	}
	return s.resume(ctx, own, user, in, answers)
}

func toolProblem(err error) error {
	bad, ok := errors.AsType[*ToolError](err)
	if !ok {
		return err
	}
	return problem.New(http.StatusBadRequest, "bad_tool", "A tool of the input's cannot be used: "+bad.Why+".").With("index", bad.Place)
}

// resume answers calls and goes on with their turn from where the client left it.
func (s *Server) resume(ctx context.Context, own *session.Session, user string, in *Input, answers []answer) (segment, error) {
	t := answers[0].turn
	if t.State.Ended() && !slices.ContainsFunc(answers, func(a answer) bool { return a.approval != "" }) {
		return segment{}, problem.New(http.StatusConflict, "call_over",
			"The call does not wait for its result any more: it was answered, or it was too late, or its turn was stopped.")
	}
	seg := segment{session: own, turn: t, answers: answers}
	seg.from, seg.about = s.left(ctx, own, t, in)
	for _, a := range answers {
		if err := s.give(ctx, user, a); err != nil {
			return segment{}, err
		}
	}
	return seg, nil
}

// left is where the run ended that showed the client this turn last: where the turn
// waited, before anything that the client has not been told.
func (s *Server) left(ctx context.Context, own *session.Session, t session.Turn, in *Input) (uint64, session.Event) {
	told := map[string]bool{}
	for _, m := range in.Messages {
		told[m.ToolCallID] = true
	}
	var at uint64
	var last session.Event
	for up, err := range own.Watch(ctx, t.FirstSeq-1) {
		if err != nil || up.Event.Seq > t.LastSeq {
			break
		}
		if up.Event.Thread == t.Thread && up.Event.Turn == t.Number {
			last = up.Event
			if b, ok := last.Body.(session.ToolReturned); ok && at > 0 && !told[callID(t.Number, b.Call)] {
				break
			}
			if up.Turn.Waiting() != nil {
				at = up.Event.Seq
			}
		}
		if up.Event.Seq >= t.LastSeq {
			break
		}
	}
	if at == 0 {
		at = t.FirstSeq
	}
	return at, last
}

// begin posts the user's message, after the answers that come with it. A turn that
// waits for an answer which did not come is stopped: its user has gone on.
func (s *Server) begin(ctx context.Context, own *session.Session, thread, user string, in *Input, answers []answer) (segment, error) {
	content := in.last()
	words := Words{Content: content.words(), Tools: in.Tools}
	if strings.TrimSpace(words.Content) == "" {
		return segment{}, problem.New(http.StatusBadRequest, "empty_content", "The last message is blank. Say something to the agent.")
	}
	known, err := own.Thread(thread)
	words.Before = in.before(err != nil || known.Turns == 0)
	if err != nil {
		if thread, err = own.OpenNamed(in.ThreadID); err != nil {
			return segment{}, err
		}
	}
	for _, a := range answers {
		if err := s.give(ctx, user, a); err != nil {
			return segment{}, err
		}
	}
	if len(answers) == 0 && known.Turns > 0 {
		if t, err := own.Turn(thread, known.Turns); err == nil && t.Waiting() != nil {
			_, _ = s.Chat.Interrupt(ctx, user, thread) // it may have gone on just now
		}
	}
	s.unseal(user, thread, in)
	e, err := s.Chat.Post(ctx, user, thread, words)
	if err != nil {
		return segment{}, err
	}
	return segment{session: own, turn: session.Turn{Thread: thread, Number: e.Turn}, from: e.Seq - 1, about: e, fresh: true}, nil
}

// unseal takes back what the model wants to see again, for steps of which we hold
// nothing any more.
func (s *Server) unseal(user, thread string, in *Input) {
	refused := 0
	for _, m := range in.Messages {
		for _, c := range m.ToolCalls {
			turn, call, ok := parseCallID(c.ID)
			if c.EncryptedValue == "" || !ok {
				continue
			}
			if s.Seals.RestoreReasoning(user, thread, turn, call, c.EncryptedValue) != nil {
				refused++
			}
		}
	}
	if refused > 0 {
		s.Log.Warn("a client brought encrypted reasoning that is not ours, or not of this thread", "values", refused)
	}
}

// stream shows the segment until its run ends or the client has gone. The turn does
// not depend on it.
func (s *Server) stream(ctx context.Context, out *writer, seg segment, p *Projector, in *Input) {
	seg.about.Ref = session.Ref{Thread: seg.turn.Thread, Turn: seg.turn.Number}
	out.send(p.Begin(in.RunID, in.ParentRunID, seg.about)...)
	if seg.turn.LastSeq > 0 && seg.turn.LastSeq <= seg.from {
		if now, err := seg.session.Turn(seg.turn.Thread, seg.turn.Number); err == nil && now.LastSeq <= seg.from {
			out.send(p.Pause(now)...) // it was answered in part only
		}
	}
	for up := range s.follow(ctx, seg.session, seg.from, out, p.Open) {
		if up.Event.Thread != seg.turn.Thread || up.Event.Turn != seg.turn.Number {
			continue
		}
		events := p.Project(up.Turn, up.Event)
		if _, starts := up.Event.Body.(session.TurnStarted); starts && seg.fresh {
			events = append(s.lacking(ctx, seg, p.View, in, up.Event.Seq), events...)
		}
		out.send(events...)
	}
	out.send(p.Break("stopped", "The server stopped before the run ended.")...)
}

// lacking is a snapshot of the thread where the client's own list has not all of it,
// because others wrote to it, or because the client has just come.
func (s *Server) lacking(ctx context.Context, seg segment, view View, in *Input, before uint64) []Event {
	h, err := seg.session.History(seg.turn.Thread, session.Page{})
	if err != nil || in.has(h.Turns[:seg.turn.Number-1]) {
		return nil
	}
	view.Words = true
	all := NewProjector(view)
	var events []Event
	for up, err := range seg.session.Watch(ctx, 0) {
		if err != nil || up.Event.Seq > before {
			break
		}
		if up.Event.Thread == seg.turn.Thread {
			events = append(events, all.Project(up.Turn, up.Event)...)
		}
	}
	return []Event{in.restate(reduce(events), h.Turns[:seg.turn.Number-1])}
}
