package rule

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"candor/safety/internal/lex"
)

// MaxTail bounds how far a token is followed past its longest known form.
const MaxTail = 16 << 10

// Format is the shape of a token: literals, and runs of a class with a least
// and a most length. It is written
//
//	ghp_{a36}   {a14}<.atlasv1.>{k60-70}   sk-ant-{k40+}
//
// where {c n}, {c n-m} and {c n+} are runs and <…> marks the anchor; without a
// mark the leading literal is the anchor. Matching never backtracks.
type Format struct {
	Left   []Part // before the anchor, nearest first
	anchor string
	Right  []Part
	Fold   bool // letters of literals match in either case
	Loose  bool // may stand inside a word
	Exact  bool // a longer run is something else, not a longer token
	Spare  bool // of an exact one: a single letter may have run into it
}

// Part is a run of Min to Max bytes of Set, or, if Set is nil, the literal Lit.
type Part struct {
	Lit      string
	Set      *lex.Class
	Min, Max int
}

// MustFormat is parseFormat for the constants of this package.
func MustFormat(spec string) Format {
	f, err := ParseFormat(spec)
	if err != nil {
		panic(err)
	}
	return f
}

// ParseFormat reads the written form.
func ParseFormat(spec string) (Format, error) {
	before, anchor, after := "", "", spec
	if i := strings.IndexByte(spec, '<'); i >= 0 {
		j := strings.IndexByte(spec, '>')
		if j < i {
			return Format{}, fmt.Errorf("format %q: < without >", spec)
		}
		before, anchor, after = spec[:i], spec[i+1:j], spec[j+1:]
	} else if i := strings.IndexByte(spec, '{'); i >= 0 {
		anchor, after = spec[:i], spec[i:]
	} else {
		anchor, after = spec, ""
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
	if len(anchor) < 3 && (len(anchor) != 2 || len(right) == 0 || right[0].Set == nil) {
		return Format{}, fmt.Errorf("format %q: its anchor is too short, at least three fixed bytes are needed", spec)
	}
	return Format{Left: left, anchor: anchor, Right: right}, nil
}

// ParseParts reads a format without its literal, such as {x8}-{x4}.
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

// parseRun reads what stands between braces: a class, and its lengths.
func parseRun(spec string) (Part, error) {
	if spec == "" || lex.Classes[spec[0]] == nil {
		return Part{}, fmt.Errorf("{%s}: no such class", spec)
	}
	low, high, ranged := strings.Cut(spec[1:], "-")
	more := strings.HasSuffix(low, "+")
	n, err := strconv.Atoi(strings.TrimSuffix(low, "+"))
	if err != nil || n < 0 || n > MaxTail {
		return Part{}, fmt.Errorf("{%s}: no length", spec)
	}
	p := Part{Set: lex.Classes[spec[0]], Min: n, Max: n}
	switch {
	case more:
		p.Max = n + 64
	case ranged:
		if p.Max, err = strconv.Atoi(high); err != nil || p.Max < n || p.Max > MaxTail {
			return Part{}, fmt.Errorf("{%s}: no range of lengths", spec)
		}
	}
	return p, nil
}

// Folded is the format with letters of literals in either case.
func (f Format) Folded() Format {
	f.Fold, f.anchor = true, strings.ToLower(f.anchor)
	for _, parts := range [...][]Part{f.Left, f.Right} {
		for k := range parts {
			parts[k].Lit = strings.ToLower(parts[k].Lit)
		}
	}
	return f
}

// Match gives the token around the anchor at i, or ok false, up to its longest
// known form; extend follows it further. The left side comes first, so that a
// text full of anchors is not read again and again.
func (f *Format) Match(s string, i int) (from, to int, ok bool) {
	if f.TooShort(s, i+len(f.anchor)) {
		return 0, 0, false
	}
	from = f.Backward(s, i)
	if from < 0 || !f.Loose && !lex.CanStartToken(s, from) {
		return 0, 0, false
	}
	to = f.Forward(s, i+len(f.anchor), f.Right)
	return from, to, to >= 0
}

// TooShort reports whether the first run, which would start at i, ends too soon: that
// rules out most of what an anchor begins.
func (f *Format) TooShort(s string, i int) bool {
	if len(f.Right) == 0 || f.Right[0].Set == nil {
		return false
	}
	p := &f.Right[0]
	return i+p.Min > len(s) || p.Min > 0 && !p.Set[s[i+p.Min-1]]
}

// body is where a token starts that was found at from, its prefix left out.
func (f *Format) body(from, at int) int {
	if from == at {
		return at + len(f.anchor)
	}
	return from
}

// extend follows a token to where its alphabet ends, whatever stands next: a
// longer run is a longer token, never a token with a tail left standing. A full
// stop that ends a sentence is not part of it.
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

// Forward matches parts from i on and gives where they end, or -1. An exact
// format does not match a run that goes on.
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
			if f.Exact && Continues(s, end, p.Set) && !(f.Spare && p.Set[s[end]] && !Continues(s, end+1, p.Set)) {
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

// Continues reports whether a run that ends at i went on, there or in what a marker
// stands for: a text that is read again must not look shorter than it was.
func Continues(s string, i int, set *lex.Class) bool {
	return i < len(s) && (set[s[i]] || s[i] == '[' && strings.HasPrefix(s[i:], lex.MarkerPrefix))
}

// Backward is where the part of f before its literal starts that ends at i, or -1.
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

// afterEscape moves the start of a run past the letters of an escape that ends
// there, such as \n or %3D.
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

func (f *Format) literal(s string, i int, lit string) bool {
	if f.Fold {
		return lex.HasFold(s, i, lit)
	}
	last := i + len(lit) - 1 // most often tells already that it is another
	return last < len(s) && s[last] == lit[len(lit)-1] && s[i:last] == lit[:len(lit)-1]
}
