package offline

import "slices"

// maxBorrowed is how many values of an earlier result become calls.
const maxBorrowed = 5

// borrow fills what is missing from earlier results, for a clause that refers to
// them: the path of “then read it” is the first path they have.
func (f *filled) borrow(c clause, p *profile, before []done) (lender string, names []string) {
	refers := slices.ContainsFunc(c.words, func(w token) bool {
		return w.is("it", "them", "that", "this", "these", "those", "first", "one", "each", "result", "results", "file", "files", "match")
	})
	if !refers && len(c.words) > 2 || c.then == "" {
		return "", nil
	}
	limit := 1
	if slices.ContainsFunc(c.words, func(w token) bool { return w.is("them", "each", "all", "these", "those", "files", "results") }) {
		limit = maxBorrowed
	}
	f.missing = slices.DeleteFunc(f.missing, func(name string) bool {
		if kind(p.Schema.Properties[name]) != "string" {
			return false
		}
		for _, d := range slices.Backward(before) {
			v, ok := parse(d.result)
			if !ok {
				continue
			}
			if values := v.find(name, limit); len(values) > 0 {
				f.values[name], lender, names = values, d.call.Name, append(names, name)
				return true
			}
		}
		return false
	})
	return lender, names
}

// find is the different strings of the members with a name. Those in lists come
// first: they were found, the others may only repeat what was asked.
func (v value) find(name string, limit int) []any {
	var inLists, others []any
	v.walk(name, false, func(s string, listed bool) {
		if listed && !slices.Contains(inLists, any(s)) {
			inLists = append(inLists, s)
		} else if !listed && !slices.Contains(others, any(s)) {
			others = append(others, s)
		}
	})
	all := inLists
	if len(all) == 0 {
		all = others
	}
	return all[:min(limit, len(all))]
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
