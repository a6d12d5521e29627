package rows

import (
	"strings"
	"time"
)

// maxID bounds the ids that are believed, in bytes. Those of programs have 36 or fewer.
const maxID = 128

// IsID reports whether an id looks like a program's: not empty, at most 128 bytes, and of visible ASCII characters
// only.
func IsID(id string) bool { return id != "" && OptionalID(id) }

// OptionalID is IsID for an id that may be empty.
func OptionalID(id string) bool {
	return len(id) <= maxID && !strings.ContainsFunc(id, func(c rune) bool { return c <= ' ' || c >= 0x7f })
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
