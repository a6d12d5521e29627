package terminal

import (
	"context"
	"strings"

	"candor/web/client"
)

// Tail prints what happens in threads and jobs, as it happens. A lost connection is
// restored without losing an event. Set the exported fields before Run.
type Tail struct {
	Client  *client.Client
	Style   Style
	Print   func(text string) // receives whole lines of safe text
	Threads []string
	Jobs    []string
	Replay  int  // how many earlier turns of each thread to show first, at most 200
	JSON    bool // print the JSON of each event on a line and nothing else

	participants map[string]string // whose turns each thread has, "" for our own agent's
	lastSource   string            // the thread or job that was printed last
	disconnected bool
	withheld     withheldNote
	calls        jobCalls
	speech       speech
}

// Run prints until ctx ends and then returns nil. It fails when the server refuses,
// such as a thread that does not exist or a token that is not valid.
func (t *Tail) Run(ctx context.Context) error {
	if !t.JSON {
		t.print(t.watching(ctx))
	}
	after, err := t.replay(ctx)
	if err != nil {
		return err
	}
	stream := client.Stream{Threads: t.Threads, Jobs: t.Jobs, After: after, Live: !t.JSON}
	for e, err := range t.Client.Events(ctx, stream) {
		if err != nil {
			return err
		}
		if err := t.onEvent(ctx, e); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// watching says what is watched, where and as whom, before anything has happened: silence is
// then known to be silence.
func (t *Tail) watching(ctx context.Context) string {
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
	if s, err := t.Client.Status(ctx); err == nil && s.User != "" { // without an answer the address has to do
		who = " as " + fit(CleanLine(s.User), 32)
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

// showTurn prints a whole turn: the message, the answer, and the reasoning.
func (t *Tail) showTurn(ctx context.Context, thread string, turn client.Turn) {
	if t.JSON {
		t.print(SafeJSON(turn.Raw) + "\n")
		return
	}
	t.heading(t.place(ctx, thread))
	out := t.Style.asked(turn.UserInput, turn.Asked) + t.Style.conclusion(turn.Conclusion)
	switch {
	case turn.Response != "":
		out += "\n" + t.Style.text(turn.Response)
	case turn.Error != "":
		out += "\n" + t.Style.hangAt(t.Style.paint(red, "  ✗ "), 4, "", CleanLine(turn.Error))
	case turn.State == "interrupted":
		out += "\n" + t.Style.paint(yellow, "  ─ ") + "Interrupted.\n"
	}
	if block := t.Style.Block(turn); block != "" {
		out += "\n" + block
	}
	t.print(out + t.Style.notes(turn, false) + t.Style.notes(turn, true) + "\n")
}

// print prints whole lines, below a line that is not ended.
func (t *Tail) print(text string) { t.Print(t.speech.endBefore(text)) }

// leave ends the line of another place than the one that follows.
func (t *Tail) leave(place string) {
	if place != t.lastSource {
		t.Print(t.speech.end())
	}
}

// place names a thread by its id, and says whose turns it has if it is observed. The list of
// threads is read again for each thread that it did not have.
func (t *Tail) place(ctx context.Context, id string) string {
	if _, known := t.participants[id]; !known {
		t.participants = map[string]string{id: ""}
		threads, _, _ := t.Client.Threads(ctx) // without an answer the id has to do
		for _, th := range threads {
			t.participants[th.ID] = participant(th.Origin)
		}
	}
	if of := t.participants[id]; of != "" {
		return "thread " + id + ", " + of
	}
	return "thread " + id
}

// heading names the thread or job that the following lines belong to, if it changed.
func (t *Tail) heading(place string) {
	if place == t.lastSource {
		return
	}
	t.lastSource = place
	t.print(t.Style.paint(dim, "── "+fit(CleanLine(place), 120)+" ──") + "\n\n")
}

// onEvent shows one event.
func (t *Tail) onEvent(ctx context.Context, e client.Event) error {
	switch {
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

// connection says once that the server cannot be reached, and once that it can.
func (t *Tail) connection(e client.Event) {
	// The stream tries again and again; only a change is worth a line.
	was := t.disconnected
	t.disconnected = e.Type == client.Lost
	switch {
	case t.JSON || was == t.disconnected:
	case t.disconnected:
		t.print(t.Style.hangAt(t.Style.paint(yellow, "  ┄ "), 4, "",
			"No connection to "+CleanLine(t.Client.Base())+"; trying again. What is missed is fetched."))
	default:
		t.print(t.Style.paint(green, "  ┄ Connected again; nothing was missed.") + "\n")
	}
}

// onThreadEvent shows an event of a thread: the message before the first event of a
// turn, the reasoning after the last. Both are fetched, because events do not have
// them.
func (t *Tail) onThreadEvent(ctx context.Context, e client.Event) error {
	begins := e.Type == "thinking" && e.MessageID != ""
	ends := endsTurn(e)
	// What the user said and the reasoning are in no event of the chat stream as a whole,
	// so the turn is fetched where it begins and where it ends.
	var turn client.Turn
	if begins || ends {
		var err error
		if turn, _, err = t.Client.Turn(ctx, e.ThreadID, e.TurnNumber); err != nil {
			return err
		}
	}
	place := t.place(ctx, e.ThreadID)
	t.leave(place)
	lines := t.speech.lines(Live{t.Style}, e)
	if e.Type == "approval_needed" {
		lines = t.speech.end() + t.approvalNeeded(e)
	}
	lines += t.speech.endBefore(t.withheld.lines(t.Style, e))
	if lines == "" {
		return nil
	}
	t.heading(place)
	if begins && e.Asked == nil { // else the event has all of it
		lines = t.Style.asked(turn.UserInput, nil) + "\n" + lines
	}
	if ends && !comesLate(turn, e) {
		if block := t.Style.Block(turn); block != "" {
			lines += "\n" + block
		}
		lines += "\n"
	}
	t.Print(lines) // which may continue a line
	return nil
}

// endsTurn reports whether an event ends its turn, or is the answer after an observed turn's end.
func endsTurn(e client.Event) bool {
	return e.Type == "response" || e.Type == "error" ||
		e.Type == "status" && (e.State == "interrupted" || e.State == "completed")
}

// approvalNeeded says that a call waits. It cannot be answered from here.
func (t *Tail) approvalNeeded(e client.Event) string {
	d := e.Decision
	label := t.Style.paint(yellow, "  ? ") + t.Style.paint(cyan, toolName(d)) + "  "
	words := quotedReason(d) + " waits for an answer"
	if why := whyAsked(d.Confidence, d.Unsure); why != "" {
		words += ". " + why
	}
	return t.Style.hangAt(label, cellWidth(toolName(d))+6, reasonRendition(d), words)
}
