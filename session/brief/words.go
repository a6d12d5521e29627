package brief

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// wordsOf returns a value as words: a text as it is, the items of a list with commas between
// them, the object of an object. JSON in a text is looked into.
func wordsOf(v gjson.Result, level int) string {
	switch {
	case level > maxLevels, v.Type == gjson.Null:
		return ""
	case v.IsArray():
		return listed(v, level)
	case v.IsObject():
		return objectOf(v, level+1).s
	case v.Type == gjson.String:
		if text := strings.TrimSpace(v.Str); strings.HasPrefix(text, "{") && gjson.Valid(text) {
			return objectOf(gjson.Parse(text), level+1).s
		}
		return v.Str
	}
	return v.Raw
}

// listed names the first items of a list and says how many there are, if there are more.
func listed(v gjson.Result, level int) string {
	var items []string
	n := 0
	v.ForEach(func(_, item gjson.Result) bool {
		if n++; n <= maxMembers && len(items) < maxListed {
			if words := flat(wordsOf(item, level+1)); words != "" {
				items = append(items, words)
			}
		}
		return true
	})
	if n > maxListed && len(items) > 0 {
		items = append(items, fmt.Sprintf("… %d in all", n))
	}
	return strings.Join(items, ", ")
}

// The headings of patches are the only part of a content that tells what it is about. The format of
// Codex has one for each file; a diff has two, of which the second is /dev/null for a deletion.

// patched lists the files that a patch changes, "" if no parameter is one.
func (p parameters) patched() string {
	for _, c := range p {
		if c.kind == content && c.value.Type == gjson.String {
			if files := patchedFiles(c.value.Str); len(files) > 0 {
				return strings.Join(files, ", ")
			}
		}
	}
	return ""
}

// patchedFiles returns the files of a patch, in the format of Codex or of diff.
func patchedFiles(patch string) []string {
	var files []string
	// A diff names the file before the change in one line and the file after it in the next. Only
	// both together say that a file was deleted.
	before := ""
	for line := range strings.SplitSeq(patch, "\n") {
		if len(files) == maxListed {
			return append(files, "…")
		}
		switch name, after, _ := strings.Cut(line, " "); {
		case name == "***":
			files = append(files, codexFile(after)...)
		case name == "---":
			before = strings.TrimPrefix(after, "a/")
		case name == "+++" && before != "" && after == "/dev/null":
			files = append(files, "delete "+before)
		case name == "+++" && before != "":
			files = append(files, strings.TrimPrefix(after, "b/"))
		}
	}
	return files
}

// codexFile returns the file of a heading such as "Update File: a.go", nothing for others.
func codexFile(heading string) []string {
	verb, file, ok := strings.Cut(heading, " File: ")
	switch {
	case !ok:
		return nil
	case verb == "Delete":
		return []string{"delete " + file}
	case verb == "Add", verb == "Update":
		return []string{file}
	}
	return nil
}

// length returns the number of items of a list.
func length(v gjson.Result) int {
	n := 0
	v.ForEach(func(_, _ gjson.Result) bool { n++; return true })
	return n
}

// count returns a number with what it counts, which is in the plural: "1 match", "1,412 lines".
func count(n int, of string) string {
	if n == 1 {
		of = singular(of)
	}
	return thousands(n) + " " + of
}

// singular returns a word in the singular.
func singular(of string) string {
	for _, end := range [][2]string{{"ies", "y"}, {"ches", "ch"}, {"sses", "ss"}, {"s", ""}} {
		if word, ok := strings.CutSuffix(of, end[0]); ok {
			return word + end[1]
		}
	}
	return of
}

// thousands returns a number with commas.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for at := len(s) - 3; at > 0 && s[at-1] != '-'; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

// size returns a number of bytes in the unit that suits it.
func size(n int) string {
	switch {
	case n < 1000:
		return count(n, "bytes")
	case n < 999_950:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
