package web

import (
	"fmt"
	"strconv"
	"strings"
)

// Cursor is a place in a session's event stream, as the id of an event names it:
// <session>-<seq>, or <session>-<seq>.<part> after the part-th of the frames of
// one event where more of them follow. A resume from it repeats nothing and
// leaves nothing out, also in the middle of an event.
type Cursor struct {
	Session string // the session's id; an id on the wire has its first characters
	Seq     uint64 // the last event seen whole, 0 for none
	Part    int    // frames of the event after it that were seen
}

// epochLength is how much of a session's id goes into an event's: enough that a
// cursor into a session that is gone is not taken for one into its successor.
const epochLength = 8

// CursorAt is the place after the part-th, from 1, of the frames of an event.
func CursorAt(session string, seq uint64, part, frames int) Cursor {
	if part < frames {
		return Cursor{Session: session, Seq: seq - 1, Part: part}
	}
	return Cursor{Session: session, Seq: seq}
}

// String is the id on the wire.
func (c Cursor) String() string {
	epoch := c.Session[:min(len(c.Session), epochLength)]
	if c.Part > 0 {
		return fmt.Sprintf("%s-%d.%d", epoch, c.Seq+1, c.Part)
	}
	return epoch + "-" + strconv.FormatUint(c.Seq, 10)
}

// ParseCursor reads an id. ok is false if it never was one of ours.
func ParseCursor(id string) (c Cursor, ok bool) {
	epoch, place, found := strings.Cut(id, "-")
	if !found || len(epoch) != epochLength {
		return Cursor{}, false
	}
	number, part, split := strings.Cut(place, ".")
	seq, err := strconv.ParseUint(number, 10, 64)
	if err != nil {
		return Cursor{}, false
	}
	if !split {
		return Cursor{Session: epoch, Seq: seq}, true
	}
	n, err := strconv.Atoi(part)
	if err != nil || n < 1 || seq < 1 {
		return Cursor{}, false
	}
	return Cursor{Session: epoch, Seq: seq - 1, Part: n}, true
}

// Of reports whether the cursor points into the session with that id.
func (c Cursor) Of(sessionID string) bool { return strings.HasPrefix(sessionID, c.Session) }
