package ask

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxLine bounds a message over standard input, in bytes.
const maxLine = 1 << 20

// lines is what a client writes, a message a line, without what is none: the SDK ends a connection at the first such
// line, with all that it was about to answer. The client is told of each in the answer.
type lines struct {
	in  *bufio.Reader
	out io.Writer
	// What was not read yet of a line that is a message.
	rest []byte
}

// Read implements io.Reader.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, long, ended := l.next()
		if len(bytes.TrimSpace(line)) == 0 && !long {
			if ended != nil {
				return 0, ended
			}
			continue
		}
		refused := refusal(line)
		if long {
			refused = &refusedLine{Code: jsonrpc.CodeInvalidRequest, Message: "a message has at most 1 MiB"}
		}
		if refused == nil {
			l.rest = append(bytes.TrimSpace(line), '\n')
			break
		}
		if err := l.refuse(refused); err != nil {
			return 0, err
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// next returns the next line, or nothing of one that is too long. ended is set if it is the last one.
func (l *lines) next() (line []byte, long bool, ended error) {
	for {
		part, err := l.in.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLine; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull {
			return line, long, err
		}
	}
}

// refusedLine is why a line is not taken. ID is that of its request, or nil.
type refusedLine struct {
	ID      any
	Code    int64
	Message string
}

// refusal returns why a line is no message, or nil. It repeats nothing of the line.
func refusal(line []byte) *refusedLine {
	line = bytes.TrimSpace(line)
	switch {
	case !json.Valid(line):
		return &refusedLine{Code: jsonrpc.CodeParseError, Message: "a line has to be one JSON-RPC message"}
	case line[0] == '[':
		return &refusedLine{Code: jsonrpc.CodeInvalidRequest,
			Message: "batches are not taken: send each message by itself, in a line of its own"}
	}
	if _, err := jsonrpc.DecodeMessage(line); err == nil {
		return nil
	}
	var request struct {
		ID any `json:"id"`
	}
	_ = json.Unmarshal(line, &request) // what is no object has no id
	switch request.ID.(type) {
	case string, float64:
	default:
		request.ID = nil
	}
	return &refusedLine{ID: request.ID, Code: jsonrpc.CodeInvalidRequest,
		Message: `this is no JSON-RPC message: it needs jsonrpc, which is "2.0", and a method, an id or both`}
}

// refuse tells the client of a line that is not taken.
func (l *lines) refuse(r *refusedLine) error {
	raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": r.ID,
		"error": jsonrpc.Error{Code: r.Code, Message: r.Message}})
	if err != nil {
		return err
	}
	_, err = l.out.Write(append(raw, '\n'))
	return err
}

// shared is a writer of whole lines that several goroutines use, and that somebody else closes.
type shared struct {
	out io.Writer
	mu  sync.Mutex
}

// Write implements io.Writer.
func (s *shared) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Write(line)
}

// Close implements io.Closer.
func (*shared) Close() error { return nil }
