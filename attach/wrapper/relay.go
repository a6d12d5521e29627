package wrapper

import (
	"bufio"
	"errors"
	"io"

	"candor/attach"
)

// Relay moves the lines of one direction.
type Relay struct {
	// These functions must not keep their arguments.
	Read func(message []byte) Message  // reads a message
	Long func(start []byte) []byte     // reads the beginning of one that is too long
	Told func(facts []attach.Sighting) // receives the facts of messages, after they were passed on
}

// Run writes to out the messages that replace the lines of in, each as soon as its line is complete, until in ends or
// out fails. A line that is too long is passed on as it arrives.
func (r Relay) Run(out io.Writer, in io.Reader) error {
	lines := bufio.NewReaderSize(in, 64<<10)
	var held []byte
	for {
		// A line that fits into the buffer is not copied.
		part, err := lines.ReadSlice('\n')
		full := errors.Is(err, bufio.ErrBufferFull)
		if len(held) > 0 || full {
			held = append(held, part...)
			part = held
		}
		switch {
		case full && len(held) <= MaxMessage:
			continue
		case full:
			if _, err := out.Write(r.Long(held)); err != nil {
				return err
			}
			err = passRest(out, lines)
		case len(part) > 0:
			if err := r.pass(out, part); err != nil {
				return err
			}
		}
		if held = held[:0]; cap(held) > 1<<20 {
			held = nil // one long message shall not cost memory for ever
		}
		if err != nil {
			return unlessEnd(err)
		}
	}
}

// pass writes what stands for a message, and tells what it told.
func (r Relay) pass(out io.Writer, message []byte) error {
	// The other side has the message before anybody hears what it told.
	m := r.Read(message)
	_, err := out.Write(m.Bytes)
	r.Told(m.Facts)
	return err
}

// passRest passes on what is left of a line.
func passRest(out io.Writer, lines *bufio.Reader) error {
	for {
		part, err := lines.ReadSlice('\n')
		if _, failed := out.Write(part); failed != nil {
			return failed
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// unlessEnd returns an error, and nil for the end of what is read.
func unlessEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
