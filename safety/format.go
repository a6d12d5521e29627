package safety

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxTail bounds how far a token is followed past its longest known form.
const maxTail = 16 << 10

// format is the shape of a token: literals, and runs of a class with a least
// and a most length. It is written
//
//	ghp_{a36}   {a14}<.atlasv1.>{k60-70}   sk-ant-{k40+}
//
// where {c n}, {c n-m} and {c n+} are runs and <…> marks the anchor; without a
// mark the leading literal is the anchor. Matching never backtracks.
type format struct {
	left   []part // before the anchor, nearest first
	anchor string
	right  []part
	fold   bool // letters of literals match in either case
	loose  bool // may stand inside a word
	exact  bool // a longer run is something else, not a longer token
	spare  bool // of an exact one: a single letter may have run into it
}

type part struct {
	lit      string
	set      *class
	min, max int
}

// mustFormat is parseFormat for the constants of this package.
func mustFormat(spec string) format {
	f, err := parseFormat(spec)
	if err != nil {
		panic(err)
	}
	return f
}

// parseFormat reads the written form.
func parseFormat(spec string) (format, error) {
	before, anchor, after := "", "", spec
	if i := strings.IndexByte(spec, '<'); i >= 0 {
		j := strings.IndexByte(spec, '>')
		if j < i {
			return format{}, fmt.Errorf("format %q: < without >", spec)
		}
		before, anchor, after = spec[:i], spec[i+1:j], spec[j+1:]
	} else if i := strings.IndexByte(spec, '{'); i >= 0 {
		anchor, after = spec[:i], spec[i:]
	} else {
		anchor, after = spec, ""
	}
	left, err := parseParts(before)
	if err != nil {
		return format{}, fmt.Errorf("format %q: %w", spec, err)
	}
	right, err := parseParts(after)
	if err != nil {
		return format{}, fmt.Errorf("format %q: %w", spec, err)
	}
	slices.Reverse(left)
	if len(anchor) < 3 && (len(anchor) != 2 || len(right) == 0 || right[0].set == nil) {
		return format{}, fmt.Errorf("format %q: its anchor is too short, at least three fixed bytes are needed", spec)
	}
	return format{left: left, anchor: anchor, right: right}, nil
}

func parseParts(spec string) ([]part, error) {
	var parts []part
	for spec != "" {
		i := strings.IndexByte(spec, '{')
		if i != 0 {
			if i < 0 {
				i = len(spec)
			}
			parts = append(parts, part{lit: spec[:i]})
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
func parseRun(spec string) (part, error) {
	if spec == "" || classes[spec[0]] == nil {
		return part{}, fmt.Errorf("{%s}: no such class", spec)
	}
	low, high, ranged := strings.Cut(spec[1:], "-")
	more := strings.HasSuffix(low, "+")
	n, err := strconv.Atoi(strings.TrimSuffix(low, "+"))
	if err != nil || n < 0 || n > maxTail {
		return part{}, fmt.Errorf("{%s}: no length", spec)
	}
	p := part{set: classes[spec[0]], min: n, max: n}
	switch {
	case more:
		p.max = n + 64
	case ranged:
		if p.max, err = strconv.Atoi(high); err != nil || p.max < n || p.max > maxTail {
			return part{}, fmt.Errorf("{%s}: no range of lengths", spec)
		}
	}
	return p, nil
}

// folded is the format with letters of literals in either case.
func (f format) folded() format {
	f.fold, f.anchor = true, strings.ToLower(f.anchor)
	for _, parts := range [...][]part{f.left, f.right} {
		for k := range parts {
			parts[k].lit = strings.ToLower(parts[k].lit)
		}
	}
	return f
}

// match gives the token around the anchor at i, or ok false, up to its longest
// known form; extend follows it further. The left side comes first, so that a
// text full of anchors is not read again and again.
func (f *format) match(s string, i int) (from, to int, ok bool) {
	if f.tooShort(s, i+len(f.anchor)) {
		return 0, 0, false
	}
	from = f.backward(s, i)
	if from < 0 || !f.loose && !freeOnLeft(s, from) {
		return 0, 0, false
	}
	to = f.forward(s, i+len(f.anchor), f.right)
	return from, to, to >= 0
}

// tooShort reports whether the first run, which would start at i, ends too soon: that
// rules out most of what an anchor begins.
func (f *format) tooShort(s string, i int) bool {
	if len(f.right) == 0 || f.right[0].set == nil {
		return false
	}
	p := &f.right[0]
	return i+p.min > len(s) || p.min > 0 && !p.set[s[i+p.min-1]]
}

// body is where a token starts that was found at from, its prefix left out.
func (f *format) body(from, at int) int {
	if from == at {
		return at + len(f.anchor)
	}
	return from
}

// extend follows a token to where its alphabet ends, whatever stands next: a
// longer run is a longer token, never a token with a tail left standing. A full
// stop that ends a sentence is not part of it.
func (f *format) extend(s string, to int) int {
	if len(f.right) == 0 {
		return to
	}
	last := f.right[len(f.right)-1]
	if last.set == nil {
		return to
	}
	end := last.set.run(s, to, maxTail)
	for end > to && s[end-1] == '.' {
		end--
	}
	return end
}

// forward matches parts from i on and gives where they end, or -1. An exact
// format does not match a run that goes on.
func (f *format) forward(s string, i int, parts []part) int {
	for k, p := range parts {
		if p.set == nil {
			if !f.literal(s, i, p.lit) {
				return -1
			}
			i += len(p.lit)
			continue
		}
		end := p.set.run(s, i, p.max)
		if end-i < p.min {
			return -1
		}
		if k == len(parts)-1 {
			if f.exact && goesOn(s, end, p.set) && !(f.spare && p.set[s[end]] && !goesOn(s, end+1, p.set)) {
				return -1
			}
			for end-i > p.min && s[end-1] == '.' {
				end--
			}
		}
		i = end
	}
	return i
}

// goesOn reports whether a run that ends at i went on, there or in what a marker
// stands for: a text that is read again must not look shorter than it was.
func goesOn(s string, i int, set *class) bool {
	return i < len(s) && (set[s[i]] || s[i] == '[' && strings.HasPrefix(s[i:], markerHead))
}

func (f *format) backward(s string, i int) int {
	for _, p := range f.left {
		if p.set == nil {
			if i -= len(p.lit); i < 0 || !f.literal(s, i, p.lit) {
				return -1
			}
			continue
		}
		start := p.set.back(s, i, p.max)
		if p.min != p.max {
			start = afterEscape(s, start)
		}
		if i-start < p.min {
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
		if _, ok := hexNumber(s, i, 2); ok {
			i += 2
		}
	}
	return i
}

func (f *format) literal(s string, i int, lit string) bool {
	if f.fold {
		return hasFold(s, i, lit)
	}
	last := i + len(lit) - 1 // most often tells already that it is another
	return last < len(s) && s[last] == lit[len(lit)-1] && s[i:last] == lit[:len(lit)-1]
}
