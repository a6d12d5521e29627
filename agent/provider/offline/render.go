package offline

import (
	"fmt"
	"strings"
)

const (
	maxItems = 10
	maxLines = 12
	maxText  = 1500
)

// render is a result in words: scalars in a row, then texts, then lists with
// their count and first items.
func render(v value) string {
	switch v.kind {
	case isNull:
		return "nothing."
	case isScalar:
		return v.text + "."
	case isString:
		return block(v.text)
	case isList:
		return items("result", v)
	}
	if len(v.keys) == 0 {
		return "an empty result."
	}
	var scalars, rest []string
	for i, key := range v.keys {
		m := v.members[i]
		switch {
		case m.kind == isNull:
		case m.kind == isList:
			rest = append(rest, items(singular(plain(key)), m))
		case m.kind == isObject:
			rest = append(rest, plain(key)+": "+line(m))
		case m.kind == isString && (len(m.text) > maxWords || strings.Contains(m.text, "\n")):
			rest = append(rest, plain(key)+":\n"+block(m.text))
		default:
			scalars = append(scalars, plain(key)+" "+m.text)
		}
	}
	if len(scalars) > 0 {
		rest = append([]string{strings.Join(scalars, ", ") + "."}, rest...)
	}
	return strings.Join(rest, "\n")
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

func items(name string, list value) string {
	n := len(list.items)
	if n == 0 {
		return "no " + strings.TrimPrefix(plural(0, name), "0 ") + "."
	}
	var b strings.Builder
	b.WriteString(plural(n, name))
	if n > maxItems {
		fmt.Fprintf(&b, ", the first %d", maxItems)
	}
	b.WriteByte(':')
	for _, item := range list.items[:min(n, maxItems)] {
		b.WriteString("\n- " + line(item))
	}
	return b.String()
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

// block is a longer text: its first lines, and how much there is besides.
func block(s string) string {
	s = strings.TrimRight(s, "\n ")
	lines := strings.Split(s, "\n")
	shown, size := 0, 0
	for shown < min(len(lines), maxLines) && size <= maxText {
		size += len(lines[shown])
		shown++
	}
	text := strings.Join(lines[:shown], "\n")
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + "…"
	}
	if left := len(lines) - shown; left > 0 {
		text += fmt.Sprintf("\n… and %s more", plural(left, "line"))
	}
	return text
}
