package sse

import (
	"fmt"
	"strconv"
	"strings"
)

// Cursor is a position in a session's event log, and the id of a server-sent event.
// One event of the log may become several frames, so a position can be inside an
// event. Its text is <session>-<seq> after the last frame of event seq, and
// <session>-<seq>.<part> after the part-th of its frames where more of them follow.
// Resuming from it repeats nothing and skips nothing.
type Cursor struct {
	Session string // the session's id; a parsed cursor has only its first EpochLength characters
	Seq     uint64 // the last event seen completely, 0 for none
	Part    int    // how many frames of the next event were seen
}

// EpochLength is how much of a session's id a cursor's text holds: enough to tell a
// session that is gone from its successor.
const EpochLength = 8

// CursorAt returns the position after the part-th frame, counted from 1, of an
// event that has that many frames.
func CursorAt(session string, seq uint64, part, frames int) Cursor {
	if part < frames {
		return Cursor{Session: session, Seq: seq - 1, Part: part}
	}
	return Cursor{Session: session, Seq: seq}
}

// String returns the id as it is sent.
func (c Cursor) String() string {
	epoch := c.Session[:min(len(c.Session), EpochLength)]
	if c.Part > 0 {
		return fmt.Sprintf("%s-%d.%d", epoch, c.Seq+1, c.Part)
	}
	return epoch + "-" + strconv.FormatUint(c.Seq, 10)
}

// ParseCursor parses an id. ok is false for text that [Cursor.String] never returns.
func ParseCursor(id string) (c Cursor, ok bool) {
	epoch, position, found := strings.Cut(id, "-")
	if !found || len(epoch) != EpochLength {
		return Cursor{}, false
	}
	number, part, inside := strings.Cut(position, ".")
	seq, err := strconv.ParseUint(number, 10, 64)
	if err != nil {
		return Cursor{}, false
	}
	if !inside {
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
