package session

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// UnnamedCall begins the ids of calls that a channel saw without the provider's id: hooks of some programs tell the
// tool and its parameters only.
const UnnamedCall = "unnamed"

// seenCall is a call as one channel told it: in the file the time is that of the answer that asked for the call, by
// hooks that of its beginning, both by the agent's clock.
type seenCall struct {
	id string
	at time.Time
}

// named returns the facts, in which calls that a channel could not name have the names that the session file has for
// them, and what these calls were called before. A call is the file's if the tool and the parameters are equal, and if
// it began after the answer that asked for it and before the next one with an equal call. Where an answer has several
// equal calls they are taken in order if all of them were seen; if some were not, nobody knows which, and the file's
// word, which has all of them, stands alone. What the file does not have, yet, stays a call of its own. All of it
// depends on the facts alone, and not on the order in which they came.
func (all sightings) named() (out sightings, was map[string]string) {
	unnamed, inFile := all.alike()
	if len(unnamed) == 0 {
		return all, nil
	}
	// By the id without a name: the one in the file.
	names, was := map[string]string{}, map[string]string{}
	for kind, calls := range unnamed {
		nameAlike(names, calls, inFile[kind])
	}
	for _, s := range all {
		if name, ok := names[s.Call]; ok {
			if name == "" {
				continue // the file has the call; which of several it is nobody knows
			}
			was[name] = s.Call
			s.Call = name
		}
		out = append(out, s)
	}
	// Other ids stand at other places, and the facts have to be in their order.
	slices.SortStableFunc(out, sightedFact.comparePlace)
	return out, was
}

// alike returns the calls without names, and those of the file, by tool and parameters, each in the order of its time.
func (all sightings) alike() (unnamed, inFile map[string][]seenCall) {
	unnamed, inFile = map[string][]seenCall{}, map[string][]seenCall{}
	for _, s := range all {
		if s.Called == nil {
			continue
		}
		// Equal parameters are the same bytes, as whoever reads a file or a hook writes them.
		kind := s.Called.Tool.String() + "\x00" + string(s.Called.Params.Raw())
		switch {
		case strings.HasPrefix(s.Call, UnnamedCall+"_"):
			unnamed[kind] = append(unnamed[kind], seenCall{s.Call, s.At})
		case s.channel == FromFile:
			inFile[kind] = append(inFile[kind], seenCall{s.Call, s.At})
		}
	}
	for _, calls := range []map[string][]seenCall{unnamed, inFile} {
		for kind := range calls {
			slices.SortFunc(calls[kind], func(a, b seenCall) int {
				return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.id, b.id))
			})
		}
	}
	return unnamed, inFile
}

// nameAlike finds the names of equal calls: the empty one where the file has the call, and nobody knows which it is.
func nameAlike(names map[string]string, seen, inFile []seenCall) {
	for len(inFile) > 0 {
		// Calls of one answer have its time, and those that began before the next answer with such calls are its.
		same := 1
		for same < len(inFile) && inFile[same].at.Equal(inFile[0].at) {
			same++
		}
		var its []seenCall
		for _, c := range seen {
			before := same == len(inFile) || c.at.Before(inFile[same].at)
			if before && !c.at.Before(inFile[0].at) {
				its = append(its, c)
			}
		}
		for i, c := range its {
			// More were heard than the answer has: the rest are of answers that are not in the file, yet.
			switch {
			case len(its) < same:
				names[c.id] = ""
			case i < same:
				names[c.id] = inFile[i].id
			}
		}
		inFile = inFile[same:]
	}
}
