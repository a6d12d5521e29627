package wrapper

import (
	"encoding/json"
	"strconv"

	"candor/attach"
)

// call reads a call of a tool. The property goes only where it was added.
func (c *Conn) call(raw []byte, id, params span, out *news) {
	name, args := target(raw, params)
	if !name.found() {
		return
	}
	said := attach.Called{Tool: decoded(name.of(raw))}
	// What is recorded is what the server gets; the reason stands beside it.
	if args.found() {
		edits, reason := c.reason(args.of(raw), said.Tool)
		said.Params, said.Reason = edited(args.of(raw), edits), reason
		out.edits = append(out.edits, moved(edits, args.from)...)
	}
	c.record(raw, id, said, out)
}

// target returns the name of the tool and the arguments of a call's parameters.
func target(raw []byte, params span) (name, args span) {
	if !params.found() {
		return span{}, span{}
	}
	p, ok := find(raw, params.from, "name", "arguments")
	if name = p["name"]; !ok || !name.found() || raw[name.from] != '"' {
		return span{}, span{}
	}
	return name, p["arguments"]
}

// reason returns the edits that take the property out of the arguments for a tool, and the reason in it.
func (c *Conn) reason(args []byte, tool string) ([]edit, string) {
	if args[0] != '{' || !c.tools.known[tool].ours {
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
func (c *Conn) record(raw []byte, id span, said attach.Called, out *news) {
	// A connection without calls tells nothing, so that the page has no empty sessions.
	if c.calls%maxCalls == 0 {
		c.begin(out)
	}
	c.calls++
	// Clients count their requests from 0, so their ids say nothing outside of the connection.
	r := request{method: "tools/call", call: c.Session + "-" + strconv.Itoa(c.calls), turn: c.who.Turn}
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
	s := c.who
	s.At, s.Ended = c.Now(), &attach.Ended{}
	return []attach.Sighting{s}
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
