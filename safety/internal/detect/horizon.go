package detect

import (
	"strings"
	"unicode/utf8"

	"candor/safety/internal/decode"
	"candor/safety/internal/keyvalue"
	"candor/safety/internal/lex"
	"candor/safety/internal/prefilter"
	"candor/safety/internal/rule"
)

// Horizon returns the offset in an unfinished text up to which findings are final, whatever is
// appended.
func (d *Detector) Horizon(s string) int {
	h := d.settled(s)
	for _, v := range [...]*decode.View{decode.PlainLetters(s), decode.Unescaped(s)} {
		if v != nil {
			h = min(h, v.Source(d.settled(v.Text.String())))
		}
	}
	return wordStart(s, h)
}

// settled returns the horizon of a text without decoding it.
func (d *Detector) settled(s string) int {
	h := keyvalue.StartBefore(s, d.keywordStart(s, imageStart(s, wordStart(s, len(s)))), d.isWholeToken)
	if d.remembers() {
		h = d.recallStart(s, h)
	}
	var found prefilter.Batch
	for i := 0; i < len(s); {
		var n int
		n, i = d.filter.Scan(s, i, &found)
		for _, p := range found[:n] {
			h = d.stillOpen(s, p, h)
		}
	}
	h = wordStart(s, decode.SpelledStart(s, decode.EncodedLines(s, wordStart(s, h))))
	return decode.ApartStart(s, h)
}

// isWholeToken reports whether a word is a token that identifies itself, signs around it aside.
func (d *Detector) isWholeToken(word string) bool {
	word = strings.Trim(word, "\"'`(*,;:)")
	_, end := d.tokenAt(word)
	return end > 0 && end == len(word)
}

// stillOpen moves h back to a keyword at a candidate whose match more text could change.
func (d *Detector) stillOpen(s string, c prefilter.Candidate, h int) int {
	keywords := d.filter.KeywordsAt(c.Gram)
	for i := range keywords {
		k := &keywords[i]
		at := int(c.At) - k.Off
		if k.Gram == c.Gram && at < h && k.Matches(s, at) && d.isOpen(s, k, at) {
			h = at
		}
	}
	return h
}

// isOpen reports whether more text could change what the rule of the keyword at index at finds.
func (d *Detector) isOpen(s string, k *prefilter.Keyword, at int) bool {
	r, end := &d.Rules[k.Rule], at+len(k.Literal)
	if r.Open != nil && r.Open(s, at, end) || r.Open == nil && len(s)-end < r.MaxGap {
		return true
	}
	return goesFurther(s, end) || r.Specificity == rule.ByShape && d.isOpenPieced(s, k, at, end)
}

// isOpenPieced reports whether a token that a keyword begins may go on behind a joint that
// is not complete yet.
func (d *Detector) isOpenPieced(s string, k *prefilter.Keyword, at, end int) bool {
	if k.Prev != nil && at > 0 && !k.Prev[s[at-1]] || strings.HasPrefix(s[end:], s[at:end]) {
		return false
	}
	var t decode.Assembly
	if t.Gather(s, at, end); !t.Open {
		return false
	}
	to := decode.TokenChars.Run(s, end, decode.MaxToken)
	if kind, _ := decode.SkipJoint(s, to); kind == decode.JointSpace { // a whole token ends at a blank
		_, found := d.Rules[k.Rule].Match(s, at, end)
		return found == 0
	}
	return true
}

// goesFurther reports whether a match after a keyword may continue at the end of the
// text, because no space follows the keyword.
func goesFurther(s string, end int) bool {
	if len(s)-end > maxRunOn {
		return !breaksOff(s, end) && runStart(s, len(s)) <= end
	}
	for i := end; i < len(s); i++ {
		if lex.IsSpaceAt(s, i) {
			return false
		}
	}
	return true
}

// maxRunOn is how many bytes behind a keyword a match may reach over text that is not ASCII.
const maxRunOn = 600

// breaksOff reports whether the text from i on contains a rune that ends a token; see
// wideRune.
func breaksOff(s string, i int) bool {
	for i = lex.ASCIIEnd(s, i); i < len(s); i = lex.ASCIIEnd(s, i+1) {
		if wideRune(s, i) > 0 {
			return true
		}
	}
	return false
}

// wideRune returns the length of the rune at i if no token goes on behind it: it belongs to a
// script without spaces between words, or is a sign of its own. Otherwise it returns 0.
func wideRune(s string, i int) int {
	if s[i] < 0xe0 {
		return 0
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	if r == utf8.RuneError || r == decode.BlankBraille || decode.ASCII(r) > 0 || decode.Combining(r) {
		return 0
	}
	return n
}

// wordStart moves i back to the end of the last space before it, or of the last rune that ends
// a word as a space does.
func wordStart(s string, i int) int {
	for i > 0 && !lex.IsSpaceAt(s, i-1) {
		if s[i-1] >= utf8.RuneSelf {
			if k := lex.RuneStart(s, i-1); wideRune(s, k) == i-k {
				break
			}
		}
		i--
	}
	return i
}

// keywordStart moves h back to where a keyword of several words may begin at the end of the text.
func (d *Detector) keywordStart(s string, h int) int {
	for at := max(0, len(s)-d.longest+1); at < h; at++ {
		for _, literal := range d.spaced[lex.ToLower(s[at])] {
			if rest := len(s) - at; rest < len(literal) && lex.HasFold(s, at, literal[:rest]) {
				return at
			}
		}
	}
	return h
}

// runStart moves i back to the end of the last space before it.
func runStart(s string, i int) int {
	for i > 0 && !lex.IsSpaceAt(s, i-1) {
		i--
	}
	return i
}

// imageStart moves h back to the start of a Markdown image that is not complete yet: the
// sanitizer changes its first sign.
func imageStart(s string, h int) int {
	const lookbehind = 520
	for from := max(0, len(s)-lookbehind); ; {
		k := strings.Index(s[from:], "![")
		if k < 0 || from+k >= h {
			return h
		}
		from += k + 2
		if isOpenImage(s[from:]) {
			return from - 2
		}
	}
}

// isOpenImage reports whether rest, which follows ![, ends before the image does.
func isOpenImage(rest string) bool {
	const maxLabel = 220
	end := strings.IndexAny(rest, "]\n")
	if end < 0 {
		return len(rest) < maxLabel
	}
	if rest[end] != ']' {
		return false
	}
	address := rest[end+1:]
	return address == "" || address[0] == '(' && !strings.ContainsAny(strings.TrimLeft(address[1:], " <"), " )\n")
}
