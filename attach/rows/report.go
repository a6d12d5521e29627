package rows

import (
	"bytes"
	"maps"
	"strings"

	"candor/attach"
)

// Report counts what a reader read, and what it did not yield.
type Report struct {
	// Rows of the file, whatever became of them. Empty lines do not count.
	Rows int
	// Sightings yielded. A row may yield several, or none.
	Sightings int

	// Rows not yielded because another session had them first.
	Copied int
	// Rows and blocks that are lost: no JSON, members of wrong types, no session, a call without an id.
	Malformed int
	// Rows longer than MaxRow, which are lost, too.
	TooLong int
	// 1 if the last row is not whole, because its writer was cut off or still writes.
	Torn int

	// Texts and results longer than the bound, of which the beginning was yielded.
	Cut int
	// Results of which the file itself has only the beginning.
	Outside int
	// Bytes of signatures, redacted thoughts and images, which were dropped.
	Sealed int
	// Rows and blocks of kinds that are not read, by kind. Most concern only the program itself; an unknown name is a
	// new kind.
	Skipped map[string]int
}

// maxKinds bounds the kinds that are counted by name, and maxKind a name. Further kinds are counted as otherKinds.
const (
	maxKinds   = 64
	maxKind    = 48
	otherKinds = "other kinds"
)

// Row counts a line of a file, which is nil if it was too long, and reports whether it is a row to decode.
func (r *Report) Row(line []byte) bool {
	if line != nil && len(bytes.TrimSpace(line)) == 0 {
		return false
	}
	r.Rows++
	if line == nil {
		r.TooLong++
	}
	return line != nil
}

// Lose counts a row that cannot be decoded. It is torn if the end of its line is missing.
func (r *Report) Lose(torn bool) {
	if torn {
		r.Torn++
		return
	}
	r.Malformed++
}

// Give counts sightings and yields them. It returns false as soon as yield does.
func Give[S any](r *Report, list []S, yield func(S, error) bool) bool {
	for _, s := range list {
		r.Sightings++
		if !yield(s, nil) {
			return false
		}
	}
	return true
}

// Skip counts a row or block of a kind that is not read.
func (r *Report) Skip(kind string) { r.SkipMany(PlainKind(kind), 1) }

// SkipMany counts rows or blocks of a kind.
func (r *Report) SkipMany(kind string, n int) {
	if r.Skipped == nil {
		r.Skipped = map[string]int{}
	}
	full := maxKinds
	if r.Skipped[otherKinds] > 0 {
		full++ // it is no kind of its own
	}
	if r.Skipped[kind] == 0 && kind != otherKinds && len(r.Skipped) >= full {
		kind = otherKinds
	}
	r.Skipped[kind] += n
}

// PlainKind returns a kind that is safe on a terminal: at most 48 bytes, with ? for every character that is not an
// ASCII letter or digit, a hyphen, an underscore or a blank.
func PlainKind(kind string) string {
	clean := strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_', c == ' ':
			return c
		}
		return '?'
	}, kind)
	return clean[:min(len(clean), maxKind)]
}

// Add adds the counts of another report.
func (r *Report) Add(other Report) {
	r.Rows += other.Rows
	r.Sightings += other.Sightings
	r.Copied += other.Copied
	r.Malformed += other.Malformed
	r.TooLong += other.TooLong
	r.Torn += other.Torn
	r.Cut += other.Cut
	r.Outside += other.Outside
	r.Sealed += other.Sealed
	for kind, n := range other.Skipped {
		r.SkipMany(kind, n)
	}
}

// Clone returns a copy that shares nothing with r.
func (r *Report) Clone() Report {
	c := *r
	c.Skipped = maps.Clone(r.Skipped)
	return c
}

// News returns a sighting of what a session's row or hook says of the session, as far as told does not have it yet, and
// adds it to told.
func News(told *attach.About, news attach.About, s attach.Sighting) []attach.Sighting {
	for _, pair := range []struct{ was, is *string }{{&told.Version, &news.Version},
		{&told.Folder, &news.Folder}, {&told.Model, &news.Model}, {&told.ForkOf, &news.ForkOf}} {
		if *pair.is, _ = Shorten(*pair.is); *pair.is == *pair.was {
			*pair.is = ""
		} else if *pair.is != "" {
			*pair.was = *pair.is
		}
	}
	if news == (attach.About{}) {
		return nil
	}
	s.Turn, s.About = "", &news
	return []attach.Sighting{s}
}
