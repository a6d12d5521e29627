package telemetry

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"candor/attach"
	"candor/attach/dialect"
	"candor/attach/otlp"
	"candor/web"
)

// sweepEvery is how often the server looks for spans that have waited long enough, and maxHeld bounds the spans of all
// users, in bytes.
const (
	sweepEvery = 5 * time.Second
	maxHeld    = 64 << 20
)

// userSpans are a user's spans. Its lock is held while they are told, so that they are told in order.
type userSpans struct {
	mu     sync.Mutex
	traces dialect.Traces

	// How many bytes they took when they were counted last. It is guarded by the server's lock, since it is a part of
	// the sum that the server keeps.
	held int
}

// take takes a user's spans and records what they tell by now. If this fails, what was ready is lost, as it is in
// every exporter whose collector refuses it.
func (s *Server) take(ctx context.Context, user string, nodes []dialect.Node) (refused int, err error) {
	w, err := s.locked(user)
	if err != nil {
		return 0, err
	}
	defer w.mu.Unlock()
	now := s.Now()
	for _, n := range nodes {
		w.traces.Add(now, n)
	}
	all := w.traces.Ready(now)
	// Where all users together fill the room, whoever sends makes some: of what is told, and if that is not enough, of
	// what waits, too. The sweep makes the others forget.
	if s.weigh(user, w) {
		w.traces.Forget(now.Add(-dialect.MaxWait))
		if s.weigh(user, w) {
			all = append(all, w.traces.All()...)
			s.weigh(user, w)
		}
	}
	return s.record(ctx, user, all)
}

// locked returns a user's spans, with their lock held. It fails once the server is closed.
func (s *Server) locked(user string) (*userSpans, error) {
	for {
		w, err := s.of(user)
		if err != nil {
			return nil, err
		}
		if s.lock(user, w) {
			return w, nil
		}
	}
}

// lock locks a user's spans. It returns false, with nothing locked, if they are not that user's any more: they were
// forgotten while somebody waited for the lock, and what is added to them would be lost.
func (s *Server) lock(user string, w *userSpans) bool {
	w.mu.Lock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users[user] == w {
		return true
	}
	w.mu.Unlock()
	return false
}

// weigh counts a user's spans, and reports whether those of all users are more than may be.
func (s *Server) weigh(user string, w *userSpans) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	// A session that was erased meanwhile takes its spans with it: what waits here is nobody's any more.
	if s.users[user] != w {
		return false
	}
	s.held += w.traces.Held() - w.held
	w.held = w.traces.Held()
	s.counts.Lost[dialect.Unmatched] += w.traces.Unmatched()
	return s.held > maxHeld
}

// record records sightings, if there are any.
func (s *Server) record(ctx context.Context, user string, all []attach.Sighting) (refused int, err error) {
	if len(all) == 0 {
		return 0, nil
	}
	return s.Recorder.Record(ctx, user, all)
}

// of returns a user's spans. It fails once the server is closed.
func (s *Server) of(user string) (*userSpans, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed
	}
	w := s.users[user]
	if w == nil {
		w = &userSpans{}
		s.users[user] = w
	}
	return w, nil
}

// all returns all users with their spans.
func (s *Server) all() map[string]*userSpans {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make(map[string]*userSpans, len(s.users))
	for user, w := range s.users {
		all[user] = w
	}
	return all
}

// sweep tells what has waited long enough, until the server closes.
func (s *Server) sweep(ctx context.Context) {
	defer close(s.done)
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			// What is told is recorded, even if the server closes meanwhile.
			s.release(context.WithoutCancel(ctx), s.ready)
		}
	}
}

// ready returns what has waited long enough. Where there is no room, what is told is forgotten earlier.
func (s *Server) ready(t *dialect.Traces) []attach.Sighting {
	all := t.Ready(s.Now())
	s.mu.Lock()
	full := s.held > maxHeld*7/8
	s.mu.Unlock()
	if full {
		t.Forget(s.Now().Add(-dialect.MaxWait))
	}
	return all
}

// release records what each user's spans tell by a function, and forgets users of whom nothing is remembered.
func (s *Server) release(ctx context.Context, told func(*dialect.Traces) []attach.Sighting) {
	for user, w := range s.all() {
		if !s.lock(user, w) {
			continue // a session that was erased took them with it
		}
		all := told(&w.traces)
		s.weigh(user, w)
		if w.traces.Empty() {
			s.drop(user, w)
		}
		_, err := s.record(ctx, user, all)
		w.mu.Unlock()
		if err != nil {
			s.Log.Warn("telemetry not recorded", "error", err)
		}
	}
}

// drop removes a user's spans.
func (s *Server) drop(user string, w *userSpans) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users[user] == w {
		s.held -= w.held
		delete(s.users, user)
	}
}

// Forget drops the waiting spans of a user, and what was not read of others, a part of whose session was erased. It may
// be called while the session is locked.
func (s *Server) Forget(user string) {
	s.mu.Lock()
	w := s.users[user]
	delete(s.unread, user)
	s.mu.Unlock()
	if w != nil {
		s.drop(user, w)
	}
}

// Close refuses further spans, ends the goroutine and records all waiting spans. When it returns, every span that was
// answered with 200 has gone to the Recorder.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.stop()
	<-s.done
	s.release(context.Background(), (*dialect.Traces).All)
}

// tooLong is what is lost of a fact that a session does not take.
const tooLong = "a fact with an id that is too long"

// Other programs choose the names of spans and events. They are cleaned and reduced to plain characters before they
// appear in the answer to the user who sent them, whose exporter logs it, and in that user's status. They are never
// labels of metrics.

// lost counts what could not be read, by what and by the name of the span or event, which is clean.
type lost map[dialect.Loss]int

// The bounds of the names in an answer, and of those that are kept.
const (
	maxNamed = 8
	maxKept  = 100
)

// add counts a loss n times, if it is one, under its name as clean leaves it; nil is for a name that is clean.
func (l lost) add(loss dialect.Loss, n int, clean func(text string) string) {
	if loss == (dialect.Loss{}) {
		return
	}
	if clean != nil && loss.Name != "" {
		loss.Name = dialect.Plain(clean(loss.Name))
	}
	if l[loss] == 0 && len(l) >= maxKept {
		loss.Name = "" // names are theirs, and may be many
	}
	l[loss] += n
}

// refused counts sightings that the session did not take.
func (l lost) refused(n int) {
	if n > 0 {
		l[dialect.Loss{What: tooLong}] += n
	}
}

// sorted returns what was lost, in an order that does not change.
func (l lost) sorted() (all []web.UnreadTelemetry) {
	for loss, n := range l {
		all = append(all, web.UnreadTelemetry{What: loss.What, Name: loss.Name, Count: n})
	}
	slices.SortFunc(all, func(a, b web.UnreadTelemetry) int { return strings.Compare(a.What+a.Name, b.What+b.Name) })
	return all
}

// partial says what was lost.
func (l lost) partial() (p otlp.Partial) {
	var lines []string
	for _, one := range l.sorted() {
		p.Rejected += one.Count
		line := fmt.Sprintf("%d × %s", one.Count, one.What)
		if one.Name != "" {
			line += " (" + one.Name + ")"
		}
		lines = append(lines, line)
	}
	if len(lines) > maxNamed {
		lines = append(lines[:maxNamed], "and others")
	}
	if len(lines) > 0 {
		p.Message = "not read: " + strings.Join(lines, "; ")
	}
	return p
}
