package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"candor/agent"
)

// maxRead is how many bytes of a file one call returns.
const maxRead = 64 << 10

type readArgs struct {
	Path   string `json:"path" jsonschema:"file to read, relative to the workspace"`
	Offset int64  `json:"offset,omitempty" jsonschema:"byte to start at, 0 when left out; next_offset of the last call to go on"`
}

type readResult struct {
	Path   string `json:"path"`
	Text   string `json:"text"`
	Offset int64  `json:"offset"`
	Size   int64  `json:"size"`
	Next   int64  `json:"next_offset,omitempty"` // where the rest starts, if any
	Note   string `json:"note,omitempty"`
}

func (w workspace) readTool() agent.Tool {
	return New("file_read",
		"Reads the contents of a text file in the workspace, up to 64 KiB a call.", w.read)
}

func (w workspace) read(_ context.Context, in readArgs) (readResult, error) {
	p, err := locate(in.Path)
	if err != nil {
		return readResult{}, err
	}
	info, err := w.stat(p)
	if err != nil {
		return readResult{}, err
	}
	switch {
	case info.IsDir():
		return readResult{}, fmt.Errorf("%q is a folder; file_list shows what is in it", p)
	case in.Offset < 0:
		return readResult{}, fmt.Errorf("offset %d is negative; it counts bytes from the start of %q", in.Offset, p)
	}
	out := readResult{Path: p, Offset: in.Offset}
	chunk, size, err := w.chunk(p, in.Offset)
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

// chunk is at most maxRead bytes of a text file from an offset on, and the
// file's size.
func (w workspace) chunk(p string, offset int64) ([]byte, int64, error) {
	f, info, err := w.open(p)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	size := info.Size()
	if offset > size {
		return nil, 0, fmt.Errorf("offset %d is past the end: %q has %d bytes", offset, p, size)
	}
	head := make([]byte, sniff)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, explain(p, err)
	}
	if binary(head[:n]) {
		return nil, 0, fmt.Errorf("%q is not a text file (%d bytes); only text can be read", p, size)
	}
	chunk := make([]byte, min(maxRead, size-offset))
	n, err = f.ReadAt(chunk, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, explain(p, err)
	}
	return chunk[:n], size, nil
}

// wholeLines drops a line that was cut in two at the end, unless it is so long
// that there would be little left; then it drops a character cut in two.
func wholeLines(b []byte) []byte {
	if i := bytes.LastIndexByte(b, '\n'); i >= len(b)-len(b)/4 {
		return b[:i+1]
	}
	return wholeRunes(b)
}

// wholeRunes drops a character that was cut in two at the end, so that the next
// call starts with all of it.
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
