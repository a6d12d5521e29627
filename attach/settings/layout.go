package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// part is a member of an object or an element of a list, which has no name: where it begins, where its value does, and
// where both end.
type part struct {
	name         string
	from, at, to int
}

// group is an object or a list: where it begins and ends with its brackets, and its parts.
type group struct {
	from, to int
	parts    []part
}

// groupAt returns the object or the list that begins somewhere in valid JSON. The decoder reads the values, so that no
// second grammar of JSON is here; where each part begins and ends is what it has read by then.
func groupAt(raw []byte, at int) group {
	g := group{from: at}
	d := json.NewDecoder(bytes.NewReader(raw[at:]))
	// What was read is valid, so that nothing here fails.
	start, _ := d.Token()
	for d.More() {
		p := part{from: behind(raw, at+int(d.InputOffset()), " \t\r\n,")}
		p.at = p.from
		if start == json.Delim('{') {
			name, _ := d.Token()
			p.name, _ = name.(string)
			p.at = behind(raw, at+int(d.InputOffset()), " \t\r\n:")
		}
		var value json.RawMessage
		_ = d.Decode(&value)
		p.to = at + int(d.InputOffset())
		g.parts = append(g.parts, p)
	}
	_, _ = d.Token()
	g.to = at + int(d.InputOffset())
	return g
}

// behind returns the first place from at on that has none of some characters.
func behind(raw []byte, at int, chars string) int {
	return len(raw) - len(bytes.TrimLeft(raw[at:], chars))
}

// named returns the member of a name.
func (g group) named(name string) (p part, ok bool) {
	i := slices.IndexFunc(g.parts, func(p part) bool { return p.name == name })
	if i < 0 {
		return part{}, false
	}
	return g.parts[i], true
}

// begunByUs reports whether Attach made the object or the list. Into one that was there and empty it writes right
// behind the bracket.
func (g group) begunByUs() bool { return len(g.parts) > 0 && g.parts[0].from > g.from+1 }

// edit puts a text in the place of what stands between two places.
type edit struct {
	from, to int
	text     string
}

// edited returns a text with edits that do not overlap. Those of one place stay in their order. The text itself is not
// changed, since its edits are found by places in it.
func edited(raw []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.from - b.from })
	out, at := make([]byte, 0, len(raw)), 0
	for _, e := range edits {
		out = append(append(out, raw[at:e.from]...), e.text...)
		at = e.to
	}
	return append(out, raw[at:]...)
}

// without returns the edits that drop parts, and whether none is left. They take away just what insert added: a part
// goes with the comma ahead of it. Only where no part is left ahead does the comma behind it go, with the spaces up to
// the next part.
func (g group) without(drop []bool) (cuts []edit, none bool) {
	kept := false
	for i, p := range g.parts {
		switch {
		case !drop[i]:
			kept = true
		case kept:
			cuts = append(cuts, edit{from: g.parts[i-1].to, to: p.to})
		case i+1 < len(g.parts):
			cuts = append(cuts, edit{from: p.from, to: g.parts[i+1].from})
		default:
			cuts = append(cuts, edit{from: p.from, to: p.to})
		}
	}
	return cuts, !kept
}

// layout is where the members of the settings and their hooks stand. Empty settings have neither.
type layout struct {
	raw         []byte
	root, hooks group
	// Which of the root's members has the hooks; -1 if none does.
	at int
}

// layoutOf returns the layout of settings. It fails for what cannot be changed without losing something.
func layoutOf(raw []byte) (l layout, err error) {
	l = layout{raw: raw, at: -1}
	if len(bytes.TrimSpace(raw)) == 0 {
		return l, nil
	}
	start, err := object(raw)
	if err != nil {
		return l, err
	}
	l.root = groupAt(raw, start)
	if err := l.unique(l.root); err != nil {
		return l, err
	}
	l.at = slices.IndexFunc(l.root.parts, func(p part) bool { return p.name == "hooks" })
	if l.at < 0 {
		return l, nil
	}
	hooks := l.root.parts[l.at].at
	if raw[hooks] != '{' {
		return l, fault(raw, hooks, "hooks is no object of lists by event")
	}
	l.hooks = groupAt(raw, hooks)
	return l, l.unique(l.hooks)
}

// unique fails if an object has a name twice: programs differ in which of them counts, so that nobody knows which of
// them the hooks would have to be in.
func (l layout) unique(g group) error {
	seen := map[string]bool{}
	for _, p := range g.parts {
		if seen[p.name] {
			return fault(l.raw, p.from, "this name is there twice")
		}
		seen[p.name] = true
	}
	return nil
}

// entries returns the entries of an event; none if it has no list.
func (l layout) entries(event part) (g group, ok bool) {
	if l.raw[event.at] != '[' {
		return group{}, false
	}
	return groupAt(l.raw, event.at), true
}

// The beginnings of files that Attach made, and of those that were there with nothing but spaces, which stand behind
// the object then. No other file gets such a first line from it.
const (
	madeByUs  = "{\n  "
	wasSpaces = "{\n\n  "
)

// withoutHooks returns the settings without the member hooks. nil is no file, which an empty one is not: a program may
// take one for a fault, and a person may keep it as a link's target.
func (l layout) withoutHooks() []byte {
	drop := make([]bool, len(l.root.parts))
	drop[l.at] = true
	cuts, none := l.root.without(drop)
	switch string(l.raw[:l.root.parts[0].from]) {
	case madeByUs:
		if none {
			return nil
		}
	case wasSpaces:
		if none {
			return append([]byte{}, l.raw[l.root.to:]...)
		}
	}
	return edited(l.raw, cuts)
}

// style is how a file is written: what ends a line, and what a level is indented by.
type style struct{ newline, indent string }

// style returns that of the settings, or ours if they have one line. The first member says how a level is indented:
// whoever mixes two ways gets the one that the file begins with.
func (l layout) style() style {
	s := style{"\n", "  "}
	if bytes.Contains(l.raw, []byte("\r\n")) {
		s.newline = "\r\n"
	}
	if len(l.root.parts) > 0 {
		before := string(l.raw[l.root.from+1 : l.root.parts[0].from])
		if i := strings.LastIndexByte(before, '\n'); i >= 0 && i+1 < len(before) {
			s.indent = before[i+1:]
		}
	}
	return s
}

// line begins a line of a depth.
func (s style) line(depth int) string { return s.newline + strings.Repeat(s.indent, depth) }

// value returns a value of ours as JSON that stands in a depth, with < and & as they are.
func (s style) value(value any, depth int) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent(strings.Repeat(s.indent, depth), s.indent)
	_ = e.Encode(value) // strings, and structures of them
	return strings.ReplaceAll(strings.TrimSpace(b.String()), "\n", s.newline)
}

// wrapped returns an object or a list of parts in a depth, each on a line of its own.
func (s style) wrapped(open string, parts []string, end string, depth int) string {
	return open + s.line(depth+1) + strings.Join(parts, ","+s.line(depth+1)) + s.line(depth) + end
}

// insert returns the edit that puts parts behind those of an object or a list, whose parts stand in a depth.
func (s style) insert(g group, parts []string, depth int) edit {
	text := strings.Join(parts, ","+s.line(depth))
	if len(g.parts) == 0 {
		return edit{from: g.from + 1, to: g.from + 1, text: text}
	}
	end := g.parts[len(g.parts)-1].to
	return edit{from: end, to: end, text: "," + s.line(depth) + text}
}

// ErrSettings is the error for settings that cannot be changed without losing something. The wrapping error says what
// is wrong, and where.
var ErrSettings = errors.New("correct the file first")

// fault returns an error about a place in settings. It has none of their text, which may have keys: errors end up in
// logs and in reports to others. Columns count characters, as editors do.
func fault(raw []byte, at int, what string) error {
	before := raw[:at]
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return fmt.Errorf("%w: line %d, column %d: %s", ErrSettings, 1+bytes.Count(before, []byte("\n")), column, what)
}

// object returns where the object of the settings begins, and fails if they are anything else.
func object(raw []byte) (at int, err error) {
	if bytes.HasPrefix(raw, []byte("\uFEFF")) {
		return 0, fault(raw, 0, "a byte order mark, which is no part of JSON")
	}
	var whole json.RawMessage
	if err := json.Unmarshal(raw, &whole); err != nil {
		return 0, syntaxFault(raw, err)
	}
	if at = behind(raw, 0, " \t\r\n"); raw[at] != '{' {
		return 0, fault(raw, at, "the settings are no JSON object")
	}
	return at, nil
}

// syntaxFault says what is wrong with settings that are no JSON, without the character that is. Comments have words of
// their own, since some of these programs take them, and a person does not see what is wrong with them.
func syntaxFault(raw []byte, err error) error {
	wrong, ok := errors.AsType[*json.SyntaxError](err)
	if !ok {
		return fault(raw, 0, "the settings are no JSON")
	}
	at := min(max(0, int(wrong.Offset)-1), len(raw))
	_, where, named := strings.Cut(wrong.Error(), "invalid character ")
	switch rest := raw[at:]; {
	case !named:
		return fault(raw, len(raw), "the JSON ends too early")
	case bytes.HasPrefix(rest, []byte("//")) || bytes.HasPrefix(rest, []byte("/*")):
		return fault(raw, at, "a comment, which is no part of JSON")
	}
	return fault(raw, at, "this character cannot stand here"+said(where))
}

// said returns what the decoder was doing, behind the character that it quotes.
func said(where string) string {
	if _, doing, ok := strings.Cut(where[1:], "' "); ok {
		return ", " + doing
	}
	return ""
}
