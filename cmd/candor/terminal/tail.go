package terminal

import (
	"context"
	"strings"
	"sync"
	"time"

	"candor/web/client"
)

// Tail prints what happens in threads and jobs, as it happens. A lost connection is
// restored without losing an event. Set the exported fields before Run.
type Tail struct {
	Client   *client.Client
	Style    Style
	Print    func(text string)  // receives whole lines of safe text
	Progress func(lines string) // receives what changes in place below them; nil if nothing can
	Width    func() int         // of the window, which may change; nil if it does not
	Threads  []string
	Jobs     []string
	Replay   int  // how many earlier turns of each thread to show first, at most 200
	JSON     bool // print the JSON of each event on a line and nothing else

	names        map[string]string // what threads are called
	lastSource   string            // the turn or job that was printed last
	hears        bool              // there was a connection
	disconnected bool
	retryAt      time.Time // while disconnected
	withheld     withheldNote
	calls        jobCalls
	boards       []*threadBoard // of the threads that run
	paper        paper
}

// tailed is an event that Tail received, or the refusal that ended the stream.
type tailed struct {
	event client.Event
	err   error
}

// Run prints until ctx ends and then returns nil. It fails when the server refuses,
// such as a thread that does not exist or a token that is not valid, and when it cannot be
// reached at the start: only a connection that was there is waited for. The goroutine that
// receives events ends with it.
func (t *Tail) Run(ctx context.Context) error {
	status, err := t.Client.Status(ctx)
	if err != nil {
		return err // before anything is said of watching
	}
	if !t.JSON {
		t.print(t.watching(status.User))
	}
	after, err := t.replay(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	events := make(chan tailed)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() {
		defer close(events)
		stream := client.Stream{Threads: t.Threads, Jobs: t.Jobs, After: after, Live: !t.JSON}
		for e, err := range t.Client.Events(ctx, stream) {
			select {
			case events <- tailed{e, err}:
			case <-ctx.Done():
				return
			}
		}
	})
	return t.follow(ctx, events)
}

// follow shows events, and how long what runs has been running.
func (t *Tail) follow(ctx context.Context, events <-chan tailed) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	defer t.progress("")
	for {
		if t.Width != nil {
			t.Style.Width = t.Width()
		}
		t.progress(t.inPlace(time.Now()))
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case got, ok := <-events:
			if !ok || got.err != nil {
				return got.err
			}
			if err := t.onEvent(ctx, got.event); err != nil && ctx.Err() == nil {
				return err
			}
		}
	}
}

// progress shows what changes in place, where that is possible.
func (t *Tail) progress(lines string) {
	if t.Progress != nil && !t.JSON {
		t.Progress(lines)
	}
}

// inPlace renders what changes in place: that the connection is lost, what runs, or that nothing
// does. Before the first connection, and while it is lost, nobody knows what runs, so nothing is said of it.
//
//	⋯ lost http://127.0.0.1:8080, trying again in 4 s; what was missed is fetched
func (t *Tail) inPlace(now time.Time) string {
	gap := ""
	if t.paper.end != "" && t.paper.end != "\n\n" {
		gap = "\n"
	}
	if t.disconnected {
		return gap + t.Style.hang("  ⋯ ", yellow, "lost "+CleanLine(t.Client.Base())+", trying again in "+
			clock(t.retryAt.Sub(now)+time.Second-1)+"; what was missed is fetched")
	}
	var out strings.Builder
	for _, b := range t.boards {
		out.WriteString(b.inPlace(t.Style, now))
	}
	if out.Len() == 0 && t.hears {
		return gap + t.Style.paint(dim, "  Nothing runs.") + "\n"
	}
	return out.String()
}

// watching says what is watched, where and as whom, before anything has happened: silence is
// then known to be silence.
func (t *Tail) watching(user string) string {
	var what []string
	if n := len(t.Threads); n > 0 {
		what = append(what, plural(n, "conversation"))
	}
	if n := len(t.Jobs); n > 0 {
		what = append(what, plural(n, "job"))
	}
	if what == nil { // without a choice the stream has everything of the user's
		what = []string{"conversations", "jobs"}
	}
	who := ""
	if user != "" { // a server need not tell it
		who = " as " + fit(CleanLine(user), 32)
	}
	return t.Style.hang("  ", dim, "Watching "+CleanLine(t.Client.Base())+who+": "+strings.Join(what, " and ")+
		". Ctrl-C ends it.") + "\n"
}

// replay shows what happened before and returns the event to continue behind. With
// several threads that is where the first of them was read: an event of another may
// then be shown twice, but none is missed.
func (t *Tail) replay(ctx context.Context) (after string, err error) {
	for _, id := range t.Threads {
		p, err := t.Client.Recent(ctx, id, max(1, min(t.Replay, client.MaxPage)))
		if err != nil {
			return "", err
		}
		if after == "" { // the first page read is the oldest, so its cursor misses nothing
			after = p.EventID
		}
		if p.Dropped > 0 && len(p.Turns) <= t.Replay {
			t.printDropped(olderDropped(p.Dropped, "turn"))
		}
		for _, turn := range p.Turns[max(0, len(p.Turns)-t.Replay):] {
			t.showTurn(ctx, id, turn)
		}
	}
	for _, id := range t.Jobs {
		for page, err := range t.Client.JobLog(ctx, id) {
			if err != nil {
				return "", err
			}
			for _, e := range page.Events {
				t.showJobEvent(e)
			}
			// The cursor of a job's log stands for the stream only where nothing else is followed.
			if len(t.Threads) == 0 && len(t.Jobs) == 1 && page.EventID != "" {
				after = page.EventID
			}
		}
		if err := t.showJobState(ctx, id); err != nil {
			return "", err
		}
	}
	return after, nil
}

// showTurn prints a whole turn: the message, the calls with their reasons, and the answer.
func (t *Tail) showTurn(ctx context.Context, thread string, turn client.Turn) {
	if t.JSON {
		t.print(SafeJSON(turn.Raw) + "\n")
		return
	}
	t.heading(t.turnName(ctx, thread, turn.Number), turn.Began())
	t.print(textOf(t.Style.whole(turn, 0)) + "\n")
}

// print prints whole lines. Two empty lines that meet become one.
func (t *Tail) print(text string) {
	if !t.JSON {
		text = t.paper.join(text)
	}
	if text != "" {
		t.Print(text)
	}
}

// heading names the turn or job that the following lines belong to, if it changed. It has the time
// of the event below it, in the reader's time zone, since a tail may run for hours, and the day if that is another.
//
//	11:20  Nightly cleanup of config, turn 10
//	20 Nov 2026, 09:14  Claude Code · proj, turn 1
func (t *Tail) heading(name string, at time.Time) {
	if name == t.lastSource {
		return
	}
	t.lastSource = name
	label := "  "
	if !at.IsZero() {
		label += clockTime(at.Local(), time.Now()) + "  "
	}
	t.print("\n" + t.Style.hangAt(t.Style.paint(dim, label), cellWidth(label), bold, truncate(CleanLine(name), 120)))
}

// clockTime renders a time, with its day unless that is today.
func clockTime(at, now time.Time) string {
	if day := "2 Jan 2006"; at.Format(day) != now.In(at.Location()).Format(day) {
		return at.Format(day + ", 15:04")
	}
	return at.Format("15:04")
}

// onEvent shows one event.
func (t *Tail) onEvent(ctx context.Context, e client.Event) error {
	switch {
	case e.Type == client.Lost && !t.hears:
		return e.Err
	case e.Type == client.Lost || e.Type == client.Connected:
		t.connection(e)
	case t.JSON:
		t.print(SafeJSON(e.Raw) + "\n")
	case e.JobID != "":
		t.showJobEvent(e)
		if e.Type == "job_status" && e.State == "pending" { // it was restarted
			return t.showJobState(ctx, e.JobID)
		}
	case e.ThreadID != "":
		return t.onThreadEvent(ctx, e)
	case e.Type == "dropped":
		t.showDropped(e)
	case e.Type == "resync":
		t.print(t.Style.paint(yellow, "  ┄ ") + "Some of what happened is gone; what is shown goes on from here.\n")
	}
	return nil
}

// connection says that the server cannot be reached: in place where that is possible, else once.
// That it can be reached again is said once.
func (t *Tail) connection(e client.Event) {
	was := t.disconnected
	t.hears = t.hears || e.Type == client.Connected
	t.disconnected, t.retryAt = e.Type == client.Lost, time.Now().Add(e.Retry)
	switch {
	case t.JSON || was == t.disconnected || t.disconnected && t.Progress != nil:
	case t.disconnected:
		t.print(t.Style.hangAt(t.Style.paint(yellow, "  ┄ "), 4, "",
			"No connection to "+CleanLine(t.Client.Base())+"; trying again. What is missed is fetched."))
	default:
		t.print(t.Style.paint(green, "  ┄ Connected again; nothing was missed.") + "\n")
	}
}

// endsTurn reports whether an event ends its turn, or is the answer after an observed turn's end.
func endsTurn(e client.Event) bool {
	return e.Type == "response" || e.Type == "error" ||
		e.Type == "status" && (e.State == "interrupted" || e.State == "completed")
}
