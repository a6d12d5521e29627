package dialect

import (
	"time"

	"candor/attach"
)

// The bounds of what waits, and of what is remembered of spans that are told.
const (
	// MaxWait is how long a span waits for its parent.
	MaxWait = 30 * time.Second
	// keepTrace is how long the family of a trace is remembered after its last span.
	keepTrace = time.Hour

	maxTraces = 200     // of a user
	maxSpans  = 20_000  // of a trace
	maxHeld   = 8 << 20 // bytes of a user's sightings that wait
	maxUp     = 200     // generations of a span that are looked at
)

// Spans end from the inside out, so that what a span belongs to is known when the outermost has ended. To tell each
// span at once would be quicker and sometimes wrong: two runs below one span would be one turn, and a sub-agent's calls
// would be its caller's. To wait for ever would lose what a program did that was killed. So spans wait for a while.

// Traces are a user's traces, of which spans may wait for their parents. The zero value is ready to use. It is not safe
// for concurrent use.
type Traces struct {
	// By their ids. A trace stays for a while when all of it is told, for spans that come late.
	byID map[string]*family
	// About how many bytes wait.
	held int
	// How many spans of tools were not told since it was last asked.
	unmatched int
}

// family is what is known of one trace. Who belongs to whom in it is in family.go.
type family struct {
	id string
	// All spans that have come, by their ids. Those that are told stay, since others may have them as parents.
	spans map[string]*kin
	// Spans that wait, in the order in which they came: a model call before the tools that it asked for.
	waiting []*kin
	// Turns by the outermost span of a branch, as far as it was known when a part of the branch was told.
	turns map[string]string
	// The spans that told how sub-agents began, by these.
	begun map[string]string
	// When the last span came, by our clock.
	heard time.Time

	// What all sightings of the trace share once the first of them was told: what the agent is called, and the
	// session of spans that name none.
	program string
	session string
	// The model that was told last, and by which span, so that each answer does not tell it again.
	lastModel, lastModelBy string
	// The calls that models asked for, in their order, and their ids.
	asked []asked
	known map[string]bool
}

// kin is a span of a trace: what others need to know of it, and as long as it waits, what it tells.
type kin struct {
	parent  string // empty for the outermost
	kind    spanKind
	session string // as the span calls it
	name    string // of the agent or the tool
	program string // as the process calls itself
	call    string // of a tool

	// Whether a model call below it told something. Then what the span has of messages is a copy.
	below bool
	// When it came, by our clock.
	since time.Time
	// About how many bytes its sightings take.
	size int
	// What it tells; nil once it is told.
	node *Node
}

// Add takes a span. What it and others tell is returned by Ready.
func (t *Traces) Add(now time.Time, n Node) {
	if t.byID == nil {
		t.byID = map[string]*family{}
	}
	tr := t.byID[n.trace]
	if tr == nil {
		tr = &family{
			id: n.trace, spans: map[string]*kin{}, turns: map[string]string{}, begun: map[string]string{},
			known: map[string]bool{},
		}
		t.byID[n.trace] = tr
	}
	tr.heard = now
	// A span that was told and comes again is told again, with all that it told before: the request that it came with
	// may have failed.
	was := tr.spans[n.id]
	if was != nil && was.node != nil || was == nil && len(tr.spans) >= maxSpans {
		return // it waits already; or nobody will ever read so many
	}
	s := &kin{
		parent: n.parent, kind: n.kind, session: n.session, name: n.name, program: n.program, call: n.call,
		since: now, node: &n, size: sizeOf(n.facts) + sizeOf(n.flat),
	}
	if was != nil {
		s.below = was.below
	}
	tr.spans[n.id] = s
	tr.waiting = append(tr.waiting, s)
	t.held += s.size
	if tr.session == "" {
		tr.session = n.session
	}
}

// Ready returns what is known by now: of the spans whose outer spans are all there, and of those that have waited long
// enough.
func (t *Traces) Ready(now time.Time) (out []attach.Sighting) {
	for id, tr := range t.byID {
		out = append(out, t.settle(tr, now.Add(-MaxWait))...)
		if len(tr.waiting) == 0 && now.Sub(tr.heard) >= keepTrace {
			delete(t.byID, id)
		}
	}
	// Where there is no room, the trace that was silent the longest is told as far as it is known. Nothing is dropped.
	for len(t.byID) > maxTraces || t.held > maxHeld {
		tr := t.silent()
		out = append(out, t.settle(tr, tr.heard.Add(1))...)
		delete(t.byID, tr.id)
	}
	return out
}

// All returns what waits, without waiting longer.
func (t *Traces) All() (out []attach.Sighting) {
	for _, tr := range t.byID {
		out = append(out, t.settle(tr, tr.heard.Add(1))...)
	}
	return out
}

// Unmatched returns how many spans of tools were not told since it was last asked, because they fit several calls or
// none that is left.
func (t *Traces) Unmatched() int {
	n := t.unmatched
	t.unmatched = 0
	return n
}

// Held returns how many bytes wait.
func (t *Traces) Held() int { return t.held }

// Empty reports whether nothing is remembered.
func (t *Traces) Empty() bool { return len(t.byID) == 0 }

// silent returns the trace that was heard the longest ago.
func (t *Traces) silent() (oldest *family) {
	for _, tr := range t.byID {
		if oldest == nil || tr.heard.Before(oldest.heard) || tr.heard.Equal(oldest.heard) && tr.id < oldest.id {
			oldest = tr
		}
	}
	return oldest
}

// settle returns what the spans of a trace tell that have all around them or came before late.
func (t *Traces) settle(tr *family, late time.Time) (out []attach.Sighting) {
	var still, ready []*kin
	var around [][]ancestor
	for _, s := range tr.waiting {
		line, whole := tr.line(s)
		if !whole && !s.since.Before(late) {
			still = append(still, s)
			continue
		}
		ready, around = append(ready, s), append(around, line)
		for _, a := range line[1:] {
			if a.span != nil && s.kind == isModel && len(s.node.facts) > 0 {
				a.span.below = true
			}
		}
	}
	// All marks are set and calls found before anything is told: an outer span may have come before the inner ones, and
	// what a tool's span has inside comes before it.
	alone := map[*kin]bool{}
	for _, s := range ready {
		tr.ask(s.kind, s.node.facts)
		alone[s] = s.kind == isTool && s.call == s.node.id && !tr.match(s)
	}
	for i, s := range ready {
		if alone[s] {
			t.unmatched++
		} else {
			out = append(out, tr.tell(s, around[i])...)
		}
		t.held -= s.size
		s.node, s.size = nil, 0
	}
	tr.waiting = still
	return out
}

// sizeOf returns about how many bytes sightings take.
func sizeOf(list []attach.Sighting) (n int) {
	for _, s := range list {
		n += 400
		switch {
		case s.Prompted != nil:
			n += len(s.Prompted.Text)
		case s.Said != nil:
			n += len(s.Said.Text)
		case s.Called != nil:
			n += len(s.Called.Tool) + len(s.Called.Params)
		case s.Returned != nil:
			n += len(s.Returned.Result) + len(s.Returned.Error)
		case s.Ended != nil:
			n += len(s.Ended.Answer) + len(s.Ended.Error)
		}
	}
	return n
}
