package attached

import (
	"regexp"
	"slices"
	"time"

	"candor/attach"
)

// The bounds of a sighting's members.
const (
	maxID    = 256     // of an id, in bytes
	maxIndex = 1 << 20 // of the place within an answer
	maxBatch = 1000    // calls of one answer
)

// agentName says what names of other programs look like.
var agentName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

// invalid returns the name of the member that is wrong, or "".
func invalid(s attach.Sighting) string {
	for _, id := range []struct {
		name, id string
	}{{"session", s.Session}, {"turn", s.Turn}, {"sub", s.Sub}, {"group", s.Group}, {"call", s.Call}} {
		if len(id.id) > maxID {
			return id.name
		}
	}
	switch {
	case !hasForm(s.At):
		return "at"
	case !agentName.MatchString(s.Agent):
		return "agent"
	case s.Session == "":
		return "session"
	case channels[s.Channel] == "":
		return "channel"
	case s.Index < 0 || s.Index > maxIndex:
		return "index"
	case s.Call == "" && (s.Called != nil || s.Returned != nil):
		return "call"
	case s.Batched != nil && !isBatch(s.Batched.Calls):
		return "batched"
	case says(s) != 1:
		return "about, prompted, said, sealed, stopped, called, returned, batched, spawned, used or ended"
	}
	return ""
}

// hasForm reports whether JSON has a form for a time in UTC.
func hasForm(at time.Time) bool {
	year := at.UTC().Year()
	return year >= 0 && year <= 9999
}

// isBatch reports whether there are calls, not too many, each with an id that is taken. Calls without one would be one
// call, and their answers one step.
func isBatch(calls []string) bool {
	return len(calls) > 0 && len(calls) <= maxBatch &&
		!slices.ContainsFunc(calls, func(id string) bool { return id == "" || len(id) > maxID })
}

// says counts what a sighting says, which has to be one thing.
func says(s attach.Sighting) (n int) {
	for _, one := range []bool{
		s.About != nil, s.Prompted != nil, s.Said != nil, s.Sealed != nil, s.Stopped != nil, s.Called != nil,
		s.Returned != nil, s.Batched != nil, s.Spawned != nil, s.Used != nil, s.Ended != nil,
	} {
		if one {
			n++
		}
	}
	return n
}
