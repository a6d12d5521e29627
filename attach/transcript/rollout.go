package transcript

import (
	"io"
	"iter"
	"path/filepath"
	"strings"

	"candor/attach"
	"candor/attach/codex"
	"candor/attach/rows"
)

// rollout returns what reports whether a file is one of Codex, whose name ends with a suffix.
func rollout(suffix string) func(path string) bool {
	return func(path string) bool {
		return strings.HasPrefix(filepath.Base(path), "rollout-") && strings.HasSuffix(path, suffix)
	}
}

// openCodex reads a file of Codex.
func openCodex(_ string, _ *seen, growing bool) reader { return codex.NewReader(growing) }

// compressed ends the name of a file that Codex has compressed.
const compressed = ".zst"

// openCompressed reads nothing of a file that Codex has compressed.
func openCompressed(string, *seen, bool) reader { return unread{} }

// unread is a file that is not read. Codex can compress the sessions that it has not used for long; to read those would
// take a library for the one program, and they can be read where somebody unpacks them.
type unread struct{}

// Read yields nothing.
func (unread) Read(io.Reader) iter.Seq2[attach.Sighting, error] {
	return func(func(attach.Sighting, error) bool) {}
}

// End returns nothing.
func (unread) End() []attach.Sighting { return nil }

// Offset returns 0: of the file nothing is read.
func (unread) Offset() int64 { return 0 }

// Report returns nothing.
func (unread) Report() rows.Report { return rows.Report{} }
