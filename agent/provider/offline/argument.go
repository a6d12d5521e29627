package offline

import (
	"slices"
	"strings"
)

func tidy(path string) string {
	if p := strings.TrimRight(strings.TrimPrefix(path, "./"), "/"); p != "" {
		return p
	}
	return path
}

// explicit is X of “name=X” and “name: X”.
func (f *found) explicit(name string) string {
	low := strings.ToLower(name)
	for i, w := range f.words {
		if w.quoted || !f.free(i) {
			continue
		}
		for _, sep := range []string{"=", ":"} {
			if v, ok := strings.CutPrefix(w.low, low+sep); ok && v != "" {
				return f.take(i)[len(low)+1:]
			}
		}
		if w.low == low && i+2 < len(f.words) && f.words[i+1].is(":", "=") {
			f.used[i] = true
			return f.take(i + 2)
		}
	}
	return ""
}

// named is X of “with the title X” and “to X”.
func (f *found) named(name string) string {
	words := parts(name)
	for i, w := range f.words {
		if len(words) == 0 || w.quoted || stem(w.low) != stem(words[len(words)-1]) {
			continue
		}
		for j := i + 1; f.free(j); j++ {
			if articles[f.words[j].low] || f.words[j].is("is", ":", "=") {
				continue
			}
			if f.words[j].mark {
				break
			}
			return f.take(j)
		}
	}
	return ""
}

func (f *found) towns(p *profile) []string {
	if v := f.quotes(); len(v) > 0 {
		return v
	}
	if v := f.after(toward); len(v) > 0 {
		return v
	}
	return f.object(p)
}

func (f *found) urls() (out []string) {
	for i, w := range f.words {
		if f.free(i) && (strings.HasPrefix(w.low, "http://") || strings.HasPrefix(w.low, "https://")) {
			out = append(out, f.take(i))
		}
	}
	return out
}

// choice is the value of an enumeration that the clause names.
func (f *found) choice(values []any) []any {
	for _, v := range values {
		s, ok := v.(string)
		if ok && slices.ContainsFunc(f.words, func(w token) bool { return w.low == strings.ToLower(s) }) {
			return []any{s}
		}
	}
	return nil
}

// flag is true when all words of a property's name are in the clause.
func (f *found) flag(name string) []any {
	for _, part := range parts(name) {
		if !slices.ContainsFunc(f.words, func(w token) bool { return !w.quoted && strings.HasPrefix(w.low, part) }) {
			return nil
		}
	}
	return []any{true}
}
