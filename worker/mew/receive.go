package mew

import (
	"slices"
	"strings"
)

// receive acts on a message of the space. It never blocks, and its caller, the goroutine of the
// connection, makes one call at a time.
func (m *member) receive(e envelope) {
	m.mu.Lock()
	own := e.From == m.id
	m.mu.Unlock()
	if own {
		m.out.settle(e.ID)
		return
	}
	switch group, _, _ := strings.Cut(e.Kind, "/"); group {
	case "system":
		m.hearGateway(e)
	case "chat":
		m.hearChat(e)
	case "mcp":
		m.hearCall(e)
	case "reasoning":
		if e.Kind == "reasoning/cancel" {
			m.cancelReasoning(e)
		}
	case "participant":
		m.obey(e)
	case "capability":
		m.hearGrant(e)
	case "stream":
		m.hearStream(e)
	}
}

// isToMe reports whether a message is addressed to the participant.
func (m *member) isToMe(e envelope) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Contains(e.To, m.id)
}

// isNew reports whether a message was not handled before. A participant that reconnects may send
// one again.
func (m *member) isNew(e envelope) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.handled.add(e.ID)
}

// maxRecent is how many messages are remembered as handled.
const maxRecent = 1024

// recent remembers the latest ids. Its zero value is empty.
type recent struct {
	known map[string]bool
	order []string
}

// add remembers an id and reports whether it is new. A message without an id is always new.
func (r *recent) add(id string) bool {
	if id == "" {
		return true
	}
	if r.known[id] {
		return false
	}
	if r.known == nil {
		r.known = map[string]bool{}
	}
	r.known[id], r.order = true, append(r.order, id)
	if len(r.order) > maxRecent {
		delete(r.known, r.order[0])
		r.order = r.order[1:]
	}
	return true
}

// hearGateway acts on a message of the gateway itself.
func (m *member) hearGateway(e envelope) {
	switch e.Kind {
	case "system/welcome":
		m.welcome(e)
	case "system/presence":
		var about struct {
			Event       string
			Participant struct{ ID string }
		}
		e.read(&about)
		switch about.Event {
		case "join":
			m.askForTools(about.Participant.ID)
		case "leave":
			m.forgetPeer(about.Participant.ID)
		}
	case "system/error":
		m.hearRefusal(e)
	}
}

// hearRefusal settles a message that the gateway refused. A message that it knows already has
// arrived before the connection was lost, and one that came too fast is sent again.
func (m *member) hearRefusal(e envelope) {
	var why struct{ Error, Code string }
	e.read(&why)
	is := func(code string) bool { return why.Code == code || why.Error == code }
	for _, id := range e.Correlation {
		switch {
		case is("rate_limited"):
			m.out.repeat(id)
			continue
		case !is("duplicate_id"):
			m.failCall(id, "the gateway refused the message")
		}
		m.out.settle(id)
	}
	text, _ := m.layer().Limit(256).Mask(oneLine(why.Error))
	m.Log.Warn("the gateway refused a message", "error", text)
}

// welcome adopts who the participant is and what it may do, and returns who else is there. ok is
// false if the welcome is not meant for it: others' welcomes reach everybody.
func (m *member) welcome(e envelope) (present []string, ok bool) {
	var in struct {
		You struct {
			ID           string
			Capabilities capabilities
		}
		Participants []struct{ ID string }
	}
	e.read(&in)
	m.mu.Lock()
	defer m.mu.Unlock()
	if in.You.ID == "" || m.id != "" && in.You.ID != m.id || len(e.To) > 0 && !slices.Contains(e.To, in.You.ID) {
		return nil, false
	}
	m.id, m.may = in.You.ID, in.You.Capabilities
	for _, p := range in.Participants {
		m.addPeer(p.ID)
		present = append(present, p.ID)
	}
	return present, true
}

// hearGrant acknowledges capabilities that somebody granted to the participant. The gateway
// sends a new welcome with them.
func (m *member) hearGrant(e envelope) {
	var grant struct{ Recipient string }
	e.read(&grant)
	m.mu.Lock()
	mine := grant.Recipient == m.id
	m.mu.Unlock()
	if e.Kind == "capability/grant" && (mine || m.isToMe(e)) && m.isNew(e) {
		m.tell("capability/grant-ack", "", []string{e.From}, object{"status": "accepted"}, e.ID)
	}
}

// oneLine returns a text on one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
