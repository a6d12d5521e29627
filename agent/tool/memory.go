package tool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

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

const (
	defaultFound = 10 // notes returned if the model gives no limit
	maxFound     = 50
)

// recallArgs are the arguments of memory_search.
type recallArgs struct {
	Query string `json:"query,omitempty" jsonschema:"words to look for in the notes; the newest notes when left out"`
	Limit int    `json:"limit,omitempty" jsonschema:"how many notes at most, 10 when left out"`
}

// recallResult is the result of memory_search.
type recallResult struct {
	Notes []recalled `json:"notes"`
	Found int        `json:"found"` // number of matching notes, of which Notes has the best
}

// recalled is a note as the tool shows it.
type recalled struct {
	Text  string `json:"text"`
	Saved string `json:"saved"`
}

// recall returns the user's notes that match the query, best first, or the newest notes
// if there is no query.
func (m *memory) recall(ctx context.Context, in recallArgs) (recallResult, error) {
	user, err := owner(ctx)
	if err != nil {
		return recallResult{}, err
	}
	m.mu.Lock()
	found := slices.Clone(m.notes[user])
	m.mu.Unlock()
	slices.Reverse(found) // newest first; the stable sort in rank keeps this order among equals
	if strings.TrimSpace(in.Query) != "" {
		found = rank(found, in.Query)
	}
	most := defaultFound
	if in.Limit > 0 {
		most = min(in.Limit, maxFound)
	}
	out := recallResult{Notes: []recalled{}, Found: len(found)}
	for _, n := range found[:min(most, len(found))] {
		out.Notes = append(out.Notes, recalled{n.text.String(), n.saved.UTC().Format(time.RFC3339)})
	}
	return out, nil
}

// rank returns the notes that share a word with the query, best first.
func rank(notes []note, query string) []note {
	// Notes without a wanted word are left out, however few notes remain.
	type scored struct {
		note
		score int
	}
	wanted := withoutCommon(wordSet(query))
	var hits []scored
	for _, n := range notes {
		if s := overlap(wanted, wordSet(n.text.String())); s > 0 {
			hits = append(hits, scored{n, s})
		}
	}
	slices.SortStableFunc(hits, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	out := make([]note, len(hits))
	for i, h := range hits {
		out[i] = h.note
	}
	return out
}

// overlap scores how many of the wanted words a note has: 2 for each exact word, 1 for
// another form of it, such as deployed for deploy.
func overlap(wanted, has []string) (sum int) {
	for _, w := range wanted {
		best := 0
		for _, h := range has {
			switch {
			case w == h:
				best = 2
			case best == 0 && sameStem(w, h):
				best = 1
			}
		}
		sum += best
	}
	return sum
}

// sameStem reports whether one word is a prefix of the other, with at least 4 bytes.
func sameStem(a, b string) bool {
	return min(len(a), len(b)) >= 4 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

// common are words that do not distinguish notes.
var common = map[string]bool{
	"a": true, "about": true, "an": true, "and": true, "are": true, "at": true, "did": true, "do": true,
	"for": true, "i": true, "in": true, "is": true, "it": true, "me": true, "my": true, "of": true,
	"on": true, "or": true, "that": true, "the": true, "to": true, "was": true, "we": true,
	"what": true, "when": true, "where": true, "who": true, "you": true,
}

// wordSet returns the distinct words of a text, in lower case and sorted.
func wordSet(s string) []string {
	all := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r)
	})
	slices.Sort(all)
	return slices.Compact(all)
}

// withoutCommon returns the words that are not common, or all if all are common.
func withoutCommon(all []string) []string {
	rest := slices.DeleteFunc(slices.Clone(all), func(w string) bool { return common[w] })
	if len(rest) == 0 {
		return all
	}
	return rest
}
