package dialect

import (
	"slices"
	"strings"

	"candor/attach"
)

// Several programs may write a span of one call: the agent's framework, its MCP client, the MCP server, each within the
// one before. Likewise a framework and the library of a provider write one of the same answer. Of these the outermost
// is told, with what only the inner ones have.

// nest makes a span a part of the one around it if both are of one call, or of one answer. It returns the place of that
// one in the ancestry, or 0, and about how many bytes more that one tells now.
func (tr *trace) nest(s *bufferedSpan, ancestry []ancestor) (place, bytes int) {
	place = 1
	for place < len(ancestry) && ancestry[place].span != nil && ancestry[place].span.kind == isOther {
		place++
	}
	if place == len(ancestry) || ancestry[place].span == nil || ancestry[place].span.kind != s.kind {
		return 0, 0
	}
	outer := ancestry[place].span
	switch {
	case s.kind == isModel && outer.said:
		s.node.facts = nil
	case s.kind == isTool && s.isCallOf(outer, ancestry[place].id):
		bytes = s.lend(outer, ancestry[place].id)
	case s.kind == isModel && s.said && outer.node != nil:
		s.giveUsage(outer)
		return 0, 0
	default:
		return 0, 0
	}
	s.kind = isOther
	return place, bytes
}

// giveUsage makes the usage of the span around a model call, and why the model stopped, that of the answer that this
// one tells, unless it has its own.
func (s *bufferedSpan) giveUsage(outer *bufferedSpan) {
	used := slices.ContainsFunc(s.node.facts, func(f attach.Sighting) bool { return f.Used != nil })
	stopped := slices.ContainsFunc(s.node.facts, func(f attach.Sighting) bool { return f.Stopped != nil })
	outer.node.facts = slices.DeleteFunc(outer.node.facts, func(f attach.Sighting) bool {
		return f.Used != nil && used || f.Stopped != nil && stopped
	})
	for i := range outer.node.facts {
		if f := &outer.node.facts[i]; f.Used != nil || f.Stopped != nil {
			f.Group = s.node.id
		}
	}
}

// isCallOf reports whether the span of a tool is of the same call as the one around it, whose id is id.
func (s *bufferedSpan) isCallOf(outer *bufferedSpan, id string) bool {
	if s.call != s.node.id && outer.call != id {
		return s.call == outer.call
	}
	return s.node.request || bareName(s.name) == bareName(outer.name)
}

// bareName returns the name of a tool without that of its server, which some write in front of it.
func bareName(name string) string {
	if at := strings.LastIndexAny(name, "./:"); at >= 0 {
		name = name[at+1:]
	}
	if at := strings.LastIndex(name, "__"); at > 0 {
		name = name[at+2:]
	}
	return name
}

// lend gives the span around this one what that one lacks: the call's id, the parameters, the end. If that one has been
// told already, this one tells all of it again under its id.
func (s *bufferedSpan) lend(outer *bufferedSpan, id string) (bytes int) {
	facts := s.node.facts
	if outer.node == nil {
		for i := range facts {
			facts[i].Call = outer.call
		}
		return 0
	}
	s.node.facts = nil
	for i := range outer.node.facts {
		f := &outer.node.facts[i]
		for _, mine := range facts {
			if f.Call == id && s.call != s.node.id {
				f.Call = s.call
			}
			switch {
			case f.Called != nil && mine.Called != nil && len(f.Called.Params) == 0:
				f.Called.Params = mine.Called.Params
			case f.Returned != nil && mine.Returned != nil && f.Returned.Error == "" && len(f.Returned.Result) == 0:
				took := f.Returned.Took
				*f.Returned = *mine.Returned
				f.Returned.Took = max(took, f.Returned.Took)
			default:
				continue
			}
			bytes += sizeOf([]attach.Sighting{mine})
		}
	}
	if outer.call == id && s.call != s.node.id {
		outer.call = s.call
	}
	outer.told += bytes
	return bytes
}
