package telemetry

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"candor/attach/dialect"
	"candor/attach/otlp"
)

// tooLong is what is lost of a fact that a session does not take.
const tooLong = "a fact with an id that is too long"

// Other programs choose the names of spans and events. They are cleaned and reduced to plain characters before they
// appear in the answer to the user who sent them, whose exporter logs it. They are never labels of metrics.

// lost counts what could not be read of a request, by what and by the name of the span or event.
type lost map[dialect.Loss]int

// maxNamed bounds the names in an answer.
const maxNamed = 8

// add counts a loss, if it is one.
func (l lost) add(loss dialect.Loss) {
	if loss == (dialect.Loss{}) {
		return
	}
	if l[loss] == 0 && len(l) >= 100 {
		loss.Name = "" // names are theirs, and may be many
	}
	l[loss]++
}

// refused counts sightings that the session did not take.
func (l lost) refused(n int) {
	if n > 0 {
		l[dialect.Loss{What: tooLong}] += n
	}
}

// partial says what was lost, with names as clean leaves them.
func (l lost) partial(clean func(text string) string) (p otlp.Partial) {
	var lines []string
	for _, loss := range slices.SortedFunc(maps.Keys(l), func(a, b dialect.Loss) int {
		return strings.Compare(a.What+a.Name, b.What+b.Name)
	}) {
		p.Rejected += l[loss]
		line := fmt.Sprintf("%d × %s", l[loss], loss.What)
		if loss.Name != "" {
			line += " (" + dialect.Plain(clean(loss.Name)) + ")"
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
