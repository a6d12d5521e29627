package wrapper

import (
	"cmp"
	"crypto/sha256"
	"slices"

	"candor/attach"
)

// A call may end later than with the first answer to it. A server may ask back: the client sends the call once more,
// with what the server wanted, under another id. Or it may begin a task, whose result the client fetches by other
// requests, or is told. Either way it is one call, with one end.

// digest stands for a text that may be long.
type digest [sha256.Size]byte

// ends reads an answer to a call, which may not be its end.
func (c *Conn) ends(r *request, raw []byte, result, failure span, out *news) {
	if result.found() && !failure.found() {
		parts, _ := find(raw, result.from, "resultType", "requestState", "task", "taskId")
		kind := ""
		if k := parts["resultType"]; k.found() {
			kind = decoded(k.of(raw))
		}
		if kind == "input_required" {
			if s := parts["requestState"]; s.found() {
				r.state = sha256.Sum256([]byte(decoded(s.of(raw))))
			}
			if c.asking = append(c.asking, r); len(c.asking) > maxPending {
				c.asking = c.asking[1:]
			}
			return
		}
		if id := taskIn(raw, result); id != "" && (parts["task"].found() || kind == "task") {
			if c.tasks[id] == nil && len(c.tasks) >= maxPending {
				delete(c.tasks, oldest(c.tasks))
			}
			c.tasks[id] = r
			return
		}
	}
	out.facts = append(out.facts, c.returned(r, outcome(raw, result, failure)))
}

// again returns the call that the client sends once more, since the server had asked back; nil if there is none.
func (c *Conn) again(raw []byte, params span, tool string, args digest) *request {
	parts, _ := find(raw, params.from, "inputResponses", "requestState")
	if !parts["inputResponses"].found() && !parts["requestState"].found() {
		return nil
	}
	// The state is the server's own; without one the client repeats the arguments.
	at := -1
	if s := parts["requestState"]; s.found() {
		state := digest(sha256.Sum256([]byte(decoded(s.of(raw)))))
		at = slices.IndexFunc(c.asking, func(r *request) bool { return r.tool == tool && r.state == state })
	}
	if at < 0 {
		at = slices.IndexFunc(c.asking, func(r *request) bool { return r.tool == tool && r.args == args })
	}
	if at < 0 {
		return nil
	}
	r := c.asking[at]
	c.asking = slices.Delete(c.asking, at, at+1)
	return r
}

// taskIn returns the id of a task in an object, which may have the task in a member of its own.
func taskIn(raw []byte, in span) string {
	if !in.found() {
		return ""
	}
	parts, _ := find(raw, in.from, "task", "taskId")
	if id := parts["taskId"]; id.found() && id.to-id.from <= maxRequest {
		return decoded(id.of(raw))
	}
	return taskIn(raw, parts["task"])
}

// progressed reads what is said of a task, which may be its end. The newer revisions have the result there; by the
// older one the client fetches it.
func (c *Conn) progressed(raw []byte, in span, out *news) {
	id := taskIn(raw, in)
	r := c.tasks[id]
	if r == nil {
		return
	}
	parts, _ := find(raw, in.from, "task", "status", "statusMessage", "result", "error")
	if parts["task"].found() {
		c.progressed(raw, parts["task"], out)
		return
	}
	text := ""
	if m := parts["statusMessage"]; m.found() {
		text = decoded(m.of(raw))
	}
	status := ""
	if s := parts["status"]; s.found() {
		status = decoded(s.of(raw))
	}
	result, failure := parts["result"], parts["error"]
	switch {
	case status == "cancelled":
		c.finish(id, attach.Returned{Cancelled: true, Error: because("the task was cancelled", text)}, out)
	case (status == "completed" || status == "failed") && (result.found() || failure.found()):
		c.finish(id, outcome(raw, result, failure), out)
	case status == "completed":
		r.last = &attach.Returned{Partial: true}
	case status == "failed":
		r.last = &attach.Returned{Error: because("the task failed", text)}
	}
}

// finish ends the call of a task.
func (c *Conn) finish(task string, how attach.Returned, out *news) {
	out.facts = append(out.facts, c.returned(c.tasks[task], how))
	delete(c.tasks, task)
}

// because returns what happened, and why if that is known.
func because(what, why string) string {
	if why == "" {
		return what
	}
	return what + ": " + why
}

// left returns the ends of the calls that no answer follows any more, as far as they are known.
func (c *Conn) left() (facts []attach.Sighting) {
	for _, r := range c.asking {
		r.last = &attach.Returned{Cancelled: true, Error: "the server asked back, and got no answer"}
	}
	all := c.asking
	for _, r := range c.tasks {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b *request) int { return cmp.Compare(a.number, b.number) })
	for _, r := range all {
		if r.last != nil {
			facts = append(facts, c.returned(r, *r.last))
		}
	}
	c.asking, c.tasks = nil, nil
	return facts
}

// oldest returns the key of the request that waits for longest.
func oldest(all map[string]*request) (key string) {
	for k, one := range all {
		if key == "" || one.number < all[key].number {
			key = k
		}
	}
	return key
}
