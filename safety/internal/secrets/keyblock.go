package secrets

import (
	"strings"

	"candor/safety/internal/decode"
	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// keyGap is how many bytes may separate the parts of a key whose END is missing: a
// notice of omitted lines, headers, or the marks that quote each line.
const keyGap = 400

// keyEnd returns where the body of a private key ends that starts at body: behind its
// END label, or behind the last part that looks like a key. open reports whether more
// text could move that end.
func keyEnd(s string, body int) (to int, open bool) {
	parts := keyParts{last: body}
	for i := body; i < len(s) && i-parts.last < keyGap; {
		switch {
		case s[i] == '-' && lex.HasFold(s, i, "-----end"):
			to := labelEnd(s, i+8)
			if cut := len(s)-i < 108 && strings.IndexByte(s[i:], '\n') < 0; to > i+8 || cut {
				return to, i+108 > len(s)
			}
			i += 8 // no label, only looks like one
		case s[i] == '-' && parts.width > 0 && lex.HasFold(s, i, "-----begin"):
			return parts.last, false
		case keyLine[s[i]]:
			end := keyLine.Run(s, i, len(s))
			parts.add(s, i, end)
			i = end
		default:
			i++
		}
	}
	return parts.last, len(s)-parts.last < keyGap
}

// keyParts are the lines of a key that were found so far.
type keyParts struct {
	last  int  // where the last one ends
	width int  // the length of the longest
	ended bool // the last one is shorter: only a full line can follow, as behind a notice of omitted lines
}

// add takes the run from..to as the next line of the key if it looks like one. A line shorter
// than the others is the last. Where the END is missing, that line may be the next setting or
// word of the text instead.
func (p *keyParts) add(s string, from, to int) {
	n, v := to-from, s[from:to]
	encoded := n >= 16 && keyPart(v)
	switch {
	case p.width == 0 && (encoded || ownLine(s, p.last, from, to)):
	case p.width > 0 && encoded && n >= p.width && (n >= 40 || isLastKeyLine(v)):
		p.ended = false
	case p.width > 0 && !p.ended && (encoded || ownLine(s, p.last, from, to)) && isLastKeyLine(v):
		p.ended = true
	default:
		return
	}
	p.last, p.width = to, max(p.width, n)
}

// isLastKeyLine reports whether a line of a key's bytes, shorter than a full one, is base64 and
// not a setting such as DEBUG=true, an identifier, a number or a word.
func isLastKeyLine(v string) bool {
	body := strings.TrimRight(v, "=")
	if len(body) < len(v) {
		return strings.IndexByte(body, '=') < 0
	}
	words, _, _ := lex.WordsIn(v)
	return words == 0 && len(v) >= 4 && strings.IndexByte(v, '=') < 0 && lex.CountChars(v).Lower > 0 &&
		(len(v) >= 24 || lex.Interleaved(v, 4))
}

// labelEnd returns the end of the label whose text continues at i, behind its dashes, or i
// if no dashes follow on the line within 100 bytes. Dashes that begin the label of another key
// are that label's.
func labelEnd(s string, i int) int {
	rest := s[i:min(len(s), i+100)]
	k := strings.Index(rest, "-----")
	if k < 0 || strings.IndexByte(rest[:k], '\n') >= 0 {
		return i
	}
	for to := i + k; to < i+k+5; to++ {
		if lex.HasFold(s, to, "-----begin") {
			return to
		}
	}
	return i + k + 5
}

// keyPart reports whether a run looks like base64 and not like a word or a path.
func keyPart(v string) bool {
	l := lex.CountChars(v)
	return l.Upper > 0 && l.Digit+l.Lower > 0 && l.Other*4 < min(len(v), lex.StatsLimit)
}

// ownLine reports whether a short run from..to is alone on the line behind the last
// part of a key, or the text ends there. The last line of a key may have any length.
func ownLine(s string, last, from, to int) bool {
	next := decode.NextLine(s, last)
	if next < 0 && strings.HasPrefix(s[last:], `\n`) {
		next = last + 2
	}
	return next == from && (to == len(s) || strings.IndexByte("\r\n\\\"'.", s[to]) >= 0)
}

// openPrivateKey reports whether more text could belong to the key: until its END is
// there, what follows may, and until its label is there, the label may.
func openPrivateKey(s string, at, end int) bool {
	if body := keyBody(s, end); body >= 0 {
		return openBody(s, body)
	}
	return len(s)-end < 110
}

// openBody reports whether more text could change the end of a body, or make a key of one
// that does not look like it yet.
func openBody(s string, body int) bool {
	if near := s[body:min(len(s), body+keyLookahead)]; !holdsKeyBase64(near) && !keyLines(near) {
		return len(s)-body < keyLookahead+100
	}
	_, open := keyEnd(s, body)
	return open
}

// looseKey finds private keys whose label lost its dashes, has another number of them
// (RFC 4716, SSH2), or is encoded as in a form: begin+rsa+private+key. It once matched
// prose such as "begin private key material" and the pattern of a grep.
func looseKey() rule.Rule {
	return rule.Rule{
		ID: "private-key-block", Specificity: rule.WholeBlock, Severity: rule.Critical, Fold: true,
		Match: matchLooseKey, Lookahead: looseLookahead + 100,
		Keywords: []string{
			"begin rsa private",
			"begin private key",
			"begin ec private",
			"begin openssh private",
			"begin encrypted private",
			"begin dsa private",
			"begin pgp private",
			"begin ssh2 encrypted private",
			"begin+rsa+private",
			"begin+private+key",
			"begin+ec+private",
			"begin+openssh+private",
			"begin+encrypted+private",
			"begin+dsa+private",
			"begin+pgp+private",
		},
		Open: func(s string, at, end int) bool {
			body := looseBody(s, at, end)
			return body < 0 && len(s)-end < 110 || body >= 0 && (len(s)-body < looseLookahead || openBody(s, body))
		},
		Hits: []string{
			"BEGIN RSA PRIVATE {}KEY\n{b64}\n{b64}\nEND RSA PRIVATE {}KEY",
			"---- BEGIN SSH2 ENCRYPTED PRIVATE {}KEY ----\n{b64}\n{b64}",
			"----- BEGIN PRIVATE {}KEY-----\n{b64}\n{b64}",
		},
		Misses: []string{"the lines begin private key material", "BEGIN RSA PRIVATE " + "KEY is what grep looks for"},
	}
}

// looseLookahead is how many bytes behind such a label the first line of the key starts
// at the latest.
const looseLookahead = 320

// looseBody returns where the body behind such a label starts, or -1 if the label is a
// regular one, which privateKey matches, or the line goes on as prose does.
func looseBody(s string, at, end int) int {
	if at >= 5 && s[at-5:at] == "-----" && keyBody(s, at+5) >= 0 {
		return -1 // a label like any other
	}
	label := s[end-3 : min(len(s), end+24)]
	k := indexFold(label, 0, "key")
	if k < 0 {
		return -1
	}
	i := end - 3 + k + 3
	for _, block := range [...]string{" block", "+block"} {
		if lex.HasFold(s, i, block) {
			i += len(block)
		}
	}
	for stop := min(len(s), i+7); i < stop && (s[i] == '-' || s[i] == ' '); {
		i++
	}
	if i < len(s) && (strings.IndexByte("\r\n\\%<\"'&", s[i]) >= 0 || keyLine.Run(s, i, 20)-i == 20) {
		return i
	}
	return -1
}

// matchLooseKey matches from the label to the end of the body, and includes the label
// after it if that is on the same line. It reports rule.Costly if it had to read as far
// as it may.
func matchLooseKey(s string, at, end int) (int, int) {
	body := looseBody(s, at, end)
	if body < 0 || !holdsKeyBase64(s[body:min(len(s), body+looseLookahead)]) {
		return rule.Costly, rule.Costly
	}
	to, _ := keyEnd(s, body)
	line := s[to:min(len(s), to+64)]
	if k := indexFold(line, 0, "end"); k >= 0 && k < 10 && lex.ContainsFold(line, "key") {
		to += strings.IndexByte(line+"\n", '\n') // the line of the other label
	}
	return at, to
}

// indexFold returns the first index of lit in s from i on, in either case, or -1.
func indexFold(s string, i int, lit string) int {
	for ; i+len(lit) <= len(s); i++ {
		if lex.HasFold(s, i, lit) {
			return i
		}
	}
	return -1
}

// headlessKey finds the rest of a private key whose beginning was cut off, as at the top
// of a log: lines of base64 in front of an END label. An END that is only mentioned, with
// prose in front of it, once matched.
func headlessKey() rule.Rule {
	return rule.Rule{
		ID: "private-key-rest", Specificity: rule.WholeBlock, Severity: rule.Critical, Fold: true,
		Match: matchHeadless, MaxGap: 100,
		// The dashes of the label may begin that of another key, which is then a part of the match.
		Keywords: []string{
			"-----end rsa private",
			"-----end private key",
			"-----end ec private",
			"-----end openssh private",
			"-----end encrypted private",
			"-----end dsa private",
			"-----end pgp private",
		},
		Hits: []string{
			"{b64}\n{b64}\n{b30}=\n-----END RSA PRIVATE {}KEY-----",
			"{b64}\n-----END PRIVATE {}KEY-----",
		},
		Misses: []string{"-----END RSA PRIVATE " + "KEY-----", "until the line\n-----END PRIVATE " + "KEY-----"},
	}
}

// matchHeadless matches the lines of base64 in front of the label, and the label.
func matchHeadless(s string, at, end int) (int, int) {
	to := labelEnd(s, end)
	if to == end || !lex.ContainsFold(s[end-3:to], "key") {
		return 0, 0
	}
	from := decode.EncodedLines(s, at)
	if from == at || !holdsKeyBase64(s[from:at]) {
		return 0, 0
	}
	return from, to
}

// puttyKey finds the private lines of a PuTTY key file (PuTTY manual, "PPK file format"),
// which follow a header with their count. The header alone, in a sentence, once matched.
func puttyKey() rule.Rule {
	return rule.Rule{
		ID: "putty-private-key", Specificity: rule.WholeBlock, Severity: rule.Critical, Fold: true,
		Keywords: []string{"private-lines:"}, Match: matchPutty,
		Open: func(s string, _, end int) bool {
			_, open := keyEnd(s, end)
			return open
		},
		Hits:   []string{"Private-Lines: 2\n{b64}\n{b30}==\nPrivate-MAC: {x40}", "Private-Lines: 14\n{b64}\n{b64}"},
		Misses: []string{"Private-Lines: 2\nand so on", "the private-lines: header"},
	}
}

// matchPutty matches the header and the lines behind its count.
func matchPutty(s string, at, end int) (int, int) {
	i := lex.SkipBlank(s, end, 3)
	body := lex.Digits.Run(s, i, 4)
	if body == i || !holdsKeyBase64(s[body:min(len(s), body+keyLookahead)]) {
		return 0, 0
	}
	to, _ := keyEnd(s, body)
	return at, to
}
