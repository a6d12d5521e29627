package claude

// maxHeld bounds the rows that wait for the one which tells whether they are copies, and maxHeldBytes their content.
const (
	maxHeld      = 256
	maxHeldBytes = 4 << 20
)

// copies holds back what a file begins with. A fork begins with the rows of the session it was made of. Those that
// the model said are marked as such and those of a person are not, so that these wait for the next one of the model.
type copies struct {
	// A row of the model was no copy, so that none follows that is.
	over bool
	// Rows that wait, in their order, and the bytes of their content.
	held []*row
	size int
}

// hold keeps a row. It returns rows if there is no room for more.
func (c *copies) hold(in *row) []*row {
	c.held = append(c.held, in)
	c.size += len(in.Message.Content) + len(in.ToolUseResult)
	if len(c.held) <= maxHeld && c.size <= maxHeldBytes {
		return nil
	}
	return c.release()
}

// release returns what was held, and forgets it.
func (c *copies) release() []*row {
	list := c.held
	c.held, c.size = nil, 0
	return list
}
