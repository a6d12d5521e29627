package wrapper

import (
	"bytes"
	"regexp"
)

// posting collects what a relay writes to whole lines.
type posting struct {
	held  []byte
	long  bool
	limit int // of a line, in bytes
	send  func(message []byte)
	// Hears of a request that is too long.
	refuse func(id []byte)
	// Of a line that is too long: the id that stands in its beginning, and whether its method does.
	id     []byte
	method bool
}

// maxTail bounds the end of a line that is too long, in which its id may stand, in bytes.
const maxTail = 4 << 10

// Write implements io.Writer. A line that is too long for a request is dropped.
func (p *posting) Write(part []byte) (int, error) {
	// A relay passes a message that is too long in parts, which HTTP has to have as one.
	p.held = append(p.held, part...)
	if len(p.held) > p.limit {
		p.drop()
	}
	if p.long && len(p.held) > maxTail {
		p.held = append(p.held[:0], p.held[len(p.held)-maxTail:]...)
	}
	if bytes.HasSuffix(part, []byte("\n")) {
		p.flush()
	}
	return len(part), nil
}

// drop begins to drop a line, and takes down what its beginning says of it.
func (p *posting) drop() {
	p.long = true
	openMember(p.held, blank(p.held, 0), func(m member) {
		switch m.key {
		case "id":
			p.id = bytes.Clone(m.of(p.held))
		case "method":
			p.method = true
		}
	})
	p.held = bytes.Clone(p.held[max(0, len(p.held)-maxTail):])
}

// flush sends the line.
func (p *posting) flush() {
	message := bytes.TrimSpace(p.held)
	switch {
	case p.long:
		p.refuseLong(message)
	case len(message) > 0:
		p.send(bytes.Clone(message))
	}
	*p = posting{limit: p.limit, send: p.send, refuse: p.refuse}
}

// lastMembers are the members of a message behind its parameters, which have no brackets: so no id in them is that of
// anything else.
var lastMembers = regexp.MustCompile(`(?:,\s*"(?:jsonrpc|method|id)"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[-+.0-9eE]+)\s*)+\}$`)

// refuseLong says that a line with this end was dropped, if it is a request. Of a batch nobody knows.
func (p *posting) refuseLong(end []byte) {
	// Some clients write the id behind the parameters.
	if last := lastMembers.Find(end); last != nil {
		last[0] = '{'
		m, _ := find(last, 0, "id", "method")
		if m["id"].found() {
			p.id = m["id"].of(last)
		}
		p.method = p.method || m["method"].found()
	}
	// An answer has an id and no method.
	if p.method && p.id != nil {
		p.refuse(bytes.Clone(p.id))
	}
}
