package tool

import "strings"

// excerpt returns a line without its indentation, cut to about maxLine bytes around the
// match at line[at:at+length]. It cuts between words where it can: half of a credential
// would not be recognized and redacted later. An ellipsis marks each cut.
func excerpt(line string, at, length int) string {
	if len(line) <= maxLine {
		return valid(strings.TrimSpace(line))
	}
	at = min(at, len(line))
	// A third of the excerpt precedes the match, so that most of it is what follows.
	from := max(0, min(at-maxLine/3, len(line)-maxLine))
	to := from + maxLine
	if start := nextWord(line, from, at); from > 0 && start >= 0 {
		from = start
	}
	if end := lastWordEnd(line, min(at+length, to), to); to < len(line) && end >= 0 {
		to = end
	}
	cut := strings.TrimSpace(strings.ToValidUTF8(line[from:to], ""))
	if from > 0 {
		cut = "…" + cut
	}
	if to < len(line) {
		cut += "…"
	}
	return cut
}

// nextWord returns the first offset in [from, last] that is not within a word, or -1.
func nextWord(line string, from, last int) int {
	for i := from; i <= last; i++ {
		if i == 0 || !inWord(line[i-1]) {
			return i
		}
	}
	return -1
}

// lastWordEnd returns the last offset in [first, to] that is not within a word, or -1.
func lastWordEnd(line string, first, to int) int {
	for i := to; i >= first; i-- {
		if i == len(line) || !inWord(line[i]) {
			return i
		}
	}
	return -1
}

// inWord reports whether a byte may be part of a word or of a credential.
func inWord(b byte) bool {
	return b >= 0x80 || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' ||
		strings.IndexByte("_-+/=.~", b) >= 0
}
