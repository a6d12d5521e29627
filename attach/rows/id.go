package rows

import (
	"strings"
	"time"
)

// maxID bounds the ids that are believed, in bytes. Those of programs have 36 or fewer.
const maxID = 128

// IsID reports whether an id is one that a program makes: short, and visible characters only.
func IsID(id string) bool { return id != "" && OptionalID(id) }

// OptionalID is IsID for an id that may be absent.
func OptionalID(id string) bool {
	return len(id) <= maxID && !strings.ContainsFunc(id, func(c rune) bool { return c <= ' ' || c >= 0x7f })
}

// Time returns a time in the form of RFC 3339, in UTC; zero if it cannot be read, or is no time of a program.
func Time(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	// The log's times are those of four digits, in UTC: the zone may move one over the end of a year.
	if t = t.UTC(); err != nil || t.Year() < 2000 || t.Year() > 9999 {
		return time.Time{}
	}
	return t
}
