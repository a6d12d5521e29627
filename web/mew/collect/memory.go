package collect

import "candor/safety"

const (
	maxMessages = 2048    // that are remembered
	maxText     = 8 << 10 // bytes of a remembered text
	maxTexts    = 4 << 20 // bytes of all remembered texts
	maxName     = 80      // bytes of a name
	maxAsked    = 4 << 20 // bytes of proposals that wait for the page
	maxIDs      = 16      // ids of other messages that a turn is found by
	maxSpeakers = 256     // participants that are remembered
	maxPast     = 32      // ended turns of a participant that late messages find
)

// message is a message to which later ones may refer.
type message struct {
	id    string
	from  *speaker
	kind  string
	text  safety.Text // what it asks, cut to maxText
	where place
}

// place is where a message stands in the session.
type place struct {
	turn    *turn
	context *reasoning // nil outside of any reasoning
	call    *call      // of a request or a proposal
}

// memory holds the latest messages of a space.
type memory struct {
	known map[string]*message
	order []*message
	bytes int
}

// add remembers a message and forgets the oldest beyond the bounds.
func (m *memory) add(one *message) {
	if one.id == "" {
		return
	}
	m.known[one.id] = one
	m.order = append(m.order, one)
	m.bytes += len(one.text.String())
	for len(m.order) > maxMessages || (m.bytes > maxTexts && len(m.order) > 1) {
		oldest := m.order[0]
		m.order[0] = nil
		m.order = m.order[1:]
		m.bytes -= len(oldest.text.String())
		if m.known[oldest.id] == oldest {
			delete(m.known, oldest.id)
		}
	}
}

// first returns the first message that one of the ids names.
func (m *memory) first(ids []string) *message {
	for _, id := range ids {
		if one := m.known[id]; one != nil {
			return one
		}
	}
	return nil
}

// named returns the first message that one of the ids names, with the texts of all of its
// author's messages that they name.
func (c *Collector) named(ids []string) *message {
	first := c.memory.first(ids)
	if first == nil || len(ids) == 1 {
		return first
	}
	all := *first
	for _, id := range ids {
		if one := c.memory.known[id]; one != nil && one != first && one.from == first.from {
			all.text = c.short(all.text.String()+"\n"+one.text.String(), maxText)
		}
	}
	return &all
}
