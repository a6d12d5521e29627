package collect

// Remembered returns how much the collector holds of the past.
func (c *Collector) Remembered() (messages, bytes, contexts int) {
	return len(c.memory.order), c.memory.bytes, len(c.contexts)
}

// Names reports whether a text names a tool.
func Names(text, tool string) bool { return names(text, tool) }
