package collect

import (
	"fmt"
	"strings"
	"time"

	"candor/web/mew/wire"
)

// maxEnded is how many ended contexts are remembered for what comes late.
const maxEnded = 1000

// maxLate is how many messages of an ended context are kept.
const maxLate = 100

// reasoning is a context of a space: an agent's reasoning, or a part of it.
type reasoning struct {
	path   string
	owner  *speaker
	turn   *turn
	parent *reasoning // of the same turn; nil for its root
	agent  string     // of the session's events: "" for the root, sub-1 and so on
	seen   bool       // its start was seen, or it needs none
	over   bool
	visit  int       // of the owner, in which it began
	last   time.Time // of the latest message

	step      int     // the latest, from 1; 0 before the first
	stepEnded bool    // the latest step has ended
	thought   thought // the latest one
	messages  int     // so far
	late      int     // after the end
}

// id returns the last segment of the context's path: the id of the message that began it.
func (r *reasoning) id() string { return r.path[strings.LastIndexByte(r.path, '/')+1:] }

// Admit returns the canonical path of the message's context, "" for the main one. It refuses,
// with a [*wire.Refusal], a message for which there is no room, and one to cancel a reasoning
// that is not known. It changes nothing.
func (c *Collector) Admit(e wire.Envelope) (path string, err error) {
	path = c.canonical(e.Context)
	if c.folded == e.From+" "+e.ID {
		return path, nil
	}
	begins, depth, length := path, strings.Count(path, "/")+1, len(path)
	if e.Kind == kindStart && !e.Context.InPayload {
		begins = join(path, e.ID)
		depth, length = strings.Count(begins, "/")+1, len(begins)
	}
	switch {
	case begins == "" && e.Kind != kindCancel:
		return "", nil
	case depth > c.limits.Depth:
		return "", refusal(wire.CodeTooDeep, "Contexts may be %d levels deep.", c.limits.Depth)
	case length > c.limits.Length:
		return "", refusal(wire.CodeTooLong, "The path of a context may have %d bytes.", c.limits.Length)
	}
	if e.Kind == kindCancel {
		return path, c.admitCancel(e, path)
	}
	return path, c.admitInto(e, path, begins)
}

// admitInto checks whether the context has room for one more message, or the space for one
// more context.
func (c *Collector) admitInto(e wire.Envelope, path, begins string) error {
	if in := c.contexts[path]; in != nil {
		switch {
		case in.messages >= c.limits.Messages:
			return refusal(wire.CodeContextFull, "A context may have %d messages.", c.limits.Messages)
		case in.over && in.late >= maxLate:
			return refusal(wire.CodeContextFull, "This context has ended; %d messages after that are kept.", maxLate)
		case in.isTakenBy(e):
			return refusal(wire.CodeDuplicate, "Another participant has a context with this id. Choose your own.")
		}
	}
	known := c.contexts[begins]
	if known != nil && (e.Kind != kindStart || !known.seen) {
		return nil
	}
	if known != nil && !known.over && !known.leftBehind(e) {
		return refusal(wire.CodeDuplicate, "A context with this id is open. Begin a reasoning with a new id.")
	}
	return c.admitNew(e)
}

// isTakenBy reports whether a start names, in its payload, an open context of another as the one that it
// begins.
func (r *reasoning) isTakenBy(e wire.Envelope) bool {
	return e.Kind == kindStart && e.Context.InPayload && !r.over && r.owner.id != e.From
}

// admitNew checks whether the space has room for one more context.
func (c *Collector) admitNew(e wire.Envelope) error {
	each := 0
	if s := c.speakers[e.From]; s != nil {
		each = s.open
	}
	switch {
	case !creates(e.Kind):
	case c.open >= c.limits.Open:
		return refusal(wire.CodeTooManyContexts, "The space has %d open contexts. Conclude some first.", c.limits.Open)
	case each >= c.limits.OpenEach:
		return refusal(wire.CodeTooManyContexts,
			"A participant may have %d open contexts. Conclude some first.", c.limits.OpenEach)
	}
	return nil
}

// leftBehind reports whether a start is that of an agent that has joined anew and counts its ids
// from 1 again: the context of that id is one of its earlier visit.
func (r *reasoning) leftBehind(e wire.Envelope) bool {
	return e.Kind == kindStart && r.parent == nil && r.owner.id == e.From && r.visit < r.owner.visits
}

// admitCancel refuses to cancel what is not known.
func (c *Collector) admitCancel(e wire.Envelope, path string) error {
	if c.contexts[path] == nil && c.asked(e.CorrelationID) == nil {
		return refusal(wire.CodeUnknownContext,
			"No such reasoning is known. Name the id of its reasoning/start as the context.")
	}
	return nil
}

// creates reports whether a message of this kind begins the context that it names.
func creates(kind string) bool {
	switch kind {
	case kindStart, kindThought, kindRequest, kindProposal, kindConclusion:
		return true
	}
	return false
}

// refusal returns an error that the sender of a message gets, with a code of the protocol.
func refusal(code wire.Code, format string, args ...any) error {
	return &wire.Refusal{Code: code, Message: fmt.Sprintf(format, args...)}
}

// canonical returns the path of a context in the tree of the space. It may not be known yet.
func (c *Collector) canonical(ctx wire.Context) string {
	path := cleanPath(ctx.Path)
	if path == "" || c.contexts[path] != nil {
		return path
	}
	if known, ok := c.paths[path]; ok { // only the id of a nested context
		return known
	}
	if parent := cleanPath(ctx.Parent); parent != "" && parent != path {
		if known, ok := c.paths[parent]; ok {
			parent = known
		}
		return join(parent, path)
	}
	return path
}

// cleanPath returns a path without empty segments.
func cleanPath(path string) string {
	if !strings.HasPrefix(path, "/") && !strings.HasSuffix(path, "/") && !strings.Contains(path, "//") {
		return path
	}
	return strings.Join(strings.FieldsFunc(path, func(r rune) bool { return r == '/' }), "/")
}

// join appends a segment to a path.
func join(path, segment string) string {
	if path == "" {
		return segment
	}
	return path + "/" + segment
}

// add makes a context known. One of the same path that has ended is forgotten.
func (c *Collector) add(r *reasoning) *reasoning {
	r.last, r.visit = c.now(), r.owner.visits
	c.contexts[r.path] = r
	id := r.id()
	if other := c.contexts[c.paths[id]]; other == nil || other.over || other.owner == r.owner {
		c.paths[id] = r.path // an open context of another keeps its id
	}
	c.open++
	r.owner.open++
	return r
}

// close ends a context, and forgets the one that ended longest ago if there are too many.
func (c *Collector) close(r *reasoning) {
	if r.over {
		return
	}
	c.endStep(r)
	r.over = true
	c.open--
	r.owner.open--
	c.ended = append(c.ended, r)
	if len(c.ended) <= maxEnded {
		return
	}
	oldest := c.ended[0]
	c.ended = c.ended[1:]
	if c.contexts[oldest.path] == oldest {
		delete(c.contexts, oldest.path)
		if c.paths[oldest.id()] == oldest.path {
			delete(c.paths, oldest.id())
		}
	}
}

// count notes that a message was said in the context.
func (c *Collector) count(r *reasoning) {
	r.messages++
	r.last = c.now()
	if r.over {
		r.late++
	}
	for p := r.parent; p != nil; p = p.parent {
		p.last = r.last
	}
}
