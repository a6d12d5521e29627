package session

import (
	"context"
	"iter"
	"sync"
	"sync/atomic"

	"candor/safety"
)

const (
	// maxRecentParts and maxRecentBytes bound the parts that a session keeps for readers who
	// are behind.
	maxRecentParts = 512
	maxRecentBytes = 256 << 10
	// maxRunningBytes bounds the text of one running step that is kept for new readers.
	maxRunningBytes = 128 << 10
)

// StepText is a part of what an agent says in a step, published while its model is still
// speaking. It is not in the log: the step's Narrated event, or the event that ends the
// turn, replaces the parts.
type StepText struct {
	Ref
	Step    int         // from 1 for each agent
	Index   int         // ascending; a part with index 0 replaces all earlier parts of the step
	Text    safety.Text // whole sentences, to be appended; empty in a part that withdraws the others
	Session string      // id of the session; set by PublishText
	Number  uint64      // of the part among all of the session, from 1; set by PublishText
}

// live holds what the agents of a session are saying. It belongs to a Session, whose mu
// comes before its own, and the log's after it. It is safe for concurrent use.
type live struct {
	log *Log

	next atomic.Uint64 // number of parts ever published; changed under mu

	mu      sync.Mutex
	running map[Ref][]StepText // the parts of the steps that are not settled
	recent  []livePart         // the latest parts of all steps
	size    int                // bytes of text in recent
}

// livePart is a part and the position in the log behind which readers get it.
type livePart struct {
	StepText
	after uint64
}

// PublishText gives a part of a running step to the readers of WatchLive. It never waits
// for them, and keeps a bounded number of bytes. Parts of a turn that does not run are
// dropped.
func (s *Session) PublishText(t StepText) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	th, err := s.lookup(t.Thread)
	if err != nil {
		return
	}
	if turn, err := th.turn(t.Turn); err == nil && turn.head.State == Processing {
		s.live.publish(t)
	}
}

// publish adds a part and wakes the readers, who wait for the log.
func (l *live) publish(t StepText) {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.log.wakeAll()
	t.Session, t.Number = l.log.session, l.next.Load()+1
	parts := l.running[t.Ref]
	if t.Index == 0 {
		parts = nil
	}
	if textSize(parts)+len(t.Text.String()) <= maxRunningBytes {
		l.running[t.Ref] = append(parts, t)
	}
	l.recent = append(l.recent, livePart{t, l.log.Head()})
	l.size += len(t.Text.String())
	for len(l.recent) > 1 && (len(l.recent) > maxRecentParts || l.size > maxRecentBytes) {
		l.size -= len(l.recent[0].Text.String())
		l.recent = l.recent[1:]
	}
	l.next.Add(1)
}

func textSize(parts []StepText) (n int) {
	for _, p := range parts {
		n += len(p.Text.String())
	}
	return n
}

// settle forgets what an agent was saying, as its event says it for good. The end of a
// turn settles all its agents. An event that says the same part by part settles nothing, and
// neither does what its user says about an earlier decision.
func (l *live) settle(e Event, ended bool) {
	switch e.Body.(type) {
	case Spoken, DecisionRated:
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.running, e.Ref)
	if ended {
		for ref := range l.running {
			if ref.turn() == e.turn() {
				delete(l.running, ref)
			}
		}
	}
}

// liveCursor is a reader's position among the live parts.
type liveCursor struct {
	next   uint64 // number of the next part
	joined bool   // the reader has got the running steps
}

// since returns the parts that a reader at a position of the log has not got and may get
// now. A reader that is new, or too far behind, gets the running steps from their
// beginning, once it has read the whole log. Readers that miss nothing take no lock.
func (l *live) since(c *liveCursor, position uint64) (parts []StepText) {
	if c.joined && c.next == l.next.Load() {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	next := l.next.Load()
	oldest := next - uint64(len(l.recent))
	switch {
	case c.joined && c.next >= oldest:
		for _, p := range l.recent[c.next-oldest:] {
			if p.after > position {
				break
			}
			parts = append(parts, p.StepText)
			c.next++
		}
	case l.log.Head() == position:
		for _, said := range l.running {
			parts = append(parts, said...)
		}
		*c = liveCursor{next: next, joined: true}
	}
	return parts
}

// WatchLive is Watch with what the running steps say in between. An update with a Text has
// no Event and no Turn. A step's parts come before the event that settles them; a reader
// that begins in the middle of a step first gets its parts so far, and one that is too slow
// may miss some.
func (s *Session) WatchLive(ctx context.Context, after uint64) iter.Seq2[Update, error] {
	return func(yield func(Update, error) bool) {
		s.log.countReader(+1)
		defer s.log.countReader(-1)
		w := liveWatch{Session: s, after: after, position: after}
		for ctx.Err() == nil {
			changed, open := w.pass(ctx, yield)
			if !open {
				return
			}
			if changed == nil {
				continue
			}
			select {
			case <-changed:
			case <-ctx.Done():
			}
		}
	}
}

// pass yields what there is. It returns a channel that is closed once there is more, or nil if that
// may be now. open is false if the iteration is over. It is not a part of WatchLive so that a reader
// that waits has a small stack.
func (w *liveWatch) pass(
	ctx context.Context, yield func(Update, error) bool,
) (changed <-chan struct{}, open bool) {
	w.meet()
	events, changed, err := w.log.read(ctx, w.position)
	if err != nil {
		yield(Update{}, err)
		return nil, false
	}
	for _, e := range events {
		if ctx.Err() != nil || !w.yieldTexts(yield) || !w.yieldEvent(e, yield) {
			return nil, false
		}
	}
	if len(events) > 0 {
		return nil, true
	}
	// A part that is published from here on closes changed.
	parts := w.live.since(&w.cursor, w.position)
	if !yieldParts(parts, yield) || changed == nil {
		return nil, false
	}
	if len(parts) > 0 {
		return nil, true
	}
	return changed, true
}

// liveWatch is the state of one iteration of WatchLive.
type liveWatch struct {
	*Session
	after    uint64    // the reader wants the events behind this one
	position uint64    // the last event that was read
	open     openTurns // nil while the reader uses the fold that is shared
	cursor   liveCursor
}

// yieldTexts yields the parts that come before the next event.
func (w *liveWatch) yieldTexts(yield func(Update, error) bool) bool {
	if !w.cursor.joined {
		return true
	}
	return yieldParts(w.live.since(&w.cursor, w.position), yield)
}

func (w *liveWatch) yieldEvent(e Event, yield func(Update, error) bool) bool {
	w.position = e.Seq
	if w.open == nil {
		return e.Seq <= w.after || yield(Update{Event: e, reader: w.Session}, nil)
	}
	turn, err := w.foldAmong(w.open, e)
	if err != nil {
		yield(Update{}, err)
		return false
	}
	return e.Seq <= w.after || yield(Update{Event: e, Turn: turn.turn()}, nil)
}

func yieldParts(parts []StepText, yield func(Update, error) bool) bool {
	for i := range parts {
		if !yield(Update{Text: &parts[i]}, nil) {
			return false
		}
	}
	return true
}
