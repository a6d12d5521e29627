package agui

import (
	"bytes"
	"context"
	"net/http"
	"slices"

	"candor/session"
	"candor/web/problem"
)

// resume answers calls and continues their turn from where the client left it.
func (s *Server) resume(
	ctx context.Context, own *session.Session, user string, in *Input, replies []reply,
) (segment, error) {
	t := replies[0].turn
	given := func(a reply) bool { return a.approval != "" || s.gave(own, a) }
	if t.State.Ended() && !slices.ContainsFunc(replies, given) {
		return segment{}, problem.New(http.StatusConflict, "call_over",
			"The call no longer waits for its result: "+
				"it was answered, it timed out, or its turn was stopped.")
	}
	seg := segment{session: own, turn: t, replies: replies}
	seg.from, seg.about = s.left(ctx, own, t, in)
	for _, a := range replies {
		if err := s.deliver(ctx, user, a); err != nil {
			return segment{}, err
		}
	}
	return seg, nil
}

// gave reports whether a reply repeats the result that its call has: the client posts a run again.
func (s *Server) gave(own *session.Session, a reply) bool {
	if a.failure != "" || a.call.Outcome != session.Success {
		return false
	}
	value, _ := s.options.Safety.Remember(own.Seen()).CleanJSON(a.result)
	return bytes.Equal(value.Raw(), a.call.Result.Raw())
}

// left returns the position at which the client's last run of this turn ended: the last
// one at which the turn waited, before any call or result that the client does not have. about
// is the event at which the search ended.
func (s *Server) left(
	ctx context.Context, own *session.Session, t session.Turn, in *Input,
) (at uint64, about session.Event) {
	known := in.knownCalls()
	for up, err := range own.Watch(ctx, t.FirstSeq-1) {
		if err != nil || up.Event.Seq > t.LastSeq {
			break
		}
		if up.Event.Thread == t.Thread && up.Event.Turn == t.Number {
			about = up.Event
			if at > 0 && isNews(up, known) {
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
	return at, about
}

// isNews reports whether an event has the result of a call, or lets the front end run one, that is
// not among the calls of the client's messages.
func isNews(up session.Update, known knownCalls) bool {
	switch b := up.Event.Body.(type) {
	case session.ToolReturned:
		return !known.answered[callID(up.Turn.Number, b.Call)]
	case session.ApprovalAnswered:
		c, _ := up.Turn.Call(b.Call)
		id := callID(up.Turn.Number, b.Call)
		return c.FrontEnd && b.Answer.Allows() && !known.made[id] && !known.answered[id]
	}
	return false
}

// knownCalls are the calls in a client's messages, by id.
type knownCalls struct {
	made, answered map[string]bool
}

func (in *Input) knownCalls() knownCalls {
	known := knownCalls{made: map[string]bool{}, answered: map[string]bool{}}
	for _, m := range in.Messages {
		known.answered[m.ToolCallID] = true
		for _, c := range m.ToolCalls {
			known.made[c.ID] = true
		}
	}
	return known
}
