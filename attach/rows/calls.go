package rows

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxNamed bounds the calls that are remembered. Those beyond them have the ids that the file has.
const maxNamed = 1 << 14

// Calls tells apart calls that a program gave one id, or none: some providers number the calls of each answer anew. The
// zero value is ready to use.
type Calls struct {
	list map[string][]namedCall // by the program's id
	size int
}

// namedCall is a call of an id. Its place is empty while only its result was read.
type namedCall struct {
	place, name string
	ended       bool
}

// Began returns the id of a call that stands at a place of its file: that of the program for its first call, and one
// with the place in it for others. A call that is told of twice stands at one place.
func (c *Calls) Began(id, place string) string {
	known := c.list[id]
	for i := range known {
		if known[i].place == place || known[i].place == "" {
			known[i].place = place
			return known[i].name
		}
	}
	name := id
	if len(known) > 0 || !IsID(id) {
		if name = "call-" + place; !IsID(name) {
			name = "call-" + strconv.Itoa(c.size)
		}
	}
	c.add(id, namedCall{place: place, name: name})
	return name
}

// Ended returns the id of the call that a result with the program's id belongs to: of several the first without a
// result, else the last. It is empty for a result without an id that no call can have.
func (c *Calls) Ended(id string) string {
	known := c.list[id]
	for i := range known {
		if !known[i].ended {
			known[i].ended = true
			return known[i].name
		}
	}
	switch {
	case len(known) > 0:
		return known[len(known)-1].name
	case IsID(id):
		c.add(id, namedCall{name: id, ended: true}) // its call may stand behind it
		return id
	}
	return ""
}

// add remembers a call.
func (c *Calls) add(id string, call namedCall) {
	if c.list == nil {
		c.list = map[string][]namedCall{}
	}
	if c.size < maxNamed {
		c.list[id] = append(c.list[id], call)
		c.size++
	}
}

// Last returns the id of the latest call with the program's id, for channels of the program that tell of it beside its
// result.
func (c *Calls) Last(id string) string {
	if known := c.list[id]; len(known) > 0 {
		return known[len(known)-1].name
	}
	return id
}

// maxID bounds the ids that are believed, in bytes. Those of programs have 36 or fewer.
const maxID = 128

// IsID reports whether an id looks like a program's: not empty, at most 128 bytes, and of visible ASCII characters
// only.
func IsID(id string) bool { return id != "" && OptionalID(id) }

// OptionalID is IsID for ids that may be empty.
func OptionalID(ids ...string) bool {
	return !slices.ContainsFunc(ids, func(id string) bool {
		return len(id) > maxID || strings.ContainsFunc(id, func(c rune) bool { return c <= ' ' || c >= 0x7f })
	})
}

// Time parses a time of RFC 3339 and returns it in UTC. It returns the zero time if the text is no such time, or its
// year in UTC is before 2000 or after 9999.
func Time(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	// The log's times are those of four digits, in UTC: the zone may move one over the end of a year.
	if t = t.UTC(); err != nil || t.Year() < 2000 || t.Year() > 9999 {
		return time.Time{}
	}
	return t
}
