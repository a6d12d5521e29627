package session

import (
	"fmt"
	"slices"
	"time"

	"candor/safety"
)

// Thread describes one conversation.
type Thread struct {
	ID        string
	State     State       // Processing while a turn runs, else Completed
	Turns     int         // how many it has, those that wait included
	Title     safety.Text // the first message, not shortened; empty before it
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Page selects turns: the newest Limit of those created before Before. A Limit
// of 0 means all, a zero Before means from the end.
type Page struct {
	Limit  int
	Before time.Time
}

// History is a page of turns, oldest first. HasMore says that older ones exist.
type History struct {
	Thread  string
	Turns   []Turn
	HasMore bool
}

// thread is the fold of one conversation; its session guards it.
type thread struct {
	id      string
	created time.Time
	updated time.Time
	turns   []Turn // turns[i].Number == i+1
	ended   int    // how many turns from the first on have ended
}

func (th *thread) apply(e Event) {
	th.updated = e.At
	if e.Turn == 0 {
		return
	}
	if e.Turn > len(th.turns) {
		th.turns = append(th.turns, Turn{})
	}
	at := e.Turn - 1
	th.turns[at] = th.turns[at].Apply(e)
	for th.ended < len(th.turns) && th.turns[th.ended].State.Ended() {
		th.ended++
	}
}

// open is how many turns run or wait. Turns run one at a time and in order.
func (th *thread) open() int { return len(th.turns) - th.ended }

func (th *thread) turn(number int) (Turn, error) {
	if number < 1 || number > len(th.turns) {
		return Turn{}, fmt.Errorf("%w: %d of %d", ErrNoTurn, number, len(th.turns))
	}
	return th.turns[number-1], nil
}

func (th *thread) snapshot() Thread {
	t := Thread{ID: th.id, State: Completed, Turns: len(th.turns), CreatedAt: th.created, UpdatedAt: th.updated}
	if th.open() > 0 {
		t.State = Processing
	}
	if len(th.turns) > 0 {
		t.Title = th.turns[0].Input
	}
	return t
}

func (th *thread) page(p Page) History {
	end := len(th.turns)
	if !p.Before.IsZero() {
		end, _ = slices.BinarySearchFunc(th.turns, p.Before, func(t Turn, before time.Time) int {
			return t.CreatedAt.Compare(before)
		})
	}
	start := 0
	if p.Limit > 0 {
		start = max(0, end-p.Limit)
	}
	return History{Thread: th.id, Turns: slices.Clone(th.turns[start:end]), HasMore: start > 0}
}
