package safety

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
