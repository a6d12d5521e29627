package rows

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
)

// blockSize is how much of a file is read at once backwards, in bytes.
const blockSize = 256 << 10

// Backward calls take for each line of a file, without its end, from the last line to the first, until take returns
// false. It returns an error only if the file cannot be read. It reads at most the last 64 MiB, and skips a line that
// begins before them and lines longer than MaxRow. A line is valid until take returns.
func Backward(in io.ReadSeeker, take func(line []byte) bool) error {
	end, err := in.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	first := max(0, end-maxEnd)
	var l endOfLine
	for end > first {
		from := max(first, end-blockSize)
		// The parts of a line are kept until its beginning is read, so each block has memory of its own.
		block := make([]byte, end-from)
		if _, err := in.Seek(from, io.SeekStart); err != nil {
			return err
		}
		if _, err := io.ReadFull(in, block); err != nil {
			return err
		}
		for at := bytes.LastIndexByte(block, '\n'); at >= 0; at = bytes.LastIndexByte(block, '\n') {
			l.add(block[at+1:])
			if !l.give(take) {
				return nil
			}
			block = block[:at]
		}
		l.add(block)
		end = from
	}
	if first == 0 {
		l.give(take)
	}
	return nil
}

// endOfLine collects a line from its end.
type endOfLine struct {
	parts [][]byte // the last first
	size  int
}

// add puts a part before the others. Of a line that is too long nothing is kept.
func (l *endOfLine) add(part []byte) {
	if l.size += len(part); l.size > MaxRow {
		l.parts = nil
		return
	}
	l.parts = append(l.parts, part)
}

// give gives take the line and begins the next one. It returns false if take wants no more.
func (l *endOfLine) give(take func(line []byte) bool) bool {
	parts, size := l.parts, l.size
	*l = endOfLine{}
	if size > MaxRow {
		return true
	}
	// Most lines stand in one block.
	if len(parts) == 1 {
		return take(plain(parts[0]))
	}
	slices.Reverse(parts)
	return take(plain(bytes.Join(parts, nil)))
}

// maxEnd bounds the end of a session file that is read backward, in bytes.
const maxEnd = 64 << 20

// Complete returns a hook's payload, a JSON object, with a further member candor: the result of find for the session
// file at a path, which find may read with [Backward]. If the file cannot be read or find returns false, the payload
// stays unchanged, so that the hook is passed on in any case.
func Complete[T any](payload []byte, path string, open func(path string) (io.ReadSeekCloser, error),
	find func(file io.ReadSeeker) (found T, ok bool)) []byte {
	in, err := open(path)
	if err != nil {
		return payload
	}
	defer in.Close()
	found, ok := find(in)
	var all map[string]json.RawMessage
	if !ok || json.Unmarshal(payload, &all) != nil || all == nil {
		return payload
	}
	all["candor"], _ = json.Marshal(found)
	whole, err := json.Marshal(all)
	if err != nil {
		return payload
	}
	return whole
}
