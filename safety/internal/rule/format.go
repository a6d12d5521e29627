package rule

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"candor/safety/internal/lex"
)

// MaxTail is the greatest number of bytes by which a match may extend past the longest
// form that its format describes. It is also the greatest length of a run.
const MaxTail = 16 << 10

// Format is the parsed form of a token format, which the package comment describes: a
// keyword, and the parts before and after it. Matching never backtracks, so its cost is
// linear in the length of the token.
type Format struct {
	Left       []Part // before the keyword, nearest first
	keyword    string
	Right      []Part // after the keyword
	Fold       bool   // literals match in either case; they are in lower case then
	Loose      bool   // may start inside a word
	Exact      bool   // a run that goes on past its length is no match
	AllowExtra bool   // an Exact format accepts one extra byte, such as a letter of the text around it
}

// Part is one element of a format: a run of Min to Max bytes of Set, or the literal Lit
// if Set is nil.
type Part struct {
	Lit      string
	Set      *lex.Class
	Min, Max int
}

// MustFormat is like [ParseFormat] but panics on an error. It is for formats in source.
func MustFormat(spec string) Format {
	f, err := ParseFormat(spec)
	if err != nil {
		panic(err)
	}
	return f
}

// ParseFormat parses a format such as ghp_{a36}. The error names the format and what is
// wrong with it: an unclosed mark or brace, an unknown class, a bad length, or a keyword
// that is too short to search for.
func ParseFormat(spec string) (Format, error) {
	before, keyword, after := "", "", spec
	if i := strings.IndexByte(spec, '<'); i >= 0 {
		j := strings.IndexByte(spec, '>')
		if j < i {
			return Format{}, fmt.Errorf("format %q: < without >", spec)
		}
		before, keyword, after = spec[:i], spec[i+1:j], spec[j+1:]
	} else if i := strings.IndexByte(spec, '{'); i >= 0 {
		keyword, after = spec[:i], spec[i:]
	} else {
		keyword, after = spec, ""
	}
	left, err := ParseParts(before)
	if err != nil {
		return Format{}, fmt.Errorf("format %q: %w", spec, err)
	}
	right, err := ParseParts(after)
	if err != nil {
		return Format{}, fmt.Errorf("format %q: %w", spec, err)
	}
	slices.Reverse(left)
	if len(keyword) < 3 && (len(keyword) != 2 || len(right) == 0 || right[0].Set == nil) {
		return Format{}, fmt.Errorf("format %q: the keyword is too short, it needs at least three fixed bytes", spec)
	}
	return Format{Left: left, keyword: keyword, Right: right}, nil
}

// ParseParts parses a format without a keyword, such as {x8}-{x4}.
func ParseParts(spec string) ([]Part, error) {
	var parts []Part
	for spec != "" {
		i := strings.IndexByte(spec, '{')
		if i != 0 {
			if i < 0 {
				i = len(spec)
			}
			parts = append(parts, Part{Lit: spec[:i]})
			spec = spec[i:]
			continue
		}
		end := strings.IndexByte(spec, '}')
		if end < 0 {
			return nil, errors.New("{ without }")
		}
		p, err := parseRun(spec[1:end])
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
		spec = spec[end+1:]
	}
	return parts, nil
}

// parseRun parses the text between braces: the letter of a class, and its lengths.
func parseRun(spec string) (Part, error) {
	if spec == "" || lex.Classes[spec[0]] == nil {
		return Part{}, fmt.Errorf("{%s}: unknown class", spec)
	}
	low, high, ranged := strings.Cut(spec[1:], "-")
	more := strings.HasSuffix(low, "+")
	n, err := strconv.Atoi(strings.TrimSuffix(low, "+"))
	if err != nil || n < 0 || n > MaxTail {
		return Part{}, fmt.Errorf("{%s}: bad length", spec)
	}
	p := Part{Set: lex.Classes[spec[0]], Min: n, Max: n}
	switch {
	case more:
		p.Max = n + 64
	case ranged:
		if p.Max, err = strconv.Atoi(high); err != nil || p.Max < n || p.Max > MaxTail {
			return Part{}, fmt.Errorf("{%s}: bad range of lengths", spec)
		}
	}
	return p, nil
}

// Folded returns f with its literals in lower case, to match in either case. It changes
// the literals of f's parts in place.
func (f Format) Folded() Format {
	f.Fold, f.keyword = true, strings.ToLower(f.keyword)
	for _, parts := range [...][]Part{f.Left, f.Right} {
		for k := range parts {
			parts[k].Lit = strings.ToLower(parts[k].Lit)
		}
	}
	return f
}

// Match returns the part of s that matches f around the keyword at i, no longer than the
// longest form of f, and whether there is one. The caller has checked that the keyword
// is at i. Use extend to follow the token further.
//
// The parts before the keyword are matched first: in a text full of keywords that order
// keeps Match from reading the same run after each of them.
func (f *Format) Match(s string, i int) (from, to int, ok bool) {
	if f.TooShort(s, i+len(f.keyword)) {
		return 0, 0, false
	}
	from = f.Backward(s, i)
	if from < 0 || !f.Loose && !lex.CanStartToken(s, from) {
		return 0, 0, false
	}
	to = f.Forward(s, i+len(f.keyword), f.Right)
	return from, to, to >= 0
}

// TooShort reports whether the part after the keyword is a run that, starting at i, is
// shorter than its minimum. It looks at one byte, and rules out most occurrences of a
// keyword.
func (f *Format) TooShort(s string, i int) bool {
	if len(f.Right) == 0 || f.Right[0].Set == nil {
		return false
	}
	p := &f.Right[0]
	return i+p.Min > len(s) || p.Min > 0 && !p.Set[s[i+p.Min-1]]
}

// body returns the start of the variable part of a token that starts at from and has
// its keyword at index at: a leading keyword is left out.
func (f *Format) body(from, at int) int {
	if from == at {
		return at + len(f.keyword)
	}
	return from
}

// extend returns the end of the run of the last part's class that continues at to, so
// that no tail of a token longer than expected is left unmasked. Trailing full stops
// belong to the sentence, not to the token.
func (f *Format) extend(s string, to int) int {
	if len(f.Right) == 0 {
		return to
	}
	last := f.Right[len(f.Right)-1]
	if last.Set == nil {
		return to
	}
	end := last.Set.Run(s, to, MaxTail)
	for end > to && s[end-1] == '.' {
		end--
	}
	return end
}

// Forward matches parts from i on and returns the position after them, or -1 if they do
// not match. If f is Exact, the last run must not continue.
func (f *Format) Forward(s string, i int, parts []Part) int {
	for k, p := range parts {
		if p.Set == nil {
			if !f.literal(s, i, p.Lit) {
				return -1
			}
			i += len(p.Lit)
			continue
		}
		end := p.Set.Run(s, i, p.Max)
		if end-i < p.Min {
			return -1
		}
		if k == len(parts)-1 {
			extra := f.AllowExtra && end < len(s) && p.Set[s[end]] && !Continues(s, end+1, p.Set)
			if f.Exact && !extra && Continues(s, end, p.Set) && !startsToken(s[end:]) {
				return -1
			}
			for end-i > p.Min && s[end-1] == '.' {
				end--
			}
		}
		i = end
	}
	return i
}

// Continues reports whether a run of set that ends at i goes on there. A redaction
// marker counts as a continuation, because it may stand for more of the run: text that
// was masked before must not match as something shorter.
func Continues(s string, i int, set *lex.Class) bool {
	return i < len(s) && (set[s[i]] || s[i] == '[' && strings.HasPrefix(s[i:], lex.MarkerPrefix))
}

// startsToken reports whether s begins like a token of a common kind. Behind the length of
// an exact token it is a token glued to it, and no continuation.
func startsToken(s string) bool {
	return slices.ContainsFunc(commonHeads[:], func(head string) bool { return strings.HasPrefix(s, head) })
}

// commonHeads begin the tokens that startsToken knows.
var commonHeads = [...]string{"AKIA", "ASIA", "AIza", "SG.", "eyJ", "ghp_", "gho_", "hf_", "npm_", "sk-", "sk_", "xox"}

// Backward matches the parts before the keyword so that they end at i. It returns the
// position where they start, or -1 if they do not match.
func (f *Format) Backward(s string, i int) int {
	for _, p := range f.Left {
		if p.Set == nil {
			if i -= len(p.Lit); i < 0 || !f.literal(s, i, p.Lit) {
				return -1
			}
			continue
		}
		start := p.Set.Back(s, i, p.Max)
		if p.Min != p.Max {
			start = afterEscape(s, start)
		}
		if i-start < p.Min {
			return -1
		}
		i = start
	}
	return i
}

// afterEscape returns i, or the position after the escape such as \n or %3D whose first
// byte precedes i: the letters and digits of an escape are not part of a token.
func afterEscape(s string, i int) int {
	switch {
	case i == 0 || i >= len(s):
	case s[i-1] == '\\' && (s[i] == 'n' || s[i] == 'r' || s[i] == 't'):
		i++
	case s[i-1] == '%':
		if _, ok := lex.HexNumber(s, i, 2); ok {
			i += 2
		}
	}
	return i
}

// literal reports whether lit, which is not empty, appears in s at i, in either case if f
// folds. It compares the last byte first, which settles most comparisons.
func (f *Format) literal(s string, i int, lit string) bool {
	if f.Fold {
		return lex.HasFold(s, i, lit)
	}
	last := i + len(lit) - 1
	return last < len(s) && s[last] == lit[len(lit)-1] && s[i:last] == lit[:len(lit)-1]
}
