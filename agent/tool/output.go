package tool

import (
	"fmt"
	"strings"
)

// clippedOutput is a writer that keeps the beginning and the end of a command's output,
// shellOutput bytes in all, since these usually say most. It never fails.
type clippedOutput struct {
	head, tail []byte
	written    int
}

// Write implements io.Writer.
func (c *clippedOutput) Write(b []byte) (int, error) {
	const half = shellOutput / 2
	n := len(b)
	c.written += n
	if free := half - len(c.head); free > 0 {
		taken := min(free, len(b))
		c.head, b = append(c.head, b[:taken]...), b[taken:]
	}
	c.tail = append(c.tail, b...)
	if len(c.tail) > 2*half { // trim rarely, not on each write
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-half:]...)
	}
	return n, nil
}

// parts returns the stored beginning and end of the output. If output between them is
// missing, both are cut between words: half of a credential would not be recognized and
// redacted later.
func (c *clippedOutput) parts() (head, tail string) {
	const half = shellOutput / 2
	head, tail = string(c.head), string(c.tail)
	if c.written <= shellOutput {
		return head, tail
	}
	tail = tail[len(tail)-half:]
	if at := strings.LastIndexAny(head, " \t\n"); at >= 0 {
		head = head[:at+1]
	}
	if at := strings.IndexAny(tail, " \t\n"); at >= 0 {
		tail = tail[at:]
	}
	return head, tail
}

// missing returns the number of bytes between the two parts.
func (c *clippedOutput) missing() int {
	head, tail := c.parts()
	return c.written - len(head) - len(tail)
}

// String returns the output, with a mark where bytes are missing.
func (c *clippedOutput) String() string {
	head, tail := c.parts()
	if c.missing() == 0 {
		return valid(head + tail)
	}
	return valid(head) + fmt.Sprintf("\n[%d bytes left out]\n", c.missing()) + valid(tail)
}

// describeMissing says how much of the named stream is missing, or returns "".
func (c *clippedOutput) describeMissing(name string) string {
	if c.missing() == 0 {
		return ""
	}
	return fmt.Sprintf("%d bytes of %s left out.", c.missing(), name)
}
