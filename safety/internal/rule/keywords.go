package rule

import (
	"strings"

	"candor/safety/internal/lex"
)

// keywordsOf returns the keywords of f. A keyword of two bytes is too short for the
// prefilter; it is replaced by all of its continuations.
func keywordsOf(f Format) []string {
	if len(f.keyword) >= 3 {
		return []string{f.keyword}
	}
	return Spread(f.keyword, f.Right[0].Set)
}

// following returns the class of the byte after a keyword in every match of any of the
// formats, and the class of the byte skip positions after that, where the shortest run
// ends. It returns nil if a format allows any byte after its keyword.
func following(formats []Format) (next, far *lex.Class, skip int) {
	next, skip = &lex.Class{}, MaxTail
	for _, f := range formats {
		lead := 0
		if len(f.keyword) < 3 { // keywordsOf has appended the first byte of the run
			lead = 1
		}
		if len(f.Right) == 0 || f.Right[0].Min <= lead {
			return nil, nil, 0
		}
		next.Join(f.Right[0].Set)
		skip = min(skip, f.Right[0].Min-1-lead)
	}
	return next, next, skip
}

// preceding returns the class of the byte before a keyword in every match of any of the
// formats, or nil if a format allows any byte there.
func preceding(formats []Format) *lex.Class {
	var all lex.Class
	for _, f := range formats {
		switch {
		case len(f.Left) == 0 && f.Loose, len(f.Left) > 0 && f.Left[0].Set != nil && f.Left[0].Min == 0:
			return nil
		case len(f.Left) == 0:
			all.Join(lex.BeforeToken)
		case f.Left[0].Set == nil:
			b := f.Left[0].Lit[len(f.Left[0].Lit)-1]
			all[b] = true
			all[lex.ToUpper(b)] = all[lex.ToUpper(b)] || f.Fold
		default:
			all.Join(f.Left[0].Set)
		}
	}
	return &all
}

// Spread returns lit followed by each byte of next, in the order of the bytes.
func Spread(lit string, next *lex.Class) []string {
	var all []string
	for b := range next {
		if next[b] {
			all = append(all, lit+string(rune(b)))
		}
	}
	return all
}

// shortest returns lits without the duplicates and without those that begin with another.
func shortest(lits []string) []string {
	var out []string
	for i, a := range lits {
		covered := false
		for j, b := range lits {
			covered = covered || strings.HasPrefix(a, b) && (len(b) < len(a) || j < i)
		}
		if !covered {
			out = append(out, a)
		}
	}
	return out
}
