package agui

import (
	"bytes"
	"net/http"

	"candor/session"
	"candor/web/access"
	"candor/web/problem"
	"candor/web/sse"
)

// replay: GET /agui/threads/{id}/events?after=&follow=&protocolVersion=&reasoning=
//
// It streams a thread's runs with ids of ours, which AG-UI itself has none of. After an
// id it sends what happened since; with none it restates the thread as a snapshot and
// goes on with the run that is open, if one is. It ends when nothing runs, or, with
// follow=true, when the client leaves.
func (s *Server) replay(w http.ResponseWriter, r *http.Request, who access.Caller) error {
	own, err := s.Store.Open(r.Context(), who.User)
	if err != nil {
		return err
	}
	named := r.PathValue("id")
	thread := threadOf(own, named)
	if _, err := own.Thread(thread); err != nil {
		return err
	}
	view, err := s.viewOf(r, who, named, thread)
	if err != nil {
		return err
	}
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
		own: own, thread: thread, projector: NewProjector(view), out: s.open(w),
		after: after, held: &held{}, state: s.states.get(own.ID(), thread),
	}
	if resumes {
		p.held = nil
	}
	head, past, follow := own.Head(), false, r.URL.Query().Get("follow") == "true"
	on := func() bool { return !past || follow || p.projector.Open() }
	for up := range s.follow(r.Context(), own, 0, p.out, on) {
		if up.Event.Thread == thread {
			p.take(up)
		}
		if !past && up.Event.Seq >= head {
			past = true
			p.restate(head)
		}
	}
	return nil
}

// viewOf reads what the client wants to be shown. This route is ours, so who asks for
// no version gets the present one.
func (s *Server) viewOf(r *http.Request, who access.Caller, named, thread string) (View, error) {
	q := r.URL.Query()
	asked, version1 := Full, true
	if q.Has("protocolVersion") {
		version1 = (&Input{ProtocolVersion: q.Get("protocolVersion")}).version1()
	}
	if q.Has("reasoning") {
		var ok bool
		if asked, ok = ParseLevel(q.Get("reasoning")); !ok {
			return View{}, problem.New(http.StatusBadRequest, "bad_reasoning", "reasoning is none of full, summary, hidden.")
		}
	}
	view := s.view(who, named, thread, asked, version1)
	view.Words = true
	return view, nil
}

// resumePoint reads where the client wants to go on. resumes is false when it named no
// place.
func resumePoint(r *http.Request, own *session.Session) (at sse.Cursor, resumes bool, err error) {
	id := r.URL.Query().Get("after")
	if id == "" {
		id = r.Header.Get("Last-Event-ID")
	}
	if id == "" {
		return sse.Cursor{}, false, nil
	}
	at, ok := sse.ParseCursor(id)
	if !ok {
		return at, false, problem.New(http.StatusBadRequest, "bad_cursor",
			"after has to be the id of an event of this stream. Leave it out to begin with a snapshot.")
	}
	if !at.Of(own.ID()) || at.Seq > own.Head() || at.Seq == own.Head() && at.Part > 0 {
		return at, false, problem.New(http.StatusGone, "place_gone",
			"The place you asked for is gone. Leave after out to begin with a snapshot.")
	}
	return at, true, nil
}

// player sends one thread to one client.
type player struct {
	own       *session.Session
	thread    string
	projector *Projector
	out       *writer
	after     sse.Cursor // send nothing up to here
	held      *held      // until the snapshot is made; nil when there is to be none
	state     []Event
}

// held is the past that a snapshot is made of.
type held struct {
	ended []Event    // of runs that have
	open  []numbered // of the run that has not
}

// numbered are the events that an event of ours became.
type numbered struct {
	seq    uint64
	events []Event
}

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

// restate sends the past as a run with a snapshot, then what there is of the run that
// is open. Only the last event of the snapshot has an id: it is good as a whole.
func (p *player) restate(head uint64) {
	if p.held == nil {
		return
	}
	at := head
	if len(p.held.open) > 0 {
		at = p.held.open[0].seq - 1
	}
	run := Run{Head: Head{Type: RunStarted}, ThreadID: p.projector.Thread, RunID: "snapshot"}
	begin, end := run, run
	if p.projector.Version1 {
		begin.ProtocolVersion = protocolVersion
	}
	end.Head.Type, end.Outcome = RunFinished, &Outcome{Type: "success"}
	p.out.send(append([]Event{&begin, snapshot(plain(reduce(p.held.ended)))}, p.state...)...)
	var b bytes.Buffer
	frame(&b, sse.Cursor{Session: p.own.ID(), Seq: at}.String(), &end)
	p.out.write(b.Bytes())
	for _, o := range p.held.open {
		p.send(o)
	}
	p.held = nil
}

// send writes what comes after the client's place, each event with the id to resume
// behind it.
func (p *player) send(n numbered) {
	var b bytes.Buffer
	for i, e := range n.events {
		if n.seq <= p.after.Seq || n.seq == p.after.Seq+1 && i < p.after.Part {
			continue
		}
		frame(&b, sse.CursorAt(p.own.ID(), n.seq, i+1, len(n.events)).String(), e)
	}
	p.out.write(b.Bytes())
}
