package web

import (
	"context"
	"sync"
	"time"

	"candor/session/pause"

	"golang.org/x/time/rate"
)

const (
	// savedWork is for how many seconds the processors of a share may work for a user who was idle
	// before others come first.
	savedWork = 2
	// longPart says for which part of the time, one in so many, they work for a user in the long run.
	longPart = 4
	// company is how long after another user's last request a user counts as alone.
	company = time.Minute
)

// workTime is how long the processors may work for a user who is not alone. It grows as time
// passes, up to a bound, and shrinks by what each answer takes. It is safe for concurrent use.
type workTime struct{ saved *rate.Limiter } // in microseconds

// newWorkTime returns the time of a user who was idle and has so many processors.
func newWorkTime(processors int) workTime {
	second := processors * int(time.Second/time.Microsecond)
	return workTime{rate.NewLimiter(rate.Limit(second/longPart), savedWork*second)}
}

// full reports whether the user has as much time as one who was idle.
func (w workTime) full(now time.Time) bool { return w.saved.TokensAt(now) >= float64(w.saved.Burst()) }

// rest waits until no time is owed. It fails if ctx ends before.
func (w workTime) rest(ctx context.Context) error {
	owed := -w.saved.TokensAt(time.Now())
	if owed <= 0 {
		return nil
	}
	return pause.For(ctx, time.Duration(owed/float64(w.saved.Limit())*float64(time.Second)))
}

// charge takes away what an answer took. A user who is alone owes nothing for it.
func (w workTime) charge(took time.Duration, alone bool) {
	now := time.Now()
	spent := min(int(took.Microseconds()), w.saved.Burst())
	if alone {
		spent = min(spent, int(w.saved.TokensAt(now)))
	}
	if spent > 0 {
		w.saved.ReserveN(now, spent)
	}
}

// visits knows which users came last. It is safe for concurrent use.
type visits struct {
	mu           sync.Mutex
	last, before visit // of two users
}

type visit struct {
	user string
	at   time.Time
}

// note notes that a user came, and reports whether no other has come for some time.
func (v *visits) note(user string, now time.Time) (alone bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.last.user != user {
		v.before = v.last
	}
	v.last = visit{user, now}
	return now.Sub(v.before.at) > company
}
