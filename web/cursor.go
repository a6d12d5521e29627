package web

import (
	"fmt"
	"strconv"
	"strings"
)

// cursor is a place in a session's event stream, as the id of an event names it:
// <session>-<seq>, or <session>-<seq>.<part> after the part-th of the frames of
// one event where more of them follow. A resume from it repeats nothing and
// leaves nothing out, also in the middle of an event.
type cursor struct {
	session string // the session's id; an id on the wire has its first characters
	seq     uint64 // the last event seen whole, 0 for none
	part    int    // frames of the event after it that were seen
}

// epochLength is how much of a session's id goes into an event's: enough that a
// cursor into a session that is gone is not taken for one into its successor.
const epochLength = 8

// String is the id on the wire.
func (c cursor) String() string {
	epoch := c.session[:min(len(c.session), epochLength)]
	if c.part > 0 {
		return fmt.Sprintf("%s-%d.%d", epoch, c.seq+1, c.part)
	}
	return epoch + "-" + strconv.FormatUint(c.seq, 10)
}

// parseCursor reads an id. ok is false if it never was one of ours.
func parseCursor(id string) (c cursor, ok bool) {
	epoch, place, found := strings.Cut(id, "-")
	if !found || len(epoch) != epochLength {
		return cursor{}, false
	}
	number, part, split := strings.Cut(place, ".")
	seq, err := strconv.ParseUint(number, 10, 64)
	if err != nil {
		return cursor{}, false
	}
	if !split {
		return cursor{session: epoch, seq: seq}, true
	}
	n, err := strconv.Atoi(part)
	if err != nil || n < 1 || seq < 1 {
		return cursor{}, false
	}
	return cursor{session: epoch, seq: seq - 1, part: n}, true
}

// of reports whether the cursor points into the session with that id.
func (c cursor) of(sessionID string) bool { return strings.HasPrefix(sessionID, c.session) }
