package collect

// Remembered returns how much the collector holds of the past.
func (c *Collector) Remembered() (messages, bytes, contexts int) {
	return len(c.memory.order), c.memory.bytes, len(c.contexts)
}

// Names reports whether a text names a tool.
func Names(text, tool string) bool { return names(text, tool) }

// Cut is cut, for tests.
var Cut = cut

// Speakers returns how many participants are remembered.
func (c *Collector) Speakers() int { return len(c.speakers) }
