package web

import (
	"context"
	"io"
	"maps"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
	"golang.org/x/time/rate"

	"candor/session/pause"
)

// processorsPerAnswer is how many processors there are for each answer that is made for a user at
// once.
const processorsPerAnswer = 2

// shares bounds how many answers are made for a user at once and, beside others, how long the
// processors work for a user, so that one who reads much leaves them to others. Further requests wait
// for their turn. It is safe for concurrent use.
type shares struct {
	perUser int
	users   userValues[*portion]
	visits  visits
}

// portion is what the processors do for one user.
type portion struct {
	slots chan struct{} // full while no further answer may be made
	time  workTime      // how long they may be used
}

// enter waits until an answer may be made for a user, and returns a function that ends it, which
// may be called more than once. It fails if ctx ends before.
func (s *shares) enter(ctx context.Context, user string) (leave func(), err error) {
	own, alone := s.of(user), s.visits.note(user, time.Now())
	select {
	case own.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := own.time.rest(ctx); err != nil {
		<-own.slots
		return nil, err
	}
	begun := time.Now()
	return sync.OnceFunc(func() {
		own.time.charge(time.Since(begun), alone)
		<-own.slots
	}), nil
}

// of returns the share of a user. A request that has it and did not enter yet does not keep it: if
// many users come at that moment, it does not count for the user's next one.
func (s *shares) of(user string) *portion {
	return s.users.get(user, func() *portion {
		return &portion{make(chan struct{}, s.perUser), newWorkTime(s.perUser)}
	}, func(own *portion) bool { return len(own.slots) == 0 && own.time.full(time.Now()) })
}

// shareProcessors makes the answers to a user, and to the user's workers, within the user's share
// of the processors. An answer counts from when the body of its request has arrived until it
// begins to leave, so that slow clients hold up nobody. What a stream sends does not count.
func (s *Server) shareProcessors(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		a := &answerShare{enter: func() (leave func(), err error) {
			return s.answers.enter(r.Context(), payerOf(c))
		}}
		r = r.WithContext(context.WithValue(r.Context(), shareKey{}, a))
		c.SetRequest(r)
		defer a.end()
		c.Response().Before(a.end)
		if r.ContentLength != 0 {
			r.Body = &countedBody{r.Body, a}
		} else if err := a.begin(); err != nil {
			return err
		}
		return next(c)
	}
}

// shareKey is the context key of a request's answerShare.
type shareKey struct{}

// answerShare makes an answer within its user's share from begin to end. Both may be called
// more than once, in any order; end is final but for writes of a [pacedWriter].
type answerShare struct {
	enter func() (leave func(), err error)

	mu           sync.Mutex
	leave        func() // nil while the answer does not count
	begun, ended bool
}

func (a *answerShare) begin() (err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.begun && !a.ended {
		a.leave, err = a.enter()
		a.begun = err == nil
	}
	return err
}

func (a *answerShare) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.leave != nil {
		a.leave()
	}
	a.leave, a.ended = nil, true
}

// Aside runs wait, which has to do nothing but wait, while the answer to the request with this
// context counts no more than a stream that is silent: what the user's other requests wait for may
// be what it waits for. It fails if ctx ends before the answer counts again.
func Aside(ctx context.Context, wait func()) error {
	a, counts := ctx.Value(shareKey{}).(*answerShare)
	if !counts {
		wait()
		return nil
	}
	a.stepAside()
	wait()
	return a.begin()
}

// stepAside gives the share back until begin.
func (a *answerShare) stepAside() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.leave != nil {
		a.leave()
	}
	a.leave, a.begun = nil, false
}

// countedBody is the body of a request whose answer begins once all of it was read.
type countedBody struct {
	io.ReadCloser
	share *answerShare
}

// Read implements io.Reader.
func (b *countedBody) Read(p []byte) (n int, err error) {
	n, err = b.ReadCloser.Read(p)
	if err == io.EOF {
		if failed := b.share.begin(); failed != nil {
			return n, failed
		}
	}
	return n, err
}

// fewUsers is how many users userValues holds before it looks for those that are idle.
const fewUsers = 64

// userValues holds a value for each user. It forgets users whose values are idle, that is, as good
// as new ones, so its size is bounded by twice as many users as were active at once. The zero value
// is empty and ready to use. It is safe for concurrent use; the values have to be so themselves.
type userValues[T any] struct {
	mu    sync.Mutex
	all   map[string]T
	sweep int // how many users are held before those that are idle are forgotten
}

// get returns a user's value, which begin makes if there is none. idle is asked about the values
// of all users when there are many.
func (p *userValues[T]) get(user string, begin func() T, idle func(T) bool) T {
	p.mu.Lock()
	defer p.mu.Unlock()
	if v, ok := p.all[user]; ok {
		return v
	}
	if p.all == nil {
		p.all, p.sweep = map[string]T{}, fewUsers
	}
	if len(p.all) >= p.sweep {
		maps.DeleteFunc(p.all, func(_ string, v T) bool { return idle(v) })
		p.sweep = max(fewUsers, 2*len(p.all))
	}
	v := begin()
	p.all[user] = v
	return v
}

const (
	// liveLag is how many events a stream that has caught up once may be behind without counting
	// again.
	liveLag = 64
	// shareTurn is how many events a stream sends before others of its user may go first.
	shareTurn = 64
)

// streamShare makes a stream within its user's share of the processors while the stream is behind,
// since a client may open many streams of all that ever happened. A stream that has caught up,
// and one that waits for its client, does not count. All calls come from one goroutine.
type streamShare struct {
	enter func(ctx context.Context) (leave func(), err error)

	held  func() // gives back what was entered; nil while the stream does not count
	spent int    // events since then
	live  bool   // the stream has caught up
}

// spend is called for each event, before the work for it, with how many come after it. It fails
// if ctx ends before the stream may go on.
func (c *streamShare) spend(ctx context.Context, behind uint64) (err error) {
	switch {
	case behind == 0 || c.live && behind <= liveLag:
		c.live = true
		c.leave()
		return nil
	case c.held != nil && c.spent < shareTurn:
		c.spent++
		return nil
	}
	c.leave()
	c.live, c.spent = false, 0
	c.held, err = c.enter(ctx)
	return err
}

// leave lets others go first until the next event.
func (c *streamShare) leave() {
	if c.held != nil {
		c.held()
		c.held = nil
	}
}

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
