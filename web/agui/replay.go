package agui

import (
	"bytes"
	"net/http"

	"candor/session"
	"candor/web"
	"candor/web/access"
	"candor/web/problem"
	"candor/web/sse"
)

// replay handles GET /agui/threads/{id}/events?after=&follow=&protocolVersion=&reasoning=
//
// It streams a thread's runs. AG-UI events have no ids, so it adds cursors as the ids of
// the server-sent events. With after= it sends the events since that id; without, it
// sends the thread as a snapshot and continues with the open run, if any. The stream ends
// when no run is open or, with follow=true, when the client leaves.
//
// Errors: no_thread; bad_reasoning; bad_cursor if after is not an id of such an event;
// place_gone, with status 410, if the log does not have it; too_many_runs.
func (s *Server) replay(w http.ResponseWriter, r *http.Request, who access.Caller) error {
	own, err := s.options.Store.Open(r.Context(), who.User)
	if err != nil {
		return err
	}
	named := r.PathValue("id")
	thread := threadOf(own, named)
	th, err := own.Thread(thread)
	if err != nil {
		return err
	}
	view, err := s.viewOf(r, who, named, thread)
	if err != nil {
		return err
	}
	view.Observed = th.Origin.Observed()
	after, resumes, err := resumePoint(r, own)
	if err != nil {
		return err
	}
	_, leave, err := s.enter(who.User)
	if err != nil {
		return err
	}
	defer leave()
	p := &player{
		own: own, thread: thread, projector: NewProjector(view), out: s.open(w, r),
		after: after, held: &held{}, state: s.states.get(who.User, own.ID(), thread),
	}
	if resumes {
		p.held = nil
	}
	end, past, follow := own.Head(), false, r.URL.Query().Get("follow") == "true"
	more := func() bool { return !past || follow || p.projector.Open() }
	for up := range s.follow(r.Context(), own, 0, p.out, more) {
		// A deletion of the past was of an earlier thread that the client gave the same name.
		if erases(up.Event, thread) && past {
			p.out.send(p.projector.Erase(up.Event)...)
			break
		}
		if up.Event.Thread == thread {
			p.take(up)
		}
		if !past && up.Event.Seq >= end {
			past = true
			p.restate(end)
		}
	}
	return nil
}

// viewOf parses how the client wants to see the thread. Unlike with POST /agui, a client
// that names no version gets 1.0, because this route is ours and has no older clients.
func (s *Server) viewOf(r *http.Request, who access.Caller, named, thread string) (View, error) {
	q := r.URL.Query()
	asked, version1 := Full, true
	if q.Has("protocolVersion") {
		version1 = (&Input{ProtocolVersion: q.Get("protocolVersion")}).version1()
	}
	if q.Has("reasoning") {
		var ok bool
		if asked, ok = ParseLevel(q.Get("reasoning")); !ok {
			return View{}, problem.New(http.StatusBadRequest, "bad_reasoning",
				"reasoning has to be one of full, summary, hidden.")
		}
	}
	view := s.view(who, named, thread, asked, version1)
	view.UserMessages = true
	return view, nil
}

// resumePoint parses after=, last_event_id= or Last-Event-ID. resumes is false if there is neither.
func resumePoint(r *http.Request, own *session.Session) (at sse.Cursor, resumes bool, err error) {
	asked, err := sse.Read(r, "after")
	if err != nil {
		return sse.Cursor{}, false, web.BadCursor(err)
	}
	if asked.ID == "" {
		return sse.Cursor{}, false, nil
	}
	at, ok := sse.ParseCursor(asked.ID)
	if !ok {
		return at, false, problem.New(http.StatusBadRequest, "bad_cursor",
			"after has to be the id of an event in this stream. Leave it out to begin with a snapshot.")
	}
	if !at.Of(own.ID()) || at.Seq < own.Gone() || at.Seq > own.Head() || at.Seq == own.Head() && at.Part > 0 {
		return at, false, problem.New(http.StatusGone, "place_gone",
			"The event in after is no longer stored. Leave after out to begin with a snapshot.")
	}
	return at, true, nil
}

// player sends a thread to one client.
type player struct {
	own       *session.Session
	thread    string
	projector *Projector
	out       writer
	after     sse.Cursor // the client has everything up to here
	held      *held      // collects the past for the snapshot; nil if there is none to make
	state     []Event    // of the front end, for the snapshot
}

// held collects the earlier AG-UI events from which a snapshot is made.
type held struct {
	ended []Event    // of runs that have ended
	open  []numbered // of the open run
}

// numbered holds the AG-UI events of one event of the log.
type numbered struct {
	seq    uint64
	events []Event
}

// take sends an event of the log, or holds it for the snapshot.
func (p *player) take(up session.Update) {
	n := numbered{up.Event.Seq, p.projector.Project(up.Turn, up.Event)}
	if p.held == nil {
		p.send(n)
		return
	}
	p.held.open = append(p.held.open, n)
	if p.projector.Open() {
		return
	}
	for _, o := range p.held.open {
		p.held.ended = append(p.held.ended, o.events...)
	}
	p.held.open = nil
}

// restate sends the past as a run with a snapshot, then the events of the open run.
// Only the last event of the snapshot has an id, because half a snapshot is of no use.
func (p *player) restate(end uint64) {
	if p.held == nil {
		return
	}
	at := end
	if len(p.held.open) > 0 {
		at = p.held.open[0].seq - 1
	}
	run := Run{Head: Head{Type: RunStarted}, ThreadID: p.projector.Thread, RunID: "snapshot"}
	begin, finish := run, run
	if p.projector.Version1 {
		begin.ProtocolVersion = protocolVersion
	}
	finish.Head.Type, finish.Outcome = RunFinished, &Outcome{Type: "success"}
	messages, omitted := newest(reduce(p.held.ended))
	p.out.send(append([]Event{&begin, snapshot(asAny(messages), omitted)}, p.state...)...)
	var b bytes.Buffer
	p.out.put(&b, sse.Cursor{Session: p.own.ID(), Seq: at}.String(), &finish)
	p.out.Write(b.Bytes())
	for _, o := range p.held.open {
		p.send(o)
	}
	p.held = nil
}

// send writes the events that the client does not have, each with the cursor after it.
func (p *player) send(n numbered) {
	var b bytes.Buffer
	for i, e := range n.events {
		if n.seq <= p.after.Seq || n.seq == p.after.Seq+1 && i < p.after.Part {
			continue
		}
		p.out.put(&b, sse.CursorAt(p.own.ID(), n.seq, i+1, len(n.events)).String(), e)
	}
	p.out.Write(b.Bytes())
}
