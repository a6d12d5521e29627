package wrapper

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strconv"

	"candor/attach"
)

// call reads a call of a tool. The property goes only where it was added, from wherever it stands: readers differ in
// which of two members counts.
func (c *Conn) call(raw []byte, at int, id, params span, out *news) {
	names, given := targets(raw, at)
	if len(names) == 0 {
		return
	}
	said := attach.Called{Tool: names[len(names)-1]}
	ours := slices.ContainsFunc(names, c.tools.ours)
	// What is recorded is what the server gets; the reason stands beside it.
	for _, args := range given {
		edits, reason := reasonIn(args.of(raw), ours)
		said.Params, said.Reason = edited(args.of(raw), edits), cmp.Or(reason, said.Reason)
		out.edits = append(out.edits, moved(edits, args.from)...)
	}
	if text := invocation(raw, params); said.Reason == "" {
		said.Reason = text
	}
	c.record(raw, id, params, said, out)
}

// targets returns the names of tools and the arguments in the parameters of a call: one of each, unless members are
// there twice.
func targets(raw []byte, at int) (names []string, given []span) {
	walk(raw, at, func(m member) bool {
		if m.key != "params" {
			return true
		}
		walk(raw, m.span.from, func(m member) bool {
			switch {
			case m.key == "name" && raw[m.span.from] == '"':
				names = append(names, decoded(m.of(raw)))
			case m.key == "arguments":
				given = append(given, m.span)
			}
			return true
		})
		return true
	})
	return names, given
}

// invocation returns the reason that a client gives beside the arguments of a call, as a draft of the protocol has it.
func invocation(raw []byte, params span) (reason string) {
	said, _ := find(raw, metaOf(raw, params, "io.modelcontextprotocol/aiInvocation").from, "invocationReason")
	if r := said["invocationReason"]; r.found() {
		reason = decoded(r.of(raw))
	}
	return reason
}

// metaOf returns a member of the _meta of an object, which may be none.
func metaOf(raw []byte, in span, key string) span {
	if !in.found() {
		return span{len(raw), 0}
	}
	parts, _ := find(raw, in.from, "_meta")
	if !parts["_meta"].found() {
		return span{len(raw), 0}
	}
	parts, _ = find(raw, parts["_meta"].from, key)
	if !parts[key].found() {
		return span{len(raw), 0}
	}
	return parts[key]
}

// reasonIn returns the edits that take the property out of arguments, if it is ours, and the reason in it.
func reasonIn(args []byte, ours bool) ([]edit, string) {
	if len(args) == 0 || args[0] != '{' || !ours {
		return nil, ""
	}
	return takeOut(args, 0, Property)
}

// moved returns edits of a part of a message as edits of the message.
func moved(edits []edit, by int) []edit {
	// The edits of the part are still needed as they are.
	all := make([]edit, len(edits))
	for i, e := range edits {
		all[i] = edit{span{e.from + by, e.to + by}, e.with}
	}
	return all
}

// record tells of a call, behind what has to be known before. A request without an id has no answer.
func (c *Conn) record(raw []byte, id, params span, said attach.Called, out *news) {
	args := digest(sha256.Sum256(said.Params))
	// A call that the server answered with a question is known already.
	if r := c.again(raw, params, said.Tool, args); r != nil {
		c.await(raw, id, *r)
		return
	}
	// A connection without calls tells nothing, so that the page has no empty sessions.
	if c.calls%maxCalls == 0 {
		c.begin(out)
	}
	c.calls++
	// Clients count their requests from 0, so their ids say nothing outside of the connection.
	r := request{method: "tools/call", call: c.Session + "-" + strconv.Itoa(c.calls), turn: c.who.Turn,
		tool: said.Tool, args: args}
	c.await(raw, id, r)
	s := c.who
	s.At, s.Call, s.Called = c.Now(), r.call, &said
	out.facts = append(out.facts, s)
}

// begin begins a turn. Nobody tells us of prompts, so a turn is so many calls, and ends where the next one begins.
func (c *Conn) begin(out *news) {
	// The folder has to come first: the server names the session by it when it hears of it for the first time.
	s := c.who
	if s.At = c.Now(); c.calls == 0 {
		about := c.about
		s.About = &about
	} else {
		s.Ended = &attach.Ended{}
	}
	out.facts = append(out.facts, s)
	c.who.Turn = strconv.Itoa(c.calls/maxCalls + 1)
}

// End returns the sightings of the connection's end. Conn accepts no answer after it.
func (c *Conn) End() []attach.Sighting {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls == 0 {
		return nil
	}
	facts := c.left()
	s := c.who
	s.At, s.Ended = c.Now(), &attach.Ended{}
	return append(facts, s)
}

// cancelled reads that the client no longer waits for an answer.
func (c *Conn) cancelled(raw []byte, params span, out *news) {
	if !params.found() {
		return
	}
	p, ok := find(raw, params.from, "requestId", "reason")
	if !ok || !p["requestId"].found() {
		return
	}
	// The answer, if one comes nevertheless, passes like any message.
	r := c.answered(p["requestId"].of(raw))
	if r == nil || r.method != "tools/call" {
		return
	}
	why := "the client cancelled the call"
	if p["reason"].found() {
		if text := decoded(p["reason"].of(raw)); text != "" {
			why += ": " + text
		}
	}
	out.facts = append(out.facts, c.returned(r, attach.Returned{Cancelled: true, Error: why}))
}

// returned is the fact that a call has ended.
func (c *Conn) returned(r *request, how attach.Returned) attach.Sighting {
	s := c.who
	s.Turn, s.At, s.Call = r.turn, c.Now(), r.call
	how.Took = s.At.Sub(r.at)
	s.Returned = &how
	return s
}

// answered returns the request with an id, which waits no longer, and nil if none does, or several do.
func (c *Conn) answered(id json.RawMessage) *request {
	// A second answer finds nothing, and passes.
	key := requestKey(id)
	r := c.open[key]
	if r != nil && r.others > 0 {
		r.others--
		return nil
	}
	delete(c.open, key)
	return r
}

// LongFromClient returns the bytes to send to the server instead of the beginning of a message that is too long to read
// as a whole. It removes the property if that lies in the beginning, as it does when the model wrote it first.
func (c *Conn) LongFromClient(start []byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.long++
	called := ""
	// The members that are complete tell the method; the one that is not has the arguments.
	rest := openMember(start, blank(start, 0), func(m member) {
		if m.key == "method" {
			called = decoded(m.of(start))
		}
	})
	if called != "tools/call" || rest.key != "params" {
		return start
	}
	tool := ""
	var given []int
	rest = openMember(start, rest.span.from, func(m member) {
		switch m.key {
		case "name":
			tool = decoded(m.of(start))
		case "arguments":
			given = append(given, m.span.from)
		}
	})
	if rest.key == "arguments" {
		given = append(given, rest.span.from)
	}
	// Where the name stands behind the arguments, nobody knows it yet.
	ours := c.tools.ours(tool)
	if tool == "" {
		ours = c.tools.allOurs()
	}
	// The reason goes with its call, of which nothing is recorded.
	var edits []edit
	for _, args := range given {
		if args < len(start) {
			one, _ := reasonIn(start[args:], ours)
			edits = append(edits, moved(one, args)...)
		}
	}
	return edited(start, edits)
}

// openMember visits the complete members of an object that is cut short, and returns the one that is not complete.
func openMember(raw []byte, at int, visit func(m member)) (rest member) {
	end := at + 1
	walk(raw, at, func(m member) bool {
		visit(m)
		end = m.to
		return true
	})
	// Behind the last complete member stand a comma, a key, a colon and the beginning of a value.
	if end = blank(raw, end); end < len(raw) && raw[end] == ',' {
		end = blank(raw, end+1)
	}
	if end >= len(raw) || raw[end] != '"' {
		return member{}
	}
	after := skip(raw, end)
	if after < 0 {
		return member{}
	}
	rest = member{key: decoded(raw[end:after]), from: end}
	if rest.span.from = blank(raw, after) + 1; rest.span.from > len(raw) || raw[rest.span.from-1] != ':' {
		return member{}
	}
	rest.span.from = blank(raw, rest.span.from)
	return rest
}

// LongFromServer returns the beginning of a message from the server that is too long to read as a whole, unchanged. If
// the message is a list of tools, the client knows them without the property.
func (c *Conn) LongFromServer(start []byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.long++
	for _, r := range c.open {
		if r.method == "tools/list" {
			c.tools.forget()
		}
	}
	return start
}
