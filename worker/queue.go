package worker

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// queue is a line of encoded events that keeps so many in memory and the others in
// a file. Order holds because, while the file has any, new ones go there, too.
// Whoever has it guards it.
type queue struct {
	dir                 string // of the file; "" is the system's for such files
	maxEvents, maxBytes int    // in memory

	memory []json.RawMessage
	bytes  int

	file          *os.File // nil until it is needed
	named         bool     // the file has a name, which close has to remove
	read, written int64
	inFile        int
	spilled       bool // at some time
}

// put adds an event, and reports whether this is the first one ever that memory had
// no room for. When it fails, the event is not in the queue.
func (q *queue) put(e json.RawMessage) (spilling bool, err error) {
	if q.inFile == 0 && len(q.memory) < q.maxEvents && q.bytes+len(e) <= q.maxBytes {
		q.memory = append(q.memory, e)
		q.bytes += len(e)
		return false, nil
	}
	if err := q.spill(e); err != nil {
		return false, err
	}
	spilling, q.spilled = !q.spilled, true
	return spilling, nil
}

// spill writes an event to the file, whole or not at all.
func (q *queue) spill(e json.RawMessage) error {
	if q.file == nil {
		f, err := os.CreateTemp(q.dir, "candor-worker-*.spill") // with mode 0600
		if err != nil {
			return fmt.Errorf("no spill file: %w", err)
		}
		// A file without a name does not outlive a process that is killed. Some
		// systems do not have such files.
		q.file, q.named = f, os.Remove(f.Name()) != nil
	}
	line := append(e[:len(e):len(e)], '\n') // encoded JSON has no line break of its own
	if _, err := q.file.WriteAt(line, q.written); err != nil {
		return fmt.Errorf("spill file: %w", errors.Join(err, q.file.Truncate(q.written)))
	}
	q.written += int64(len(line))
	q.inFile++
	return nil
}

// take removes the events that come first, as many as fit a post. When it fails,
// what the file had is lost, and lost says how many that were.
func (q *queue) take(maxEvents, maxBytes int) (batch []json.RawMessage, lost int, err error) {
	size := 0
	fits := func(n int) bool { return len(batch) == 0 || (len(batch) < maxEvents && size+n <= maxBytes) }
	for len(q.memory) > 0 && fits(len(q.memory[0])) {
		batch, size = append(batch, q.memory[0]), size+len(q.memory[0])
		q.bytes -= len(q.memory[0])
		q.memory[0] = nil
		q.memory = q.memory[1:]
	}
	if len(q.memory) > 0 || q.inFile == 0 {
		return batch, 0, nil
	}
	lines := bufio.NewReader(io.NewSectionReader(q.file, q.read, q.written-q.read))
	for q.inFile > 0 {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			lost, q.inFile, q.read, q.written = q.inFile, 0, 0, 0
			return batch, lost, fmt.Errorf("spill file: %w", err)
		}
		if !fits(len(line)) {
			break
		}
		batch, size = append(batch, json.RawMessage(line[:len(line)-1])), size+len(line)
		q.read += int64(len(line))
		q.inFile--
	}
	if q.inFile == 0 { // begin again at its front, so that it does not grow for ever
		q.read, q.written = 0, 0
		return batch, 0, q.file.Truncate(0)
	}
	return batch, 0, nil
}

// len is how many events wait.
func (q *queue) len() int { return len(q.memory) + q.inFile }

// close lets go of the file and forgets what waits.
func (q *queue) close() error {
	q.memory, q.bytes, q.inFile = nil, 0, 0
	if q.file == nil {
		return nil
	}
	f := q.file
	q.file = nil
	if !q.named {
		return f.Close()
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
