package tool

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode"

	"candor/agent"
)

const (
	defaultFound = 10
	maxFound     = 50
)

type recallArgs struct {
	Query string `json:"query,omitempty" jsonschema:"words to look for in the notes; the newest notes when left out"`
	Limit int    `json:"limit,omitempty" jsonschema:"how many notes at most, 10 when left out"`
}

type recallResult struct {
	Notes []recalled `json:"notes"`
	Found int        `json:"found"` // may be more than are given
}

type recalled struct {
	Text  string `json:"text"`
	Saved string `json:"saved"`
}

func (m *memory) searchTool() agent.Tool {
	return New("memory_search", "Finds what was remembered for the user in earlier notes.", m.search)
}

func (m *memory) search(ctx context.Context, in recallArgs) (recallResult, error) {
	user, err := owner(ctx)
	if err != nil {
		return recallResult{}, err
	}
	m.mu.Lock()
	found := slices.Clone(m.notes[user])
	m.mu.Unlock()
	slices.Reverse(found) // newest first, which a stable sort keeps among equals
	if strings.TrimSpace(in.Query) != "" {
		found = rank(found, in.Query)
	}
	limit := defaultFound
	if in.Limit > 0 {
		limit = min(in.Limit, maxFound)
	}
	out := recallResult{Notes: []recalled{}, Found: len(found)}
	for _, n := range found[:min(limit, len(found))] {
		out.Notes = append(out.Notes, recalled{n.text.String(), n.saved.UTC().Format(time.RFC3339)})
	}
	return out, nil
}

// rank is the notes that share a word with the query, best first.
func rank(notes []note, query string) []note {
	type scored struct {
		note
		points int
	}
	wanted := telling(words(query))
	var hits []scored
	for _, n := range notes {
		if p := points(wanted, words(n.text.String())); p > 0 {
			hits = append(hits, scored{n, p})
		}
	}
	slices.SortStableFunc(hits, func(a, b scored) int { return cmp.Compare(b.points, a.points) })
	out := make([]note, len(hits))
	for i, h := range hits {
		out[i] = h.note
	}
	return out
}

// points counts the wanted words a note has: two for the word itself, one for
// another form of it, as in deploy and deployed.
func points(wanted, has []string) (sum int) {
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

func sameStem(a, b string) bool {
	return min(len(a), len(b)) >= 4 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

// common words tell notes apart by nothing.
var common = map[string]bool{
	"a": true, "about": true, "an": true, "and": true, "are": true, "at": true, "did": true, "do": true,
	"for": true, "i": true, "in": true, "is": true, "it": true, "me": true, "my": true, "of": true,
	"on": true, "or": true, "that": true, "the": true, "to": true, "was": true, "we": true,
	"what": true, "when": true, "where": true, "who": true, "you": true,
}

// words are a text's different words in lower case.
func words(s string) []string {
	all := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r)
	})
	slices.Sort(all)
	return slices.Compact(all)
}

// telling is words without the common ones, unless there are no others.
func telling(words []string) []string {
	rest := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return common[w] })
	if len(rest) == 0 {
		return words
	}
	return rest
}
