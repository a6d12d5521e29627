package tool

import "strings"

// excerpt is a line without its indent, cut to maxLine bytes around a match. It
// cuts between words where it can: half of a credential would not be known for
// one by whoever redacts it later.
func excerpt(line string, at, length int) string {
	if len(line) <= maxLine {
		return valid(strings.TrimSpace(line))
	}
	at = min(at, len(line))
	from := max(0, min(at-maxLine/3, len(line)-maxLine))
	to := from + maxLine
	if start := wordEnd(line, from, at); from > 0 && start >= 0 {
		from = start
	}
	if end := wordStart(line, min(at+length, to), to); to < len(line) && end >= 0 {
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

// wordEnd is the first place from which a new word may start, -1 if there is
// none up to the limit.
func wordEnd(line string, from, limit int) int {
	for i := from; i <= limit; i++ {
		if i == 0 || !inWord(line[i-1]) {
			return i
		}
	}
	return -1
}

// wordStart is the last place up to which words are whole, -1 if there is none
// down to the limit.
func wordStart(line string, limit, to int) int {
	for i := to; i >= limit; i-- {
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
