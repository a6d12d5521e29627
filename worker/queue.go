package worker

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// queue is a first-in, first-out queue of encoded events. It holds up to a bound of them
// in memory and the others in a file, one per line. While the file has any events, new
// ones go there as well, which keeps the order. It is not safe for concurrent use.
type queue struct {
	dir                 string // of the file; empty for the system's temporary folder
	maxEvents, maxBytes int    // in memory

	memory []json.RawMessage
	bytes  int // in memory

	file          *os.File // nil until it is needed
	named         bool     // the file has a name, so that close has to remove it
	read, written int64    // offsets in the file
	inFile        int      // events between these offsets
	spilled       bool     // the file was used at some time
}

// put adds an event and reports whether it is the first one ever for which memory had
// no room. If put fails, the event is not in the queue.
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

// spill writes an event to the file, either whole or not at all.
func (q *queue) spill(e json.RawMessage) error {
	if q.file == nil {
		f, err := os.CreateTemp(q.dir, "candor-worker-*.spill") // with mode 0600
		if err != nil {
			return fmt.Errorf("no spill file: %w", err)
		}
		// A file without a name disappears with its process, even if that is killed.
		// Not every system can remove the name of an open file.
		q.file, q.named = f, os.Remove(f.Name()) != nil
	}
	line := append(e[:len(e):len(e)], '\n') // encoded JSON contains no line break
	if _, err := q.file.WriteAt(line, q.written); err != nil {
		return fmt.Errorf("spill file: %w", errors.Join(err, q.file.Truncate(q.written)))
	}
	q.written += int64(len(line))
	q.inFile++
	return nil
}

// take removes and returns the first events, as many as fit the bounds of a post but at
// least one. If the file cannot be read, its events are lost, and lost is their number.
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
	if q.inFile == 0 { // start again at the beginning, so that the file does not grow forever
		q.read, q.written = 0, 0
		return batch, 0, q.file.Truncate(0)
	}
	return batch, 0, nil
}

// len returns the number of events in the queue.
func (q *queue) len() int { return len(q.memory) + q.inFile }

// close discards the events and removes the file.
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
