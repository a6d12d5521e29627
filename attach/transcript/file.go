package transcript

import (
	"hash/fnv"
	"io"
	"time"
)

// How many bytes of a file's beginning, and of the end of what was read, tell whether it was rewritten.
const (
	headBytes = 512
	tailBytes = 256
)

// sessionFile is a session file of which a part was read.
type sessionFile struct {
	path string
	// reader knows how far the file was read, and what the next row is understood by.
	reader reader
	format format

	// The file's size and the time of its last change when it was read. While both are the same, nobody opens it.
	size    int64
	changed time.Time

	// Hashes of the file's first bytes, headLen of them, and of the last ones that were read. Where they are no longer
	// right, somebody wrote the file anew.
	head, tail uint64
	headLen    int64

	// described says that the description of the sub-agent was given. It may be written after the file.
	described bool
}

// news says what happened to a file since it was read.
type news int

const (
	// The file has more to read, or was only touched; or nothing of it was read yet.
	grown news = iota
	// The file is shorter than what was read of it.
	shrunk
	// What was read is no longer what stands there.
	rewritten
)

// news compares the file, which is open, with what was read of it.
func (f *sessionFile) news(in io.ReaderAt, now found) news {
	offset := f.reader.Offset()
	switch {
	// Of a file with half a row nothing was read, so that nothing can have changed.
	case offset == 0:
		return grown
	case now.size < offset:
		return shrunk
	case hashOf(in, 0, f.headLen) != f.head, hashOf(in, max(0, offset-tailBytes), min(offset, tailBytes)) != f.tail:
		return rewritten
	}
	return grown
}

// remember keeps what tells later whether the file was rewritten.
func (f *sessionFile) remember(in io.ReaderAt, now found) {
	offset := f.reader.Offset()
	f.size, f.changed, f.headLen = now.size, now.time, min(offset, headBytes)
	f.head = hashOf(in, 0, f.headLen)
	f.tail = hashOf(in, max(0, offset-tailBytes), min(offset, tailBytes))
}

// hashOf returns a hash of a part of a file; of a part that cannot be read it is the hash of what can.
func hashOf(in io.ReaderAt, from, length int64) uint64 {
	h := fnv.New64a()
	_, _ = io.Copy(h, io.NewSectionReader(in, from, length))
	return h.Sum64()
}
