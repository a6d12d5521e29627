package dialect

import (
	"maps"
	"slices"
	"strings"
	"time"

	"candor/attach"
)

// The bounds of spans that wait, and of the memory of spans that were returned.
const (
	// MaxWait bounds how long a span waits for its parent.
	MaxWait = 30 * time.Second
	// keepTrace is how long a trace is remembered after its last span.
	keepTrace = time.Hour

	maxTraces = 200     // of a user
	maxHeld   = 8 << 20 // bytes of a user's spans: what waits, and what is remembered of those that are told
	maxUp     = 200     // generations of a span that are looked at
)

// About how many bytes these take besides their texts.
const (
	traceBytes    = 2000
	spanBytes     = 500
	callBytes     = 250
	sightingBytes = 400
)

// Spans end from the inside out, so that what a span belongs to is known when the outermost has ended. To tell each
// span at once would be quicker and sometimes wrong: two runs below one span would be one turn, and a sub-agent's calls
// would be its caller's. To wait for ever would lose what a program did that was killed. So spans wait for a while.

// Traces holds a user's traces, in which spans may wait for their parents. The zero value is ready to use. It is not
// safe for concurrent use.
type Traces struct {
	// By their ids. A trace stays for a while when all of it is told, for spans that come late.
	byID map[string]*trace
	// About how many bytes all traces take.
	held int
	// How many spans of tools were not told since it was last asked.
	unmatched int
}

// trace is what is known of one trace. Who belongs to whom in it is in ancestry.go.
type trace struct {
	id string
	// All spans that have come, by their ids. Those that are told stay, since others may have them as parents.
	spans map[string]*bufferedSpan
	// Spans that wait, in the order in which they came: a model call before the tools that it asked for.
	buffered []*bufferedSpan
	// Turns by the outermost span of a branch, as far as it was known when a part of the branch was told.
	turns map[string]string
	// The spans that told how sub-agents began, by these.
	begun map[string]string
	// When the last span came, by our clock.
	heard time.Time
	// About how many bytes it takes: what waits, and what is remembered.
	size int

	// What all sightings of the trace share once the first of them was told: what the agent is called, and the
	// session of spans that name none.
	program string
	session string
	// The model that was told last, and by which span, so that each answer does not tell it again.
	lastModel, lastModelBy string
	// The calls that models asked for, in their order, and their ids.
	asked []asked
	known map[string]bool
	// The calls of which a span of a tool told the end.
	ran map[string]bool
}

// bufferedSpan is a span of a trace: what others need to know of it, and as long as it waits, what it tells.
type bufferedSpan struct {
	parent  string // empty for the outermost
	kind    spanKind
	session string // as the span calls it
	name    string // of the agent or the tool
	program string // as the process calls itself
	call    string // of a tool
	said    bool   // whether a model call tells what the model said

	// Whether a model call below it told something. Then what the span has of messages is a copy.
	below bool
	// When it came, by our clock.
	since time.Time
	// About how many bytes it takes itself, and what it tells.
	size, told int
	// What it tells; nil once it is told.
	node *Node
}

// Add takes a span. Ready returns its sightings, and those of spans that waited for it.
func (t *Traces) Add(now time.Time, n Node) {
	tr := t.of(n.traceID)
	tr.heard = now
	was := tr.spans[n.id]
	if was != nil && was.node != nil {
		return // it waits already
	}
	s := &bufferedSpan{
		parent: n.parent, kind: n.kind, session: n.session, name: n.name, program: n.program, call: n.call,
		since: now, node: &n, size: spanBytes + len(n.session) + len(n.name) + len(n.call),
		told: sizeOf(n.facts) + sizeOf(n.flat) + sizeOf(n.echoes),
		said: n.kind == isModel && slices.ContainsFunc(n.facts, func(f attach.Sighting) bool {
			return f.Said != nil || f.Called != nil
		}),
	}
	// A span that was told and comes again is told again, with all that it told before: the request that it came with
	// may have failed.
	if was != nil {
		s.below = was.below
		t.grow(tr, -was.size)
	}
	tr.spans[n.id] = s
	tr.buffered = append(tr.buffered, s)
	t.grow(tr, s.size+s.told)
	if tr.session == "" {
		tr.session = n.session
	}
}

// of returns a trace.
func (t *Traces) of(id string) *trace {
	if t.byID == nil {
		t.byID = map[string]*trace{}
	}
	tr := t.byID[id]
	if tr == nil {
		tr = &trace{
			id: id, spans: map[string]*bufferedSpan{}, turns: map[string]string{}, begun: map[string]string{},
			known: map[string]bool{}, ran: map[string]bool{},
		}
		t.byID[id] = tr
		t.grow(tr, traceBytes)
	}
	return tr
}

// grow counts bytes of a trace.
func (t *Traces) grow(tr *trace, bytes int) {
	tr.size += bytes
	t.held += bytes
}

// Ready returns the sightings that are complete by now: those of spans whose outer spans have all arrived, and of spans
// that have waited long enough.
func (t *Traces) Ready(now time.Time) (out []attach.Sighting) {
	for _, tr := range t.byID {
		out = append(out, t.settle(tr, now.Add(-MaxWait))...)
	}
	t.Forget(now.Add(-keepTrace))
	if !t.full() {
		return out
	}
	// Where there is no room, the trace that was silent the longest is told as far as it is known and begins anew with
	// its next span. Nothing is dropped.
	for _, tr := range slices.SortedFunc(maps.Values(t.byID), earlier) {
		if !t.full() {
			break
		}
		out = append(out, t.end(tr)...)
	}
	return out
}

// full reports whether more is held than may be.
func (t *Traces) full() bool { return len(t.byID) > maxTraces || t.held > maxHeld }

// earlier compares traces by when their last spans came.
func earlier(a, b *trace) int {
	if c := a.heard.Compare(b.heard); c != 0 {
		return c
	}
	return strings.Compare(a.id, b.id)
}

// Forget drops the traces in which no span waits and none has arrived since a time.
func (t *Traces) Forget(since time.Time) {
	for _, tr := range t.byID {
		if len(tr.buffered) == 0 && !tr.heard.After(since) {
			t.end(tr)
		}
	}
}

// All returns the sightings of all waiting spans at once and forgets everything.
func (t *Traces) All() (out []attach.Sighting) {
	for _, tr := range t.byID {
		out = append(out, t.end(tr)...)
	}
	return out
}

// end returns what waits of a trace, and forgets it.
func (t *Traces) end(tr *trace) []attach.Sighting {
	out := t.settle(tr, tr.heard.Add(1))
	t.held -= tr.size
	delete(t.byID, tr.id)
	return out
}

// Unmatched returns how many tool spans were dropped since its last call, because each fits several calls, or none that
// is left.
func (t *Traces) Unmatched() int {
	n := t.unmatched
	t.unmatched = 0
	return n
}

// Held returns about how many bytes of memory the waiting and the remembered spans take.
func (t *Traces) Held() int { return t.held }

// Empty reports whether nothing is held.
func (t *Traces) Empty() bool { return len(t.byID) == 0 }

// settle returns what the spans of a trace tell that have all around them or came before late.
func (t *Traces) settle(tr *trace, late time.Time) (out []attach.Sighting) {
	var still, ready []*bufferedSpan
	var around [][]ancestor
	for _, s := range tr.buffered {
		ancestry, whole := tr.ancestry(s)
		if !whole && !s.since.Before(late) {
			still = append(still, s)
			continue
		}
		ready, around = append(ready, s), append(around, ancestry)
		for _, a := range ancestry[1:] {
			if a.span != nil && s.kind == isModel && len(s.node.facts) > 0 {
				a.span.below = true
			}
		}
	}
	// All marks are set and calls found before anything is told: an outer span may have come before the inner ones, and
	// what is inside a tool's span comes before it.
	for i, s := range ready {
		place, more := tr.nest(s, around[i])
		around[i] = around[i][place:]
		t.grow(tr, more)
	}
	unclear := map[*bufferedSpan]bool{}
	for _, s := range ready {
		t.grow(tr, tr.ask(s.kind, s.node.facts))
		unclear[s] = s.kind == isTool && s.call == s.node.id && !tr.match(s)
		if s.kind == isTool && !tr.ran[s.call] {
			tr.ran[s.call] = true
			t.grow(tr, callBytes+len(s.call))
		}
	}
	for _, s := range ready {
		for _, f := range s.node.echoes {
			if tr.known[f.Call] && !tr.ran[f.Call] {
				s.node.facts = append(s.node.facts, f)
			}
		}
	}
	for i, s := range ready {
		if unclear[s] {
			t.unmatched++
		} else {
			out = append(out, tr.tell(s, around[i])...)
		}
		t.grow(tr, -s.told)
		s.node = nil
	}
	tr.buffered = still
	return out
}

// sizeOf returns about how many bytes sightings take.
func sizeOf(list []attach.Sighting) (n int) {
	for _, s := range list {
		n += sightingBytes
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
