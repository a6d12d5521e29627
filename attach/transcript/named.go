package transcript

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"candor/attach/gemini"
	"candor/attach/rows"
)

// Errors for a file that a person named, behind its path.
var (
	ErrForeign = errors.New("is not a session file of a known agent: Claude Code's and Qwen Code's are named " +
		"ID.jsonl, Codex's rollout-….jsonl, Gemini CLI's session-….jsonl or .json in a folder chats, GitHub Copilot " +
		"CLI's events.jsonl in session-state/ID, Pi's TIME_ID.jsonl, OpenCode's database opencode.db")
	ErrCompressed = errors.New("is compressed: unpack it with zstd -d, and import the result")
)

// maxFirst is how much of a named file tells which program wrote it, in bytes.
const maxFirst = 256 << 10

// isNamed reports whether a person named the file, and not a folder of it.
func (w *Walk) isNamed(path string) bool { return slices.Contains(w.Places, path) }

// formatToRead returns the format of a file: by its name, and by its first rows if that says nothing or may be that of
// several programs. What neither tells is read as a file of Claude Code.
func (w *Walk) formatToRead(in io.ReaderAt, path string) format {
	last := formats[len(formats)-1]
	f, ok := formatOf(path)
	if !ok {
		f = last
	}
	if f.folder != last.folder {
		return f
	}
	if head := make([]byte, maxFirst); filepath.Ext(path) == ".json" {
		if n, _ := in.ReadAt(head, 0); gemini.IsOld(head[:n]) {
			return format{folder: "tmp", open: openOldGemini}
		}
	}
	for first := range firstRows(in) {
		for _, t := range tells {
			if t.is(&first) {
				return t.format
			}
		}
		if len(first.Of.Content) > 0 { // Claude Code
			return f
		}
	}
	return f
}

// tells are the formats that a row tells of a file that a person named. What stands around the file may be of another
// program.
var tells = []struct {
	is func(*firstRow) bool
	format
}{
	{func(r *firstRow) bool { return r.Type == "session_meta" && len(r.Payload) > 0 || r.isBareRollout() },
		format{folder: "sessions", open: openCodex}},
	{func(r *firstRow) bool { return r.Type == "" && r.Session != "" && r.Project != "" },
		format{folder: "tmp", open: func(_ string, _ *seen, growing bool) reader {
			return gemini.NewReader(nil, growing)
		}}},
	{func(r *firstRow) bool { return len(r.Of.Parts) > 0 },
		format{folder: "chats", open: func(_ string, _ *seen, growing bool) reader {
			return gemini.NewQwenReader(growing)
		}}},
	{func(r *firstRow) bool { return r.Type == "session.start" && len(r.Data) > 0 },
		format{folder: "session-state", open: openCopilot}},
	{func(r *firstRow) bool { return r.Type == "session" && r.ID != "" && r.Time != "" },
		format{folder: "sessions", open: openPi}},
}

// maxTells bounds the first rows that tell the program, since it may begin a file with affairs of its own.
const maxTells = 64

// firstRow is what a file's first rows tell of the program that wrote them.
type firstRow struct {
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload"`     // Codex
	Session string          `json:"sessionId"`   // Gemini CLI, Claude Code, Qwen Code
	Project string          `json:"projectHash"` // Gemini CLI
	Data    json.RawMessage `json:"data"`        // GitHub Copilot CLI
	// Pi, and Codex in the first row of a rollout without envelopes.
	ID           string          `json:"id"`
	Time         string          `json:"timestamp"`
	Instructions json.RawMessage `json:"instructions"`
	// Claude Code, in rows that name no session.
	UUID    string `json:"uuid"`
	Leaf    string `json:"leafUuid"`
	Message string `json:"messageId"`
	// What was said: parts in Qwen Code's files, and a content in Claude Code's.
	Of struct {
		Parts   json.RawMessage `json:"parts"`
		Content json.RawMessage `json:"content"`
	} `json:"message"`
}

// isBareRollout reports whether a row begins a rollout of Codex without envelopes.
func (r *firstRow) isBareRollout() bool {
	return r.Type == "" && r.ID != "" && r.Time != "" && len(r.Instructions) > 0 && r.Session == ""
}

// firstRows yields the rows at the beginning of a file; of what is no row it yields the zero value. A row that is
// longer than maxFirst ends it, and with it what the file can tell.
func firstRows(in io.ReaderAt) func(yield func(firstRow) bool) {
	return func(yield func(firstRow) bool) {
		read := 0
		var p rows.Place
		_, _ = p.Each(io.NewSectionReader(in, 0, maxFirst), func(line []byte, _ bool) bool {
			var r firstRow
			if len(bytes.TrimSpace(line)) == 0 {
				return true
			}
			if json.Unmarshal(line, &r) != nil {
				r = firstRow{}
			}
			read++
			return yield(r) && read < maxTells
		})
	}
}

// isForeign reports whether a file that was read gave nothing and has no row of a program that is known. An empty file
// is none, since its program may just have begun it; nor is one of rows that another session had, or that are too
// long to read. Rows of Claude Code that tell nothing of decisions name the session, or a row or a message of it.
func isForeign(f *sessionFile, in io.ReaderAt) bool {
	r := f.reader.Report()
	if r.Rows == 0 || r.Sightings+r.Copied+r.TooLong > 0 {
		return false
	}
	if f.format.folder != formats[len(formats)-1].folder {
		return r.Malformed+r.Torn == r.Rows
	}
	for row := range firstRows(in) {
		if row.Type != "" && row.Session+row.UUID+row.Leaf+row.Message != "" {
			return false
		}
	}
	return true
}

// failed tells why a file cannot be read, unless that was told at the last look. A file that a person named and does
// not follow ends the walk: there is nothing else to read. One of a folder is told of, and the others are read.
func (w *Walk) failed(ctx context.Context, path string, err error, growing bool) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, fs.ErrNotExist): // it has just gone
		return nil
	case w.isNamed(path) && !growing:
		return &fileError{path, err}
	case w.failures[path] != err.Error():
		w.failures[path] = err.Error()
		w.tell(path, err.Error())
	}
	return nil
}

// errSpecial is why a pipe or a device that a person named is not read.
var errSpecial = errors.New("it is no file with a size, such as a pipe; write its content to a file first")

// unreadable returns an error of the system as it is said behind a path.
func unreadable(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return fmt.Errorf("cannot be read: %w", err)
}

// nothing returns the error for places without session files.
func (w *Walk) nothing() error {
	places := strings.Join(w.Places, ", ")
	if len(w.closed) > 0 {
		return fmt.Errorf("%w that can be read in %s", ErrNoFiles, places)
	}
	return fmt.Errorf("%w in %s: name a session file, or a folder with some", ErrNoFiles, places)
}
