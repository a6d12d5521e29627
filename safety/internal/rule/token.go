package rule

import "candor/safety/internal/lex"

// Token returns a rule for tokens that identify themselves by their format. Its hits are
// the formats.
func Token(id string, formats ...string) Rule { return TokenOf(id, Format{}, nil, formats) }

// RandomToken returns a token rule for a prefix that is common in other texts: what
// follows it must look generated.
func RandomToken(id string, formats ...string) Rule {
	return TokenOf(id, Format{}, lex.LooksGenerated, formats)
}

// LooseToken returns a token rule for a prefix so rare that the token may also start
// inside a word.
func LooseToken(id string, formats ...string) Rule {
	return TokenOf(id, Format{Loose: true}, nil, formats)
}

// Link returns a token rule for URLs that grant access to anyone who knows them, such as
// webhooks. The formats begin with the host; a scheme before it is masked, too.
func Link(id string, formats ...string) Rule {
	r := LooseToken(id, formats...)
	host := r.Match
	r.Match = func(s string, at, end int) (int, int) {
		from, to := host(s, at, end)
		for _, scheme := range [...]string{"https://", "http://"} {
			if to > 0 && from >= len(scheme) && lex.HasFold(s, from-len(scheme), scheme) {
				return from - len(scheme), to
			}
		}
		return from, to
	}
	return r
}

// FoldToken returns a token rule whose literals match in either case.
func FoldToken(id string, formats ...string) Rule {
	return TokenOf(id, Format{Fold: true}, nil, formats)
}

// ExactToken returns a token rule for formats of a fixed length. A longer run is no match,
// except for one extra byte, such as a letter of the surrounding text.
func ExactToken(id string, formats ...string) Rule {
	return TokenOf(id, Format{Exact: true, AllowExtra: true}, nil, formats)
}

// TokenOf returns a rule for tokens of the formats specs, with the flags of how. If pass
// is not nil, it must accept the variable part of the token. TokenOf panics if a format
// does not parse.
func TokenOf(id string, how Format, pass func(string) bool, specs []string) Rule {
	r := Rule{ID: id, Specificity: ByShape, Fold: how.Fold, Hits: specs}
	var formats []Format
	for _, spec := range specs {
		f := MustFormat(spec)
		f.Loose, f.Exact, f.AllowExtra = how.Loose, how.Exact, how.AllowExtra
		if how.Fold {
			f = f.Folded()
		}
		formats = append(formats, f)
		r.Keywords = append(r.Keywords, keywordsOf(f)...)
	}
	r.Keywords = shortest(r.Keywords)
	r.Prev = preceding(formats)
	r.Next, r.Far, r.Skip = following(formats)
	sets := newFormatSets(formats)
	r.Match = func(s string, at, _ int) (from, to int) {
		for k := range sets {
			if from, to = sets[k].match(s, at, pass); to > 0 {
				break
			}
		}
		return from, to
	}
	r.IsFull = func(s string, at int) bool {
		for k := range sets {
			if from, to := sets[k].match(s, at, pass); to > 0 {
				return to-from == longest(sets, s, at)
			}
		}
		return false
	}
	return r
}
