package terminal

import (
	"io"
	"sync"
)

// Scroll writes to a terminal in which nobody types: lines that stay, and below them a region
// that changes in place. Make one with [NewScroll]. Its methods may be called at the same time.
//
// The terminal stays as it was found: it is not raw, the cursor stands below the region, and a
// program that ends at any moment leaves lines and no mode behind.
//
// What a person types into such a terminal is echoed into the region, and is gone when the region
// is drawn again. A line that no longer fits a window that became narrower stays where it is: see
// region.around.
type Scroll struct {
	out  io.Writer
	size func() (columns, rows int)

	mu     sync.Mutex // guards what follows, and the order in which is written
	region region
}

// NewScroll returns a Scroll. size is asked before everything that is written, so the window may
// change at any time.
func NewScroll(out io.Writer, size func() (columns, rows int)) *Scroll {
	return &Scroll{out: out, size: size}
}

// Print writes whole lines of safe text above the region.
func (s *Scroll) Print(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.write(text)
}

// Progress shows whole lines of safe text below all that was printed, in the place of those that
// it showed before; "" shows none. Lines that are the same as before are not drawn again, so that a
// tick of the clock costs nothing where nothing changed.
func (s *Scroll) Progress(lines string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.region.text == lines {
		return nil
	}
	s.region.text = lines
	return s.write("")
}

// Width returns the cells of a line.
func (s *Scroll) Width() int {
	columns, _ := s.size()
	return columns
}

// write writes text and the region below it, in one piece, so that nothing flickers. The caller
// holds mu.
func (s *Scroll) write(text string) error {
	columns, rows := s.size()
	_, err := io.WriteString(s.out, s.region.around(text, columns, rows))
	return err
}
