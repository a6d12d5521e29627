package session

import (
	"cmp"
	"slices"
	"strings"
)

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
