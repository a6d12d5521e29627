package offline

import "slices"

// maxBorrowed is how many values of an earlier result become calls.
const maxBorrowed = 5

// loan is arguments that the clause itself does not have.
type loan struct {
	names []string
	from  string // in words
}

// borrow fills what is missing from what a clause refers to: the path of “then
// read it” is the first path in the results before, and what “remember it” means
// is the sentence before.
func (f *filled) borrow(c clause, p *profile, before []done) loan {
	refers := f.placed != "" || len(c.words) <= 2 || c.has("it", "them", "that", "this", "these", "those", "first", "one", "each",
		"result", "results", "file", "files", "match", "matches")
	if !refers {
		return loan{}
	}
	limit := 1
	if c.has("them", "each", "all", "these", "those", "files", "results", "matches") {
		limit = maxBorrowed
	}
	var l loan
	if f.placed != "" {
		l = loan{[]string{f.placed}, "the one named before"}
	}
	f.missing = slices.DeleteFunc(f.missing, func(name string) bool {
		if kind(p.Schema.Properties[name]) != "string" {
			return false
		}
		if c.preceding != "" && roleOf(name) == roleFact {
			f.values[name], l.from = []any{c.preceding}, "the sentence before"
		} else if values, from := lend(before, name, limit); c.then != "" && len(values) > 0 {
			f.values[name], l.from = values, "what "+from+" found"
		} else {
			return false
		}
		l.names = append(l.names, name)
		return true
	})
	return l
}

// place fills where to look when a clause says “in it” and the words before named
// a place.
func (f *filled) place(c clause, p *profile) {
	if c.place == "" || !c.pair("in", "it") && !c.pair("in", "there") && !c.pair("in", "them") {
		return
	}
	for _, name := range p.order() {
		if roleOf(name) == rolePath && len(f.values[name]) == 0 && kind(p.Schema.Properties[name]) == "string" {
			f.values[name] = []any{c.place}
			f.missing = slices.DeleteFunc(f.missing, func(n string) bool { return n == name })
			f.placed = name
			return
		}
	}
}

// pathOf is the place that a call was about.
func pathOf(args []member) string {
	for _, m := range args {
		if s, ok := m.value.(string); ok && roleOf(m.name) == rolePath {
			return s
		}
	}
	return ""
}

// lastPath is the place that the latest call was about.
func lastPath(before []done) string {
	for _, d := range slices.Backward(before) {
		v, _ := parse(string(d.call.Arguments))
		for i, key := range v.keys {
			if m := v.members[i]; m.kind == isString && roleOf(key) == rolePath {
				return m.text
			}
		}
	}
	return ""
}

// lend is what the latest result that has a member of a name holds under it.
func lend(before []done, name string, limit int) (values []any, from string) {
	for _, d := range slices.Backward(before) {
		if v, ok := parse(d.result); ok {
			if values := v.find(name, limit); len(values) > 0 {
				return values, d.call.Name
			}
		}
	}
	return nil, ""
}

// find is the different strings of the members with a name. Those in lists come
// first: they were found, the others may only repeat what was asked.
func (v value) find(name string, limit int) []any {
	var inLists, others []any
	v.walk(name, false, func(s string, listed bool) {
		into := &others
		if listed {
			into = &inLists
		}
		if len(*into) < limit && !slices.Contains(*into, any(s)) {
			*into = append(*into, s)
		}
	})
	all := inLists
	if len(all) == 0 {
		all = others
	}
	return all
}

func (v value) walk(name string, listed bool, see func(string, bool)) {
	for _, item := range v.items {
		item.walk(name, true, see)
	}
	for i, key := range v.keys {
		m := v.members[i]
		if key == name && m.kind == isString && m.text != "" {
			see(m.text, listed)
		}
		m.walk(name, listed, see)
	}
}
