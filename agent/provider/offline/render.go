package offline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const (
	maxItems = 10
	maxLines = 12
	maxText  = 1500
)

// render is a result in words: lists by their count and scalars in a row, then
// the longer parts below. What only repeats an argument is left out.
func (d done) render(v value) string {
	switch v.kind {
	case isNull:
		return "nothing."
	case isScalar:
		return v.text + "."
	case isString:
		return block(v.text)
	case isList:
		v = value{kind: isObject, keys: []string{"results"}, members: []value{v}}
	}
	row, below := d.sorted(v)
	out := strings.Join(row, ", ")
	switch {
	case len(below) == 0 && out == "":
		return "done."
	case len(below) == 0:
		return out + "."
	case out != "":
		out += ":"
	}
	return out + "\n" + strings.Join(below, "\n")
}

// sorted is what goes into the row and what goes below it.
func (d done) sorted(v value) (row, below []string) {
	said := d.said(v)
	for i, key := range v.keys {
		m := v.members[i]
		switch {
		case m.kind == isNull:
		case m.kind == isList:
			row = slices.Insert(row, 0, tallied(plain(key), len(m.items)))
			below = append(below, lines(m)...)
		case m.kind == isObject:
			below = append(below, plain(key)+": "+line(m))
		case m.kind == isString && (len(m.text) > maxShown || strings.Contains(m.text, "\n")):
			below = append(below, block(m.text))
		case !said[m.text]:
			row = append(row, d.label(key)+m.text)
		case d.names(key):
			row = append(row, plain(key)) // that it is saved is news, what is not
		}
	}
	return row, below
}

// said are the scalars that the reader has seen: arguments, and the lengths of
// lists.
func (d done) said(v value) map[string]bool {
	out := map[string]bool{"": true}
	if args, ok := parse(string(d.call.Arguments)); ok {
		for _, m := range args.members {
			out[m.text] = true
		}
	}
	for _, m := range v.members {
		if m.kind == isList {
			out[strconv.Itoa(len(m.items))] = true
		}
	}
	return out
}

// label is a member's name, without what the tool's name says already.
func (d done) label(key string) string {
	name := plain(key)
	if slices.Contains(parts(d.call.Name), name) {
		return ""
	}
	return name + " "
}

// names reports whether a member is called what the tool does: saved, of save.
func (d done) names(key string) bool {
	return slices.ContainsFunc(parts(d.call.Name), func(part string) bool { return stem(part) == stem(plain(key)) })
}

// tallied is a list in the row: 6 matches, no notes.
func tallied(name string, n int) string {
	word := singular(name)
	switch {
	case n == 0:
		return "no " + strings.TrimPrefix(plural(0, word), "0 ")
	case n > maxItems:
		return fmt.Sprintf("%s (the first %d are below)", plural(n, word), maxItems)
	}
	return plural(n, word)
}

func lines(list value) (out []string) {
	for _, item := range list.items[:min(len(list.items), maxItems)] {
		out = append(out, "- "+line(item))
	}
	return out
}

func plain(key string) string { return strings.Join(parts(key), " ") }

func singular(word string) string {
	switch {
	case strings.HasSuffix(word, "ies"):
		return word[:len(word)-3] + "y"
	case strings.HasSuffix(word, "ches"), strings.HasSuffix(word, "shes"), strings.HasSuffix(word, "sses"):
		return word[:len(word)-2]
	}
	return strings.TrimSuffix(word, "s")
}

func plural(n int, word string) string {
	switch {
	case n == 1:
		return "1 " + word
	case strings.HasSuffix(word, "y"):
		return fmt.Sprintf("%d %sies", n, word[:len(word)-1])
	case strings.HasSuffix(word, "ch"), strings.HasSuffix(word, "sh"), strings.HasSuffix(word, "s"):
		return fmt.Sprintf("%d %ses", n, word)
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// line is a value on one line: an object leads with its first scalar, has short
// ones in parentheses, and ends with its text: log.go (line 3): the text.
func line(v value) string {
	switch v.kind {
	case isNull:
		return "nothing"
	case isScalar, isString:
		return shorten(v.text)
	case isList:
		return plural(len(v.items), "item")
	}
	lead, text := "", ""
	var short []string
	for i, key := range v.keys {
		m := v.members[i]
		switch {
		case m.kind == isNull:
		case m.kind == isList, m.kind == isObject:
			short = append(short, plain(key)+" "+line(m))
		case lead == "":
			lead = shorten(m.text)
		case text == "" && m.kind == isString && (len(m.text) > 40 || strings.ContainsAny(m.text, " \t")):
			text = shorten(m.text)
		default:
			short = append(short, plain(key)+" "+shorten(m.text))
		}
	}
	if len(short) > 0 {
		lead = strings.TrimSpace(lead + " (" + strings.Join(short, ", ") + ")")
	}
	if text != "" {
		lead += ": " + text
	}
	return lead
}

// block is a longer text: its first lines, and how much there is besides. A line
// is shown whole or, if there is no room for it, cut between words.
func block(s string) string {
	lines := strings.Split(strings.TrimRight(s, "\n "), "\n")
	var out []string
	for size := 0; len(out) < min(len(lines), maxLines) && size <= maxText; {
		l := lines[len(out)]
		if len(l) > maxText/2 {
			l = shorten(l)
		}
		size += len(l)
		out = append(out, l)
	}
	text := strings.Join(out, "\n")
	if left := len(lines) - len(out); left > 0 {
		text += fmt.Sprintf("\n… and %s more", plural(left, "line"))
	}
	return text
}
