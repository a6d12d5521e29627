package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// maxRead is the number of bytes of a file that one call returns.
const maxRead = 64 << 10

// readArgs are the arguments of file_read.
type readArgs struct {
	Path   string `json:"path" jsonschema:"file to read, relative to the workspace"`
	Offset int64  `json:"offset,omitempty" jsonschema:"byte to start at, 0 when left out; next_offset continues a read"`
}

// readResult is the result of file_read. Offsets and sizes are in bytes of the file, also
// where Text has replacements for invalid UTF-8.
type readResult struct {
	Path   string `json:"path"`
	Text   string `json:"text"`
	Offset int64  `json:"offset"`
	Size   int64  `json:"size"`
	Next   int64  `json:"next_offset,omitempty"` // where the next call continues; 0 at the end
	Note   string `json:"note,omitempty"`
}

// read returns a piece of a text file that begins at an offset and, unless the file ends
// there, ends with a whole line.
func (w workspace) read(_ context.Context, in readArgs) (readResult, error) {
	at, err := locate(in.Path)
	if err != nil {
		return readResult{}, err
	}
	info, err := w.stat(at)
	if err != nil {
		return readResult{}, err
	}
	switch {
	case info.IsDir():
		return readResult{}, fmt.Errorf("%s is a folder; file_list shows what is in it", at.name)
	case in.Offset < 0:
		return readResult{}, fmt.Errorf("offset %d is negative; it counts bytes from the start of %s",
			in.Offset, at.name)
	}
	out := readResult{Path: at.path, Offset: in.Offset}
	chunk, size, err := w.chunk(at, in.Offset)
	if err != nil {
		return readResult{}, err
	}
	out.Size = size
	if end := in.Offset + int64(len(chunk)); end < size {
		chunk = wholeLines(chunk)
		out.Next = in.Offset + int64(len(chunk))
	}
	if out.Text = string(chunk); !utf8.ValidString(out.Text) {
		out.Text = strings.ToValidUTF8(out.Text, "\uFFFD")
		out.Note = "bytes that are no UTF-8 are shown as \uFFFD"
	}
	return out, nil
}

// chunk returns up to maxRead bytes of a text file from an offset on, and the file's
// size.
func (w workspace) chunk(at location, offset int64) ([]byte, int64, error) {
	f, info, err := w.open(at)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	size := info.Size()
	if offset > size {
		return nil, 0, fmt.Errorf("offset %d is past the end: %s has %d bytes", offset, at.name, size)
	}
	head := make([]byte, sniff)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, explain(at, err)
	}
	if binary(head[:n]) {
		return nil, 0, fmt.Errorf("%s is not a text file (%d bytes); only text can be read", at.name, size)
	}
	chunk := make([]byte, min(maxRead, size-offset))
	n, err = f.ReadAt(chunk, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, explain(at, err)
	}
	return chunk[:n], size, nil
}

// wholeLines removes an incomplete last line, unless that line is more than a quarter of
// b; then it removes only an incomplete last character.
func wholeLines(b []byte) []byte {
	if i := bytes.LastIndexByte(b, '\n'); i >= len(b)-len(b)/4 {
		return b[:i+1]
	}
	return wholeRunes(b)
}

// wholeRunes removes an incomplete last character, so that the next call begins with it.
func wholeRunes(b []byte) []byte {
	for back := 1; back < utf8.UTFMax && back < len(b); back++ {
		if start := len(b) - back; utf8.RuneStart(b[start]) {
			if !utf8.FullRune(b[start:]) {
				return b[:start]
			}
			break
		}
	}
	return b
}

// excerpt returns a line without its indentation, cut to about maxLine bytes around the
// match at line[at:at+length]. It cuts between words where it can: half of a credential
// would not be recognized and redacted later. An ellipsis marks each cut.
func excerpt(line string, at, length int) string {
	if len(line) <= maxLine {
		return valid(strings.TrimSpace(line))
	}
	at = min(at, len(line))
	// A third of the excerpt precedes the match, so that most of it is what follows.
	from := max(0, min(at-maxLine/3, len(line)-maxLine))
	to := from + maxLine
	if start := nextWord(line, from, at); from > 0 && start >= 0 {
		from = start
	}
	if end := lastWordEnd(line, min(at+length, to), to); to < len(line) && end >= 0 {
		to = end
	}
	cut := strings.TrimSpace(strings.ToValidUTF8(line[from:to], ""))
	if from > 0 {
		cut = "…" + cut
	}
	if to < len(line) {
		cut += "…"
	}
	return cut
}

// nextWord returns the first offset in [from, last] that is not within a word, or -1.
func nextWord(line string, from, last int) int {
	for i := from; i <= last; i++ {
		if i == 0 || !inWord(line[i-1]) {
			return i
		}
	}
	return -1
}

// lastWordEnd returns the last offset in [first, to] that is not within a word, or -1.
func lastWordEnd(line string, first, to int) int {
	for i := to; i >= first; i-- {
		if i == len(line) || !inWord(line[i]) {
			return i
		}
	}
	return -1
}

// inWord reports whether a byte may be part of a word or of a credential.
func inWord(b byte) bool {
	return b >= 0x80 || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' ||
		strings.IndexByte("_-+/=.~", b) >= 0
}
