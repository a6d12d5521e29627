package offline

import (
	"slices"
	"strconv"
)

var counters = set("limit count max maximum n number top size amount k")

// number is a number next to the property's name or, where the name means a
// count, after “first”; a required one may be the next number there is.
func (f *found) number(name string, whole, required bool) []any {
	if v, ok := parseNumber(token{text: f.explicit(name)}, whole); ok {
		return []any{v}
	}
	var all []any
	at := 0 // of the first
	counts := slices.ContainsFunc(parts(name), func(w string) bool { return counters[w] })
	near := parts(name)
	if counts {
		near = append(near, "first", "top", "most", "last", "newest")
	}
	for i, w := range f.words {
		v, ok := parseNumber(w, whole)
		if !ok || !f.free(i) {
			continue
		}
		if beside(f.words, i, near) {
			f.used[i] = true
			return []any{v}
		}
		if all = append(all, v); len(all) == 1 {
			at = i
		}
	}
	if required && len(all) > 0 {
		f.used[at] = true
		return all[:1]
	}
	return nil
}

func parseNumber(w token, whole bool) (any, bool) {
	if w.quoted || w.mark {
		return nil, false
	}
	if whole {
		v, err := strconv.ParseInt(w.text, 10, 64)
		return v, err == nil
	}
	v, err := strconv.ParseFloat(w.text, 64)
	// Inf and NaN parse too, and are no JSON.
	return v, err == nil && v-v == 0
}

func beside(words []token, i int, near []string) bool {
	for _, j := range []int{i - 1, i + 1, i - 2} {
		if j >= 0 && j < len(words) && slices.Contains(near, words[j].low) {
			return true
		}
	}
	return false
}
