package secrets

import (
	"strings"
	"unicode/utf8"

	"candor/safety/internal/decode"
	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// A disguise is a way to write a token that its reader undoes by hand. It does not say where
// the token begins, so it cannot be undone before the token is found: each keyword is looked
// for as the disguise writes it, and the rule judges the word around it in plain letters.
type disguise struct {
	apply func(string) string
	turns bool // the disguise reverses the word, so the keyword is at its end
}

// Disguised returns, for the rules whose tokens identify themselves, rules of the same names
// that find the tokens reversed and in rot13.
func Disguised(rules []rule.Rule) []rule.Rule {
	var out []rule.Rule
	for _, r := range rules {
		if r.Specificity != rule.ByShape {
			continue
		}
		for _, how := range [...]disguise{{Reverse, true}, {Rotate, false}} {
			if hidden := how.rule(r); len(hidden.Keywords) > 0 {
				out = append(out, hidden)
			}
		}
	}
	return out
}

// rule returns the rule that finds what r finds, in this disguise. It knows a token by its
// context rather than its shape, so that the detector does not look for pieces of it.
func (d disguise) rule(r rule.Rule) rule.Rule {
	hidden := rule.Rule{ID: r.ID, Specificity: rule.ByContext, Severity: r.Severity, Fold: r.Fold}
	hidden.LongWords = r.ID != "aws-access-key-id" // has 20 characters
	for _, keyword := range r.Keywords {
		if word := d.apply(keyword); word != keyword && (len(keyword) > 3 || hidden.LongWords) {
			hidden.Keywords = append(hidden.Keywords, word)
		}
	}
	if hidden.Prev, hidden.Next = d.class(r.Prev), d.class(r.Next); d.turns {
		hidden.Prev, hidden.Next = hidden.Next, hidden.Prev
	}
	hidden.Match = func(s string, at, end int) (int, int) { return d.match(&r, s, at, end) }
	return hidden
}

// class returns the bytes of a class in this disguise.
func (d disguise) class(c *lex.Class) *lex.Class {
	if c == nil || d.turns {
		return c
	}
	var out lex.Class
	for b := range c {
		if c[b] {
			out[RotateByte(byte(b))] = true
		}
	}
	return &out
}

// maxHidden bounds a token in disguise, and what precedes its keyword.
const maxHidden = 512

// match asks r about the word around the keyword s[at:end], undone.
func (d disguise) match(r *rule.Rule, s string, at, end int) (from, to int) {
	body := s[end:min(len(s), end+judged)]
	if d.turns {
		body = s[decode.TokenChars.Back(s, at, judged):at]
	}
	if !mayHide(body, end-at) {
		return 0, 0
	}
	low, high := decode.TokenChars.Back(s, at, maxHidden), decode.TokenChars.Run(s, end, maxHidden)
	plain, at, end := d.apply(s[low:high]), at-low, end-low
	if d.turns {
		at, end = len(plain)-end, len(plain)-at
	}
	if from, to = r.Match(plain, at, end); to <= from {
		return 0, 0
	}
	if d.turns {
		from, to = len(plain)-to, len(plain)-from
	}
	return low + from, low + to
}

// judged is how many bytes beside a keyword decide whether they may be part of a token.
const judged = 32

// mayHide reports whether the bytes beside a keyword of n bytes look generated. Words do not,
// and rot13 or the reverse of words would, so the text is judged as it is.
func mayHide(body string, n int) bool {
	if len(body) < 16 || decode.TokenChars.Run(body, 0, len(body)) < 16 {
		return false
	}
	l := lex.CountChars(body)
	return lex.LooksGenerated(body) || l.Hex && l.Digit > 1 && l.Distinct > 5 && n > 4
}

// Reverse returns v with its characters in the opposite order.
func Reverse(v string) string {
	var b strings.Builder
	b.Grow(len(v))
	for i := len(v); i > 0; {
		if v[i-1] < utf8.RuneSelf {
			i--
			b.WriteByte(v[i])
			continue
		}
		_, n := utf8.DecodeLastRuneInString(v[:i])
		b.WriteString(v[i-n : i])
		i -= n
	}
	return b.String()
}

// Rotate returns v in rot13: each letter of ASCII by the one 13 places on.
func Rotate(v string) string {
	var b strings.Builder
	b.Grow(len(v))
	for i := range len(v) {
		b.WriteByte(RotateByte(v[i]))
	}
	return b.String()
}

// RotateByte returns the letter 13 places on, or c if it is no letter of ASCII.
func RotateByte(c byte) byte {
	if !lex.IsLetter(c) {
		return c
	}
	if lex.ToLower(c) < 'n' {
		return c + 13
	}
	return c - 13
}
