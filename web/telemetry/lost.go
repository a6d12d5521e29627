package telemetry

import (
	"fmt"
	"slices"
	"strings"

	"candor/attach/dialect"
	"candor/attach/otlp"
	"candor/web"
)

// tooLong is what is lost of a fact that a session does not take.
const tooLong = "a fact with an id that is too long"

// Other programs choose the names of spans and events. They are cleaned and reduced to plain characters before they
// appear in the answer to the user who sent them, whose exporter logs it, and in that user's status. They are never
// labels of metrics.

// lost counts what could not be read, by what and by the name of the span or event, which is clean.
type lost map[dialect.Loss]int

// The bounds of the names in an answer, and of those that are kept.
const (
	maxNamed = 8
	maxKept  = 100
)

// add counts a loss n times, if it is one, under its name as clean leaves it; nil is for a name that is clean.
func (l lost) add(loss dialect.Loss, n int, clean func(text string) string) {
	if loss == (dialect.Loss{}) {
		return
	}
	if clean != nil && loss.Name != "" {
		loss.Name = dialect.Plain(clean(loss.Name))
	}
	if l[loss] == 0 && len(l) >= maxKept {
		loss.Name = "" // names are theirs, and may be many
	}
	l[loss] += n
}

// refused counts sightings that the session did not take.
func (l lost) refused(n int) {
	if n > 0 {
		l[dialect.Loss{What: tooLong}] += n
	}
}

// sorted returns what was lost, in an order that does not change.
func (l lost) sorted() (all []web.UnreadTelemetry) {
	for loss, n := range l {
		all = append(all, web.UnreadTelemetry{What: loss.What, Name: loss.Name, Count: n})
	}
	slices.SortFunc(all, func(a, b web.UnreadTelemetry) int { return strings.Compare(a.What+a.Name, b.What+b.Name) })
	return all
}

// partial says what was lost.
func (l lost) partial() (p otlp.Partial) {
	var lines []string
	for _, one := range l.sorted() {
		p.Rejected += one.Count
		line := fmt.Sprintf("%d × %s", one.Count, one.What)
		if one.Name != "" {
			line += " (" + one.Name + ")"
		}
		lines = append(lines, line)
	}
	if len(lines) > maxNamed {
		lines = append(lines[:maxNamed], "and others")
	}
	if len(lines) > 0 {
		p.Message = "not read: " + strings.Join(lines, "; ")
	}
	return p
}
