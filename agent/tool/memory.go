package tool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"candor/agent"
	"candor/safety"
)

const (
	maxUsers     = 1000
	maxNotes     = 500     // per user; a new note replaces the oldest
	maxNoteBytes = 4 << 10 // a note is a fact, not a document
)

// memory holds the notes of all users in the process. It is safe for concurrent use.
type memory struct {
	layer *safety.Layer

	mu    sync.Mutex
	notes map[string][]note // by user, oldest first
}

// note is a cleaned text with the time at which it was saved.
type note struct {
	text  safety.Text
	saved time.Time
}

// newMemory returns an empty memory whose notes are cleaned by layer.
func newMemory(layer *safety.Layer) *memory {
	return &memory{layer: layer, notes: map[string][]note{}}
}

// saveArgs are the arguments of memory_save.
type saveArgs struct {
	Content string `json:"content" jsonschema:"the fact to remember, in a sentence that makes sense on its own"`
}

// saveResult is the result of memory_save. It contains the note after redaction and the
// note it replaced, so that the model can report both to the user.
type saveResult struct {
	Saved     string `json:"saved"` // the note as stored, cleaned
	Notes     int    `json:"notes"`
	Forgotten string `json:"forgotten,omitempty"` // the note that was replaced
}

// saveTool returns the tool memory_save.
func (m *memory) saveTool() agent.Tool {
	return New("memory_save", "Remembers a note for the user, beyond this conversation.", m.save)
}

// save stores a note for the user of ctx. A note that safety blocks is refused rather than
// stored empty, so that the model can write it without the secret.
func (m *memory) save(ctx context.Context, in saveArgs) (saveResult, error) {
	user, err := owner(ctx)
	if err != nil {
		return saveResult{}, err
	}
	content := strings.TrimSpace(in.Content)
	if content == "" {
		return saveResult{}, errors.New("content is empty; give the fact to remember")
	}
	if len(content) > maxNoteBytes {
		return saveResult{}, fmt.Errorf("the note has %d bytes and at most %d are kept; save the gist of it",
			len(content), maxNoteBytes)
	}
	text, report := agent.SafetyOf(ctx, m.layer).Clean(content)
	if report.Verdict == safety.Blocked || text.Empty() {
		return saveResult{}, errors.New(
			"the note holds something that must not be kept, such as a private key; save it without")
	}
	return m.keep(user, note{text, time.Now()})
}

// keep adds a note as the newest. It replaces an older note with the same text, or the
// oldest note if the user has maxNotes.
func (m *memory) keep(user string, n note) (saveResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept, known := m.notes[user]
	if !known && len(m.notes) >= maxUsers {
		return saveResult{}, fmt.Errorf("memory is full: it has notes of %d users, the most it keeps", maxUsers)
	}
	// A note that is saved again becomes the newest and is stored once.
	kept = slices.DeleteFunc(kept, func(old note) bool { return old.text == n.text })
	out := saveResult{Saved: n.text.String()}
	if len(kept) == maxNotes {
		out.Forgotten = kept[0].text.String()
		kept = slices.Delete(kept, 0, 1)
	}
	m.notes[user] = append(kept, n)
	out.Notes = len(kept) + 1
	return out, nil
}

// owner returns the user whose notes a call concerns, or an error if there is none.
func owner(ctx context.Context) (string, error) {
	user, ok := agent.User(ctx)
	if !ok || user == "" {
		return "", errors.New("notes belong to a user, and nobody said who this turn's user is; nothing was done")
	}
	return user, nil
}
