package jobs

import (
	"slices"
	"strconv"

	"candor/safety"
	"candor/session"
)

// identity is the call that a post was found to be about. It is inferred if the worker's
// ids did not decide it, and the tool's name and the order of events had to.
type identity struct {
	call     *call
	inferred bool
}

// label returns our id for the call.
func (f identity) label() string { return "call_" + strconv.Itoa(f.call.number) }

// call is what a callTable knows about one call of a run.
type call struct {
	number  int // N of our id call_N
	id      digest
	agent   digest
	tool    digest
	name    safety.Text // of the tool
	used    bool        // a tool_use was posted
	ended   bool        // a tool_result was posted
	decided bool        // a decision with its final outcome was posted
	planned bool        // a decision was posted while the call was pending
	shared  bool        // another call of the tool with the same id was open at the same time
}

func (c *call) named() bool { return c.id != digest{} }

// undecided reports whether a decision about the call may still come.
func (c *call) undecided() bool { return !c.decided && (!c.planned || !c.ended) }

// settled reports whether no post without an id can be about the call any more.
func (c *call) settled() bool { return c.ended && !c.undecided() }

// maxCandidates bounds the calls of one tool, and those of one id, that a post may refer
// to. The newest are kept. It is above the number of decisions that one post may have.
const maxCandidates = 512

// callTable maps the ids that the worker of a run gives its calls to ours: call_1,
// call_2 and so on, unique in the job. The run's lock guards it. It holds digests only;
// the run's budget, to which each call adds callCost, bounds it.
//
// Workers may use an id again: providers number the calls of each answer anew. So a
// tool_use begins another call even if its id is known, unless all that is known of the id is a
// result, and a result belongs to the oldest call with its id and tool that has no result yet. A decision belongs to
// the
// latest such call without one. That is certain unless two calls of a tool with one id
// were open at the same time. An agent's name is part of the id.
type callTable struct {
	last     int                // number of the latest call
	remapped bool               // some id that was spelled call_N stands for a call with another number
	byID     map[digest][]*call // by agent and worker's id
	byTool   map[digest][]*call // by agent and tool, only calls that are not settled
	byNumber map[int]*call
	restored []*call // from the log, which does not have the worker's ids; those that no post has named since
}

// assign returns a draft's body with our ids of its calls.
func (t *callTable) assign(d draft) session.Body {
	switch b := d.entry.Body.(type) {
	case session.JobToolUse:
		b.Caller = t.caller(d.caller)
		found := t.use(d.refs[0])
		b.Call, b.Inferred = found.label(), found.inferred
		return b
	case session.JobToolResult:
		found := t.end(d.refs[0])
		b.Call, b.Inferred, b.Tool = found.label(), found.inferred, found.call.name
		return b
	case session.JobReasoned:
		b.Caller = t.caller(d.caller)
		for i, found := range t.decide(d.refs) {
			b.Decisions[i].Call, b.Decisions[i].Inferred = found.label(), found.inferred
		}
		return b
	}
	return d.entry.Body
}

// caller returns our id of the call within which an agent works: the latest with the first of the references that a
// call has, "" if none has one.
func (t *callTable) caller(refs []reference) string {
	for _, ref := range refs {
		any := func(*call) bool { return true }
		if list := t.byID[ref.id]; len(list) > 0 {
			return identity{call: list[len(list)-1]}.label()
		}
		if own := t.ours(ref, any); own != nil {
			return identity{call: own}.label()
		}
	}
	return ""
}

// use returns the call that a tool_use begins. That is a new one, unless a decision has
// announced it.
func (t *callTable) use(ref reference) (found identity) {
	announced := func(c *call) bool { return !c.used && !c.ended && c.tool == ref.tool }
	if ref.named() {
		if found = first(filter(t.byID[ref.id], announced)); found.call == nil {
			found.call = t.early(ref)
		}
		if found.call == nil {
			found = t.adopt(ref, func(c *call) bool { return announced(c) && c.planned })
		}
	} else {
		found = first(filter(t.ofTool(ref), func(c *call) bool { return announced(c) && c.planned && !c.named() }))
		found.inferred = true
	}
	if found.call == nil {
		found = identity{call: t.add(ref)}
	}
	found.call.used = true
	return found
}

// early returns the call whose result came before its tool_use, nil if there is none: posts of a worker may overtake
// each other. It is the only one with ref's id, since the result of a call that is posted twice looks the same.
func (t *callTable) early(ref reference) *call {
	list := t.byID[ref.id]
	if len(list) != 1 {
		return nil
	}
	c := list[0]
	if c.used || !c.ended || c.tool != ref.tool && c.tool != (digest{}) {
		return nil
	}
	if c.tool == (digest{}) {
		c.tool, c.name = ref.tool, ref.name
	}
	return c
}

// end returns the call that a tool_result ends. A result with an id that no open call has
// gets a call of its own.
func (t *callTable) end(ref reference) (found identity) {
	open := func(c *call) bool { return !c.ended && (ref.tool == digest{} || c.tool == ref.tool) }
	if ref.named() {
		if found = first(filter(t.byID[ref.id], open)); found.call == nil {
			found.call = t.ours(ref, open)
		}
		if found.call == nil {
			found = t.adopt(ref, open)
		}
	} else {
		list := filter(t.ofTool(ref), open)
		found = first(slices.Concat(
			filter(list, func(c *call) bool { return c.used && !c.named() }),
			filter(list, func(c *call) bool { return !c.used || c.named() })))
		found.inferred = true
	}
	if found.call == nil {
		found = identity{call: t.add(ref)}
	}
	found.call.ended = true
	return found
}

// decide returns the calls that the decisions of one post explain, in their order. If
// fewer decisions than undecided calls share an id or a tool, they explain the latest
// calls: the post is about the step that has just ended.
func (t *callTable) decide(refs []reference) []identity {
	queues := map[digest][]identity{}
	found := make([]identity, len(refs))
	for i, ref := range refs {
		key := digestOf(string(ref.id[:]), string(ref.agent[:]), string(ref.tool[:]))
		queue, known := queues[key]
		if !known {
			same := func(r reference) bool { return r.id == ref.id && r.agent == ref.agent && r.tool == ref.tool }
			queue = t.undecided(ref, len(filter(refs, same)))
		}
		if len(queue) > 0 {
			found[i], queues[key] = queue[0], queue[1:]
		} else {
			found[i], queues[key] = t.repeated(ref), queue
		}
		if found[i].call == nil {
			found[i] = identity{call: t.add(ref)}
		}
		c := found[i].call
		c.planned = c.planned || ref.outcome == session.Pending
		c.decided = c.decided || ref.outcome != session.Pending
	}
	return found
}

// undecided returns the latest n calls without a decision that ref may refer to, oldest
// first.
func (t *callTable) undecided(ref reference, n int) []identity {
	open := func(c *call) bool { return c.tool == ref.tool && c.undecided() }
	if ref.named() {
		list := filter(t.byID[ref.id], open)
		if len(list) == 0 {
			if own := t.ours(ref, open); own != nil {
				return []identity{{call: own}}
			}
			if guessed := t.adopt(ref, open); guessed.call != nil {
				return []identity{guessed}
			}
		}
		return identities(list, n, n > 1)
	}
	list := filter(t.ofTool(ref), open)
	if plain := filter(list, func(c *call) bool { return !c.named() }); len(plain) > 0 {
		list = plain
	}
	return identities(list, n, true)
}

// repeated returns the latest call that ref names by its id, though it has a decision: a
// worker may post a step's reasons once more when they have changed.
func (t *callTable) repeated(ref reference) identity {
	same := func(c *call) bool { return c.tool == ref.tool }
	if !ref.named() {
		return identity{}
	}
	list := filter(t.byID[ref.id], same)
	if len(list) == 0 {
		return identity{call: t.ours(ref, same)}
	}
	return identity{call: list[len(list)-1], inferred: list[len(list)-1].shared}
}

// ours returns the call that ref names by our id, nil if there is none. A worker that
// resumes a job has read our ids in the log and may use them. That is only clear as long
// as all ids of the worker that look like ours are ours, and it never posted this one.
func (t *callTable) ours(ref reference, fits func(*call) bool) *call {
	own := t.byNumber[ref.number]
	if t.remapped || own == nil || own.agent != ref.agent || len(t.byID[ref.id]) > 0 || !fits(own) {
		return nil
	}
	return own
}

// add begins another call. Its number is the next one, or the worker's if that is spelled
// like ours and not taken.
func (t *callTable) add(ref reference) *call {
	if t.byID == nil {
		t.byID, t.byTool, t.byNumber = map[digest][]*call{}, map[digest][]*call{}, map[int]*call{}
	}
	t.last = max(t.last+1, ref.number)
	t.remapped = t.remapped || ref.number > 0 && ref.number != t.last
	c := &call{number: t.last, id: ref.id, agent: ref.agent, tool: ref.tool, name: ref.name}
	if c.named() {
		for _, other := range t.byID[c.id] {
			if !other.ended && other.tool == c.tool {
				other.shared, c.shared = true, true
			}
		}
		t.byID[c.id] = latest(append(t.byID[c.id], c))
	}
	key := toolKey(ref)
	if len(t.byTool[key]) >= maxCandidates {
		t.byTool[key] = slices.DeleteFunc(t.byTool[key], (*call).settled)
	}
	t.byTool[key] = latest(append(t.byTool[key], c))
	t.byNumber[c.number] = c
	return c
}

// ofTool returns the calls of ref's agent and tool that a post without an id may be
// about.
func (t *callTable) ofTool(ref reference) []*call { return t.byTool[toolKey(ref)] }

func toolKey(ref reference) digest { return digestOf(string(ref.agent[:]), string(ref.tool[:])) }

// latest drops the oldest calls beyond maxCandidates.
func latest(list []*call) []*call { return list[max(0, len(list)-maxCandidates):] }

// first returns the first of several calls, which is inferred if it shares its id.
func first(list []*call) identity {
	if len(list) == 0 {
		return identity{}
	}
	return identity{call: list[0], inferred: list[0].shared}
}

// identities returns the last n calls.
func identities(list []*call, n int, inferred bool) []identity {
	var out []identity
	for _, c := range list[max(0, len(list)-n):] {
		out = append(out, identity{c, inferred || c.shared})
	}
	return out
}

// filter returns the elements that keep accepts, in order, as a new slice.
func filter[T any](list []T, keep func(T) bool) (kept []T) {
	for _, v := range list {
		if keep(v) {
			kept = append(kept, v)
		}
	}
	return kept
}
