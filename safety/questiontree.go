package safety

import (
	"slices"
	"strings"

	"candor/safety/internal/inert"
	"candor/safety/internal/lex"
)

// This file reads JSON into trees, in which a call's arguments as they were shown and as a person wants
// them are compared. Strings are decoded, so that two spellings of one text are equal, and numbers are
// kept as they are written. The members of an object are found by their names, and so may be in another order.

// tree is a JSON value. Its kind is { or [ or ", or 0 for any other.
type tree struct {
	kind   byte
	names  []string // of the members of an object
	parts  []*tree  // members or elements
	text   string   // of a string; else the literal
	before *leaf    // what the arguments have here; only of what was shown
}

// treeReader reads a valid JSON value. It gives each leaf, in their order, to what was shown of it.
type treeReader struct {
	walker
	leaves []leaf
}

// read reads the next value. It fails if the value is nested too deep or names a member twice.
func (r *treeReader) read(depth int) (*tree, error) {
	if depth > maxDepth {
		return nil, errDeep
	}
	r.space()
	switch c := r.in[r.pos]; c {
	case '{', '[':
		return r.readParts(c, depth)
	case '"':
		return r.tie(&tree{kind: '"', text: r.string()}), nil
	}
	return r.tie(&tree{text: string(r.literal())}), nil
}

// tie returns t with the next leaf, if there are any.
func (r *treeReader) tie(t *tree) *tree {
	if len(r.leaves) > 0 {
		t.before, r.leaves = &r.leaves[0], r.leaves[1:]
	}
	return t
}

// readParts reads an object or a list.
func (r *treeReader) readParts(kind byte, depth int) (*tree, error) {
	t, names := &tree{kind: kind}, map[string]bool{}
	r.pos++
	for !r.close(kind + 2) { // in ASCII } is two behind {, and ] behind [
		if kind == '{' {
			name := r.string()
			if names[name] {
				return nil, errTwice
			}
			names[name] = true
			t.names = append(t.names, name)
			r.space()
			r.pos++ // the colon
		}
		part, err := r.read(depth + 1)
		if err != nil {
			return nil, err
		}
		t.parts = append(t.parts, part)
	}
	return t, nil
}

// member returns the member of this name of an object, nil if there is none.
func (t *tree) member(name string) *tree {
	if t == nil || t.kind != '{' {
		return nil
	}
	for i, n := range t.names {
		if n == name {
			return t.parts[i]
		}
	}
	return nil
}

// equal reports whether two values are the same.
func (t *tree) equal(u *tree) bool {
	if t.kind != u.kind || t.text != u.text || len(t.parts) != len(u.parts) {
		return false
	}
	for i, p := range t.parts {
		other := u.parts[i]
		if t.kind == '{' {
			other = u.member(t.names[i])
		}
		if other == nil || !p.equal(other) {
			return false
		}
	}
	return true
}

// beside returns what was shown in place of each element of a list. In a list of another length
// that is known of the elements before and behind what was changed only.
func (t *tree) beside(was *tree) []*tree {
	beside := make([]*tree, len(t.parts))
	if was == nil || was.kind != '[' {
		return beside
	}
	if len(was.parts) == len(t.parts) {
		return was.parts
	}
	n, first := min(len(t.parts), len(was.parts)), 0
	for ; first < n && t.parts[first].equal(was.parts[first]); first++ {
		beside[first] = was.parts[first]
	}
	for last := 1; last <= n-first; last++ {
		mine, theirs := len(t.parts)-last, len(was.parts)-last
		if !t.parts[mine].equal(was.parts[theirs]) {
			break
		}
		beside[mine] = was.parts[theirs]
	}
	return beside
}

// align finds the spans of s that markers stand for in cleaned, and returns s with these
// markers, everything else escaped as escapeUnseen does. It returns false unless s is
// cleaned with an inert text, which is perhaps empty, in place of each marker.
//
// Each part between two markers is looked for where it begins first. If any other place
// fits, that one does too: what lies between the two places is inert.
func align(s, cleaned string) (spans []lex.Span, shown string, ok bool) {
	var b strings.Builder
	pos, from := 0, -1 // from is the start of the span that ends where the next part begins
	for rest := cleaned; ; {
		part, marker, more := cutMarker(rest, s[pos:], from < 0)
		at := pos
		if from >= 0 {
			at = find(s, pos, part, !more)
		}
		if at < 0 || !strings.HasPrefix(s[at:], part) || !more && at+len(part) != len(s) {
			return nil, "", false
		}
		if from >= 0 && at > from {
			spans = append(spans, lex.Span{From: from, To: at})
		}
		b.WriteString(escapeUnseen(part))
		pos = at + len(part)
		if !more {
			return spans, b.String(), true
		}
		b.WriteString(marker)
		rest, from = rest[len(part)+len(marker):], pos
	}
}

// cutMarker returns the part of a cleaned text in front of its first marker, and the marker.
// A marker that the text itself has, which raw continues with, belongs to the part.
func cutMarker(cleaned, raw string, follows bool) (part, marker string, more bool) {
	for at := 0; ; {
		k := strings.Index(cleaned[at:], lex.MarkerPrefix)
		if k < 0 {
			return cleaned, "", false
		}
		k += at
		end := strings.IndexByte(cleaned[k:], ']')
		if end < 0 {
			return cleaned, "", false
		}
		end += k + 1
		if !follows || !strings.HasPrefix(raw, cleaned[:end]) {
			return cleaned[:k], cleaned[k:end], true
		}
		at = end
	}
}

// find returns where part begins in s, behind inert characters only from pos on, or -1. The
// last part ends s.
func find(s string, pos int, part string, last bool) int {
	end := pos
	for end < len(s) && inert.IsInert(s[end]) {
		end++
	}
	if last {
		if at := len(s) - len(part); at >= pos && at <= end && strings.HasSuffix(s, part) {
			return at
		}
		return -1
	}
	at := strings.Index(s[pos:min(len(s), end+len(part))], part)
	if at < 0 {
		return -1
	}
	return pos + at
}

// isMarker reports whether a cleaned text is one marker.
func isMarker(cleaned string) bool {
	return strings.HasPrefix(cleaned, lex.MarkerPrefix) && strings.IndexByte(cleaned, ']') == len(cleaned)-1
}

// This file has which secret a mask means where several have the same one. A person sees no difference between
// such masks, so what they did to one cannot always be told from what they did to another: of two tokens
// in a list, which are both [REDACTED:github-pat], either may be the one that was taken out.

// eachMask calls yield for each mask in a value, with the secret behind it if that is known.
func (t *tree) eachMask(yield func(mask, secret string)) {
	if t.kind == '"' {
		_, masks := splitMasks(t.text)
		for i, mask := range masks {
			yield(mask, t.before.secret(i))
		}
	}
	for _, part := range t.parts {
		part.eachMask(yield)
	}
}

// secret returns what the mask of this index stands for, which is the whole leaf if no part of it is hidden.
func (l *leaf) secret(i int) string {
	switch {
	case l == nil:
		return ""
	case i < len(l.hidden):
		return l.text[l.hidden[i].From:l.hidden[i].To]
	}
	return string(l.literal)
}

// unclearMasks returns how often each mask stands in a value that stands for more than one secret there.
func (t *tree) unclearMasks() map[string]int {
	first, count, unclear := map[string]string{}, map[string]int{}, map[string]int{}
	t.eachMask(func(mask, secret string) {
		if count[mask]++; count[mask] == 1 {
			first[mask] = secret
		}
		if secret != first[mask] {
			unclear[mask] = 0
		}
	})
	for mask := range unclear {
		unclear[mask] = count[mask]
	}
	return unclear
}

// isUnclear reports whether a list has a mask of which nobody can tell what it means, given what was shown and what
// of that stands beside each element. A mask may mean another secret than the one beside it if two of these
// are so: its element was changed, another element looked the same, or there are more or fewer such masks now.
func (t *tree) isUnclear(was *tree, beside []*tree) bool {
	if was == nil || was.kind != '[' {
		return false
	}
	unclear := was.unclearMasks()
	count := map[string]int{}
	t.eachMask(func(mask, _ string) { count[mask]++ })
	for i, part := range t.parts {
		concerned, fewer := false, false
		part.eachMask(func(mask, _ string) {
			n, is := unclear[mask]
			concerned, fewer = concerned || is, fewer || is && n != count[mask]
		})
		if !concerned || beside[i] == nil {
			continue // a mask without anything beside it is refused anyway
		}
		changed, twin := !part.equal(beside[i]), part.hasTwin(was, beside[i])
		if changed && twin || fewer && (changed || twin) {
			return true
		}
	}
	return false
}

// hasTwin reports whether a list has an element that looks like t and has other secrets than the one beside it.
func (t *tree) hasTwin(list, beside *tree) bool {
	return slices.ContainsFunc(list.parts, func(other *tree) bool {
		return other != beside && t.equal(other) && !slices.Equal(other.secrets(), beside.secrets())
	})
}

// secrets returns the secrets in a value that was shown, in their order.
func (t *tree) secrets() (all []string) {
	t.eachMask(func(_, secret string) { all = append(all, secret) })
	return all
}
