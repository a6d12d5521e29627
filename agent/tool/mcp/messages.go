package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// maxNoise is how much else than messages a server may write between two messages, in bytes.
const maxNoise = 1 << 20

// messageReader reads the lines of a server's output that are MCP messages, mended. It skips the
// others, such as a banner or a log, and calls noise when it does.
type messageReader struct {
	from    *bufio.Reader
	lost    func(error)
	noise   func()
	line    []byte // what is left of the line that is being read, with its end
	buf     []byte // holds line; used again for the next
	skipped int    // bytes since the last message
	held    []byte // the lines so far of a message that is written over several
}

// newMessageReader returns a reader of the messages in r. It calls lost with the error if it
// gives up, since the SDK reports that as the end of the connection.
func newMessageReader(r io.Reader, lost func(error), noise func()) *messageReader {
	return &messageReader{from: bufio.NewReader(r), lost: lost, noise: noise}
}

// Read implements io.Reader.
func (m *messageReader) Read(b []byte) (int, error) {
	for len(m.line) == 0 {
		if err := m.next(); err != nil {
			if own, ok := errors.AsType[*failure](err); ok {
				m.lost(own)
			}
			return 0, err
		}
	}
	n := copy(b, m.line)
	m.line = m.line[n:]
	return n, nil
}

// next reads a line, and makes it the one that is being read if it is a message.
func (m *messageReader) next() error {
	if m.buf = m.buf[:0]; cap(m.buf) > maxNoise {
		m.buf = nil // a large message is no reason to hold on to as much
	}
	for whole, junk := false, false; !whole; {
		piece, err := m.from.ReadSlice('\n')
		switch whole = err != bufio.ErrBufferFull; {
		case junk || len(m.held) == 0 && !mayBeMessage(m.buf, piece):
			junk = true
			if err := m.skip(piece); err != nil {
				return err
			}
		case len(m.buf)+len(piece) > maxMessage:
			return failf("it sent a message of more than %d bytes", maxMessage)
		default:
			m.buf = append(m.buf, piece...)
		}
		if whole && err != nil && len(m.buf) == 0 {
			return err
		}
	}
	if err := m.join(); err != nil || len(m.buf) == 0 {
		return err
	}
	if !bytes.Contains(m.buf, []byte(`"jsonrpc"`)) {
		return m.skip(m.buf)
	}
	line := mend(bytes.TrimRight(m.buf, "\r\n"))
	switch {
	case line == nil:
		return m.skip(m.buf)
	case &line[0] == &m.buf[0]:
		line = m.buf // as it came, with its end
	default:
		line = append(line, '\n')
	}
	m.line, m.skipped = line, 0
	return nil
}

// join puts a message together that is written over several lines, with indents: it begins and ends with a bracket
// alone in a line. Until it is whole there is no line. A message that comes in between shows that what came before is
// none.
func (m *messageReader) join() error {
	line := bytes.TrimRight(m.buf, "\r\n")
	begins := string(line) == "{" || string(line) == "["
	if len(m.held) == 0 && !begins {
		return nil
	}
	whole := append(m.held, m.buf...)
	if !begins && mayBeMessage(nil, line) && json.Valid(line) && bytes.Contains(line, []byte(`"jsonrpc"`)) ||
		len(whole) > maxNoise {
		dropped := m.held
		if m.held = nil; len(whole) > maxNoise {
			dropped, m.buf = whole, m.buf[:0]
		}
		return m.skip(dropped)
	}
	m.held, m.buf = whole, m.buf[:0]
	if len(line) > 0 && (line[0] == '}' || line[0] == ']') && json.Valid(whole) {
		var one bytes.Buffer
		_ = json.Compact(&one, whole) // of JSON that is valid
		m.held, m.buf = nil, append(one.Bytes(), '\n')
	}
	return nil
}

// mayBeMessage reports whether a line of which before and piece are known so far can be a
// message: a JSON object, or an array of them.
func mayBeMessage(before, piece []byte) bool {
	if len(before) > 0 {
		return true // its beginning was
	}
	start := bytes.TrimLeft(piece, " \t")
	return len(start) > 0 && (start[0] == '{' || start[0] == '[')
}

// skip counts bytes that are no part of a message. It fails if there are too many.
func (m *messageReader) skip(b []byte) error {
	if len(bytes.TrimSpace(b)) > 0 {
		m.noise()
	}
	if m.skipped += len(b); m.skipped > maxNoise {
		return failf("it writes something else than MCP messages to its output, without end")
	}
	return nil
}
