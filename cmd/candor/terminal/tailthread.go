package terminal

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"candor/web/client"
)

// threadBoard follows the calls of the turn that runs in a thread. Turns of several threads may run
// at a time, so each has a board of its own: its calls, its step, and what its model writes.
type threadBoard struct {
	thread string
	board
}

// maxBoards bounds the threads whose running turns are followed at a time. Beyond it the oldest
// is forgotten: its calls are then shown where its turn ends.
const maxBoards = 64

// boardOf returns the board of a thread. runs says that its turn does; the board of one that does
// not, such as an observed turn of which something comes after its end, is not kept.
func (t *Tail) boardOf(thread string, runs bool) *threadBoard {
	i := slices.IndexFunc(t.boards, func(b *threadBoard) bool { return b.thread == thread })
	if i >= 0 {
		return t.boards[i]
	}
	b := &threadBoard{thread: thread}
	if !runs {
		return b
	}
	if len(t.boards) == maxBoards {
		t.boards = slices.Delete(t.boards, 0, 1)
	}
	t.boards = append(t.boards, b)
	return b
}

// onThreadEvent shows an event of a thread: the message before the first event of a
// turn, what the turn took after the last. Both are fetched, because events do not have
// them.
func (t *Tail) onThreadEvent(ctx context.Context, e client.Event) error {
	if e.Type == "status" && e.State == "queued" {
		return nil // the turn before it still has the word
	}
	begins := e.Type == "thinking" && e.MessageID != ""
	ends := endsTurn(e)
	var turn client.Turn
	if begins || ends {
		var err error
		if turn, _, err = t.Client.Turn(ctx, e.ThreadID, e.TurnNumber); err != nil {
			return err
		}
	}
	b := t.boardOf(e.ThreadID, begins || e.Type == "tool_started" || e.Type == "step_text")
	lines := b.lines(Live{t.Style}, e, time.Now())
	if e.Type == "approval_needed" {
		lines += t.approvalNeeded(e)
	}
	lines += t.withheld.lines(t.Style, e)
	if begins && e.Asked == nil { // else the event has all of it
		lines = t.Style.message(turn) + "\n" + lines
	}
	if ends {
		if !comesLate(turn, e) {
			lines += "\n" + b.ending(t.Style, turn, true)
		}
		t.boards = slices.DeleteFunc(t.boards, func(o *threadBoard) bool { return o == b })
	}
	if lines != "" {
		t.heading(t.turnName(ctx, e.ThreadID, e.TurnNumber), happenedAt(turn, e))
		t.print(lines)
	}
	return nil
}

// happenedAt returns when an event of a turn happened. What is reported later happened when the agent says.
func happenedAt(turn client.Turn, e client.Event) time.Time {
	if began := turn.Began(); began.Before(turn.CreatedAt) {
		return began
	}
	return e.At
}

// The calls that a board has seen end are counted, so that a turn whose lines were missed, because
// tail began in its middle, still says why at its end.

// ending renders what follows the answer of a turn: what the turn took where the lines above have
// said why, else why its tools were called.
func (b *board) ending(s Style, t client.Turn, live bool) string {
	text := s.Block(t)
	if live && (text == "" || b.turn.ended == len(t.Calls)) {
		return s.sums(t) + s.redactions(t.Redactions)
	}
	return text
}

// approvalNeeded shows a call that waits, and the command that answers it: a conversation in the
// thread asks again. It cannot be answered from here.
//
//	? apply_patch   Nine keys of this file point at a file that is gone.
//	                config/ledger.yaml
//	                → waiting for you: candor chat --server http://127.0.0.1:8080 --thread 6f0f…
func (t *Tail) approvalNeeded(e client.Event) string {
	v := viewOf(e.Decision, client.Call{Object: e.Object})
	v.sign, v.ink = "?", yellow
	v.result = "waiting for you: candor chat --server " + CleanLine(t.Client.Base()) + " --thread " +
		CleanLine(e.ThreadID)
	if why := whyAsked(e.Confidence, e.Unsure); why != "" {
		v.why += "  " + why
	}
	return t.Style.callLines(v)
}

// maxNames bounds the threads whose names are remembered.
const maxNames = 1000

// turnName names a turn by what its thread is called: whose turns it has, or its title. The list
// of threads is read again for each thread that it did not have or that had no title.
func (t *Tail) turnName(ctx context.Context, thread string, turn int) string {
	if t.names[thread] == "" {
		threads, _, _ := t.Client.Threads(ctx) // without an answer the id has to do
		t.names = map[string]string{}
		for _, th := range threads[:min(len(threads), maxNames)] {
			t.names[th.ID] = cmp.Or(participant(th.Origin), fit(CleanLine(th.Title), 80))
		}
	}
	return fmt.Sprintf("%s, turn %d", cmp.Or(t.names[thread], "thread "+thread), turn)
}
