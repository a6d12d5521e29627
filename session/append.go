package session

import (
	"strconv"
	"time"

	"github.com/google/uuid"
)

// add appends an event of a thread to the log and folds it. The caller holds mu, so
// the fold sees events in log order.
func (s *Session) add(ref Ref, b Body) (Event, error) {
	e, err := s.log.Append(ref, b)
	if err != nil {
		return Event{}, err
	}
	s.tell(s.fold(e))
	return e, nil
}

// fold folds an event of a thread and returns it with its turn. The caller holds mu.
func (s *Session) fold(e Event) Update {
	s.used = time.Now()
	th := s.threads[e.Thread]
	if th == nil {
		th = &thread{id: e.Thread, created: e.At}
		s.threads[e.Thread] = th
	}
	th.apply(e)
	if e.Turn > 0 && e.Turn <= th.cold {
		s.noticed += costOf(e.Body)
	}
	up := Update{Event: e}
	if e.Turn > 0 {
		f, _ := th.turn(e.Turn) // the zero one for a late event of a turn that is not in memory
		up.Turn = f.head
	}
	ended := e.Turn > 0 && th.over(e.Turn)
	if ended {
		delete(s.claims, e.turn())
	}
	s.live.settle(e, ended)
	switch b := e.Body.(type) {
	case ThreadOpened, TurnQueued, TurnStarted:
		if th.entered = e.Seq; !th.origin.Observed() {
			s.active = e.Thread
		}
	case ApprovalAnswered:
		// The fold keeps the first answer of a request, so a later one approves nothing.
		c, ok := up.Turn.Call(b.Call)
		if ok && c.Approval != nil && c.Approval.Answer == Always && c.Approval.Grant != "" {
			s.approved[c.Approval.Grant] = true
		}
	}
	return up
}

// tell calls OnEvent with an event that was recorded. The caller holds mu.
func (s *Session) tell(up Update) {
	if s.budget.OnEvent != nil {
		s.budget.OnEvent(s, up)
	}
}

// nextID derives an id from the position of the next event. The caller holds mu, so
// no other event can take that position.
func (s *Session) nextID(kind string) string {
	position := kind + "/" + strconv.FormatUint(s.log.Head()+1, 10)
	return uuid.NewSHA1(s.id, []byte(position)).String()
}
