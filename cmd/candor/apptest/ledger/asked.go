package ledger

import (
	"context"
	"fmt"
	"net/http"
)

// decision is what a person decided about a turn, and that the server acknowledged it.
type decision struct {
	User, Thread string
	Turn         int
	Interrupt    bool // the turn was stopped; else its call was approved
}

// Decide sends messages whose calls need a person's approval, and approves every second of them and
// interrupts the others, until as many decisions were acknowledged. Every request goes to a server of its
// own, so hardly ever to the one that runs the turn.
func (l *Ledger) Decide(ctx context.Context, user, name string, decisions int) {
	thread := l.OpenThread(ctx, user)
	for i := 0; decisions > 0 && ctx.Err() == nil; i++ {
		if !l.Send(ctx, user, thread, fmt.Sprintf("list files of %s-%d", name, i)) {
			pause(ctx)
			continue
		}
		sent := l.last(thread)
		if l.decide(ctx, sent, decisions%2 == 0) {
			decisions--
		}
	}
}

// last returns the message that was acknowledged last in a thread.
func (l *Ledger) last(thread string) (m message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, one := range l.sent {
		if one.Thread == thread && one.ID != "" {
			m = one
		}
	}
	return m
}

// decide waits until a turn asks, answers once, and reports whether the answer was acknowledged. It
// gives up when the turn has ended.
func (l *Ledger) decide(ctx context.Context, m message, interrupt bool) bool {
	for ctx.Err() == nil {
		pause(ctx)
		request, ended := l.asked(ctx, m)
		switch {
		case ended:
			return false
		case request == "":
			continue
		}
		path, in := "/api/chat/approval", map[string]string{"request_id": request, "action": "approve"}
		if interrupt {
			path, in = "/api/chat/interrupt", map[string]string{"thread_id": m.Thread}
		}
		if l.call(ctx, l.Tokens[m.User], http.MethodPost, path, in, nil) == nil {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.decided = append(l.decided, decision{m.User, m.Thread, m.Turn, interrupt})
			return true
		}
	}
	return false
}

// asked returns the open request of a message's turn, and whether the turn has ended.
func (l *Ledger) asked(ctx context.Context, m message) (request string, ended bool) {
	var page struct {
		Turns    []turn
		Requests []struct {
			ID string `json:"request_id"`
		} `json:"pending_approvals"`
	}
	path := "/api/chat/history?limit=10&thread_id=" + m.Thread
	if l.call(ctx, l.Tokens[m.User], http.MethodGet, path, nil, &page) != nil {
		return "", false
	}
	for _, t := range page.Turns {
		ended = ended || t.Number == m.Turn && t.State != "processing" && t.State != "queued"
	}
	for _, r := range page.Requests { // of the turn that runs, which is the only one of its thread
		request = r.ID
	}
	return request, ended
}

// judgeDecisions looks for each acknowledged approval in its turn. A turn that was interrupted must not
// have completed.
func (l *Ledger) judgeDecisions(ctx context.Context, v *Verdict) {
	for _, d := range l.decided {
		v.Acknowledged++
		turns, err := l.history(ctx, d.User, d.Thread)
		if err != nil || len(turns) < d.Turn {
			v.Lost++
			v.problem("the decision about turn %d of thread %s is lost with its turn: %v", d.Turn, d.Thread, err)
			continue
		}
		t := turns[d.Turn-1]
		switch {
		case d.Interrupt && t.State == "completed":
			v.Lost++
			v.problem("turn %d of thread %s was interrupted and completed", d.Turn, d.Thread)
		case !d.Interrupt && !t.approved():
			v.Lost++
			v.problem("turn %d of thread %s was approved, and its history does not have it", d.Turn, d.Thread)
		default:
			v.Kept++
		}
	}
}

// approved reports whether the history of a turn has an approval.
func (t turn) approved() bool {
	for _, d := range t.Reasoning.Decisions {
		if d.Approval == "approve" {
			return true
		}
	}
	return false
}
