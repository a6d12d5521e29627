package agui

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"candor/session"
	"candor/web"
	"candor/web/access"
	"candor/web/problem"
	"candor/web/sse"
)

// segment is the part of a thread's log that a run shows: the events of one turn after a
// position.
type segment struct {
	session *session.Session
	turn    session.Turn
	from    uint64        // the sequence number before its first event
	about   session.Event // an event of the turn
	fresh   bool          // the turn begins with this run
	replies []reply
}

// post handles POST /agui: it takes a RunAgentInput and streams a run, which ends with
// RUN_FINISHED or RUN_ERROR. The input is validated before the stream begins, so an invalid
// one gets a problem as JSON and changes nothing.
//
// Errors: invalid_input, bad_tool, bad_payload, empty_content; nothing_new if the input has
// no new message or answer; no_interrupt, not_always, call_over for answers that do not
// fit; run_open, too_many_runs; result_too_large; and those of posting a message.
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
	if _, err := sse.Read(r); err != nil {
		return web.BadCursor(err)
	}
	level, err := in.level()
	if err != nil {
		return err
	}
	own, err := s.options.Store.Open(r.Context(), who.User)
	if err != nil {
		return err
	}
	if err := s.name(who.User, place, in.RunID); err != nil {
		return err
	}
	thread := threadOf(own, in.ThreadID)
	if ok, err := s.answerCommand(w, r, who, own, thread, level, in); ok || err != nil {
		return err
	}
	seg, err := s.act(r.Context(), own, thread, who.User, in)
	if err != nil {
		return err
	}
	s.states.put(who.User, own.ID(), thread, in.State, s.options.Safety.Remember(own.Seen()))
	p := NewProjector(s.view(who, in.ThreadID, thread, level, in.version1()))
	for _, a := range seg.replies {
		p.Expect(a.call.ID, a.approval == "")
	}
	s.stream(r.Context(), s.open(w, r), seg, p, in)
	return nil
}

// act carries out the input: it answers waiting calls, or begins a turn.
func (s *Server) act(
	ctx context.Context, own *session.Session, thread, user string, in *Input,
) (segment, error) {
	if err := s.options.Chat.Allow(ctx, in.Tools); err != nil {
		return segment{}, s.toolProblem(own, err, in.Tools)
	}
	h, err := own.History(thread, session.Page{Limit: recentTurns})
	if err != nil && !errors.Is(err, session.ErrNoThread) {
		return segment{}, err
	}
	replies, err := in.replies(h.Turns)
	if err != nil {
		return segment{}, err
	}
	if in.last().Role == "user" {
		if t, found := in.ran(own, h.Turns); found {
			return again(ctx, own, t)
		}
		return s.begin(ctx, own, thread, user, in, replies)
	}
	if len(replies) == 0 {
		return segment{}, problem.New(http.StatusBadRequest, "nothing_new",
			"The last message has to be a user message, or the result of a waiting call; "+
				"or resume has to answer an interrupt.")
	}
	return s.resume(ctx, own, user, in, replies)
}

// message returns the id of the message of the run that the input begins. A client that did not see the end of a run
// posts the same input again.
func (in *Input) message(own *session.Session) string {
	last := in.last()
	return own.MessageID(strings.Join([]string{"agui", in.ThreadID, in.RunID, last.ID, last.words()}, "\x00"))
}

// ran returns the turn of an input that was posted before, the latest ones given.
func (in *Input) ran(own *session.Session, turns []session.Turn) (t session.Turn, found bool) {
	id := in.message(own)
	at := slices.IndexFunc(turns, func(t session.Turn) bool { return t.Message == id })
	if at < 0 {
		return session.Turn{}, false
	}
	return turns[at], true
}

// again returns a turn from its beginning.
func again(ctx context.Context, own *session.Session, t session.Turn) (segment, error) {
	seg := segment{session: own, turn: session.Turn{Thread: t.Thread, Number: t.Number}, from: t.FirstSeq - 1,
		fresh: true}
	for up, err := range own.Watch(ctx, seg.from) {
		if err != nil {
			return segment{}, err
		}
		seg.about = up.Event
		break
	}
	return seg, nil
}

// toolProblem is the answer to an error of Chat.Allow. It names the tool, cleaned.
func (s *Server) toolProblem(own *session.Session, err error, tools []InputTool) error {
	bad, ok := errors.AsType[*ToolError](err)
	if !ok {
		return err
	}
	p := problem.New(http.StatusBadRequest, "bad_tool", "A tool in the input cannot be used: "+bad.Why+".").
		With("index", bad.Place)
	if bad.Place < len(tools) {
		name, _ := s.options.Safety.Remember(own.Seen()).Mask(tools[bad.Place].Name)
		p = p.With("tool", name.String())
	}
	return p
}

// begin posts the user's message, after the answers in the same input. If the running
// turn waits for an answer that the input does not have, begin interrupts it: the user
// has moved on.
func (s *Server) begin(
	ctx context.Context, own *session.Session, thread, user string, in *Input, replies []reply,
) (segment, error) {
	last := in.last()
	prompt := Prompt{Content: last.words(), Message: in.message(own), Tools: in.Tools}
	if strings.TrimSpace(prompt.Content) == "" {
		return segment{}, problem.New(http.StatusBadRequest, "empty_content",
			"The last message is blank. Write a message to the agent.")
	}
	known, err := own.Thread(thread)
	prompt.Context = in.contextLines(err != nil || known.Turns == 0)
	if err != nil {
		if thread, err = own.OpenNamed(in.ThreadID); err != nil {
			return segment{}, err
		}
	}
	for _, a := range replies {
		if err := s.deliver(ctx, user, a); err != nil {
			return segment{}, err
		}
	}
	if len(replies) == 0 && known.Turns > 0 {
		if t, err := own.Turn(thread, known.Turns); err == nil && t.Waiting() != nil {
			_, _ = s.options.Chat.Interrupt(ctx, user, thread) // fails if the turn has just ended
		}
	}
	s.restoreReasoning(user, thread, in)
	e, err := s.options.Chat.Post(ctx, user, thread, prompt)
	if err != nil {
		return segment{}, err
	}
	t := session.Turn{Thread: thread, Number: e.Turn}
	return segment{session: own, turn: t, from: e.Seq - 1, about: e, fresh: true}, nil
}

// restoreReasoning takes back the encrypted reasoning that the client carried, for steps
// whose reasoning the server does not have any more. Values on entities that are not ours
// are ignored.
func (s *Server) restoreReasoning(user, thread string, in *Input) {
	refused := 0
	restore := func(turn int, call, value string) {
		if value != "" && s.options.Cipher.RestoreReasoning(user, thread, turn, call, value) != nil {
			refused++
		}
	}
	for _, m := range in.Messages {
		if turn, ok := parseNarrativeID(m.ID); ok {
			restore(turn, "", m.EncryptedValue)
		}
		for _, c := range m.ToolCalls {
			if turn, call, ok := parseCallID(c.ID); ok {
				restore(turn, call, c.EncryptedValue)
			}
		}
	}
	if refused > 0 {
		s.options.Log.Warn("a client sent encrypted reasoning that is not ours or not of this thread",
			"values", refused)
	}
}

// stream sends the segment until its run ends or the client has gone, which does not
// affect the turn.
func (s *Server) stream(ctx context.Context, out writer, seg segment, p *Projector, in *Input) {
	seg.about.Ref = session.Ref{Thread: seg.turn.Thread, Turn: seg.turn.Number}
	out.send(p.Begin(in.RunID, in.ParentRunID, seg.about)...)
	if seg.turn.LastSeq > 0 && seg.turn.LastSeq <= seg.from {
		if now, err := seg.session.Turn(seg.turn.Thread, seg.turn.Number); err == nil && now.LastSeq <= seg.from {
			out.send(p.Pause(now)...) // only some of its calls were answered
		}
	}
	for up := range s.follow(ctx, seg.session, seg.from, out, p.Open) {
		if _, dropped := up.Event.Body.(session.Dropped); dropped && seg.isGone() {
			out.send(p.Break("dropped", "The turn was dropped from memory before all of it was sent.")...)
			return
		}
		if erases(up.Event, seg.turn.Thread) {
			out.send(p.Erase(up.Event)...)
			return
		}
		if up.Event.Thread != seg.turn.Thread || up.Event.Turn != seg.turn.Number {
			continue
		}
		events := p.Project(up.Turn, up.Event)
		if _, starts := up.Event.Body.(session.TurnStarted); starts && seg.fresh {
			events = append(s.missing(ctx, seg, p.View, in, up.Event.Seq), events...)
		}
		out.send(events...)
	}
	out.send(p.Break("stopped", "The server stopped before the run ended.")...)
}

// erases reports whether an event tells that a thread was deleted. What the thread had been is no longer in the
// log, so that a reader who was behind would wait for its end without end.
func erases(e session.Event, thread string) bool {
	_, erased := e.Body.(session.Erased)
	return erased && e.Thread == thread
}

// isGone reports whether the turn was dropped from memory, which happens only after its end.
func (seg segment) isGone() bool {
	_, err := seg.session.Turn(seg.turn.Thread, seg.turn.Number)
	return errors.Is(err, session.ErrDropped)
}

// earlier returns the turns before the segment's, as far as a snapshot has to know them: without their steps and texts,
// which may be much.
func (seg segment) earlier() (turns []session.Turn, err error) {
	for t, err := range seg.session.Turns(seg.turn.Thread, 1, max(1, seg.turn.Number-1)) {
		if err != nil {
			return nil, err
		}
		if t.Number < seg.turn.Number {
			turns = append(turns, session.Turn{Number: t.Number, Message: t.Message, State: t.State})
		}
	}
	return turns, nil
}

// missing returns a snapshot of the thread if the client does not have all of it, because
// others wrote to it, or because the client is new.
func (s *Server) missing(ctx context.Context, seg segment, view View, in *Input, before uint64) []Event {
	earlier, err := seg.earlier()
	if err != nil || in.has(earlier) {
		return nil
	}
	view.UserMessages = true
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
	return []Event{in.restate(reduce(events), earlier,
		s.options.Safety.Remember(seg.session.Seen()))}
}
