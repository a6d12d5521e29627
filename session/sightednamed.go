package session

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// UnnamedCall prefixes the ids of calls that a channel reported without the provider's id: hooks of some programs
// report only the tool and its parameters.
const UnnamedCall = "unnamed"

// seenCall is a call as one channel told it: in the file the time is that of the answer that asked for the call, by
// hooks that of its beginning, both by the agent's clock.
type seenCall struct {
	id    string
	at    time.Time
	ended time.Time // of the file; zero if it does not say
	over  bool      // of the file: it has ended
	waits bool      // of hooks: a person is asked about it, so that it has not
}

// named returns the facts, in which calls that a channel could not name have the names that the session file has for
// them, and what these calls were called before. A call is the file's if the tool and the parameters are equal, and if
// it began after the answer that asked for it, before the next one with an equal call, and before it ended. Where an
// answer has several equal calls they are taken in order if all of them were seen; if some were not, nobody knows
// which, and the file's word, which has all of them, stands alone. What the file does not have, yet, stays a call of
// its own. All of it depends on the facts alone, and not on the order in which they came.
//
// said are the calls of which people said something. Such a call is never left out.
func (all sightings) named(said map[string]Call) (out sightings, was map[string]string) {
	unnamed, inFile := all.alike(said)
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
			_, kept := said[s.Call]
			switch {
			case name != "":
				was[name] = s.Call
				renamed := *s
				renamed.Call = name
				s = &renamed
			case !kept:
				continue // the file has the call; which of several it is nobody knows
			}
		}
		out = append(out, s)
	}
	// Other ids stand at other places, and the facts have to be in their order.
	slices.SortStableFunc(out, (*sightedFact).comparePlace)
	return out, was
}

// calledNow returns the id that the turn has for a call, which may be the one that it had before the file named it.
func (t Turn) calledNow(id string) string {
	for now, was := range t.was {
		if was == id {
			return now
		}
	}
	return id
}

// alike returns the calls without names, and those of the file, by tool and parameters, each in the order of its time.
func (all sightings) alike(said map[string]Call) (unnamed, inFile map[string][]seenCall) {
	unnamed, inFile = map[string][]seenCall{}, map[string][]seenCall{}
	ended := map[string]time.Time{}
	for _, s := range all {
		if s.Returned != nil && s.channel == FromFile {
			ended[s.Call] = s.At
		}
	}
	for _, s := range all {
		if s.Called == nil {
			continue
		}
		// Equal parameters are the same bytes, as whoever reads a file or a hook writes them.
		kind := s.Called.Tool.String() + "\x00" + string(s.Called.Params.Raw())
		switch {
		case strings.HasPrefix(s.Call, UnnamedCall+"_"):
			unnamed[kind] = append(unnamed[kind], seenCall{id: s.Call, at: s.At, waits: said[s.Call].waits()})
		case s.channel == FromFile:
			end, over := ended[s.Call]
			inFile[kind] = append(inFile[kind], seenCall{id: s.Call, at: s.At, ended: end, over: over})
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
			if before && slices.ContainsFunc(inFile[:same], c.mayBe) {
				its = append(its, c)
			}
		}
		left := slices.Clone(inFile[:same])
		for _, c := range its {
			// More may be heard than the answer has: the rest are of answers that are not in the file, yet.
			at := slices.IndexFunc(left, c.mayBe)
			switch {
			case len(its) < same:
				names[c.id] = ""
			case at >= 0:
				names[c.id] = left[at].id
				left = slices.Delete(left, at, at+1)
			}
		}
		inFile = inFile[same:]
	}
}

// mayBe reports whether a call may be one of the file: it began after the answer, and not after the call had ended.
func (c seenCall) mayBe(f seenCall) bool {
	return !c.at.Before(f.at) && (f.ended.IsZero() || !c.at.After(f.ended)) && !(c.waits && f.over)
}

// Providers make ids of calls, and some give one to several calls: the first of every answer is call_0, say. The answer
// that a call is part of tells such calls from each other.

// twin is a call as an answer of the model has it.
type twin struct {
	group, kind string // kind is whose call it is, its tool and parameters
	first       sightedFact
}

// apart returns the facts in which calls of one id are several where different answers have different calls under it.
// The first of them keeps the id. How one ended is known where a channel says of which answer it was; else it may be
// the end of any of them, and is nobody's. The same holds for what a channel tells of the call without its answer.
func (all sightings) apart() sightings {
	twins := all.twins()
	if len(twins) == 0 {
		return all
	}
	out := make(sightings, 0, len(all))
	for _, s := range all {
		of, several := twins[s.Call]
		if several && (s.Called != nil || s.Returned != nil) {
			if s.Group == "" || !slices.ContainsFunc(of, func(t twin) bool { return t.group == s.Group }) {
				continue
			}
			if s.Group != of[0].group {
				renamed := *s
				renamed.Call += "-" + strings.TrimPrefix(s.Group, "answer_")
				s = &renamed
			}
		}
		out = append(out, s)
	}
	// Other ids stand at other places, and the facts have to be in their order.
	slices.SortStableFunc(out, (*sightedFact).comparePlace)
	return out
}

// twins returns the calls that share an id with other calls, by this id and in the order of their time. That an answer
// has another name elsewhere makes no second call of one: its parameters are the same. Telemetry tells of one answer in
// several spans, so that it tells nothing here.
func (all sightings) twins() map[string][]twin {
	of := map[string][]twin{}
	for _, s := range all {
		if s.Called == nil || s.Group == "" || s.channel != FromFile && s.channel != FromHooks {
			continue
		}
		kind := s.Sub + "\x00" + s.Called.Tool.String() + "\x00" + string(s.Called.Params.Raw())
		at := slices.IndexFunc(of[s.Call], func(t twin) bool { return t.group == s.Group })
		switch {
		case at < 0:
			of[s.Call] = append(of[s.Call], twin{s.Group, kind, *s})
		case s.better(of[s.Call][at].first): // of one answer by two channels
			of[s.Call][at] = twin{s.Group, kind, *s}
		}
	}
	for id, list := range of {
		if !slices.ContainsFunc(list, func(t twin) bool { return t.kind != list[0].kind }) {
			delete(of, id)
			continue
		}
		slices.SortFunc(list, func(a, b twin) int {
			return cmp.Or(a.first.At.Compare(b.first.At), cmp.Compare(a.group, b.group))
		})
	}
	return of
}
