package keyvalue

import (
	"math/bits"
	"slices"
	"strings"

	"candor/safety/internal/lex"
)

// codeLike reports whether a value is a name out of code or a path to a file
// rather than a credential: words, joined as code joins them. Words joined by
// hyphens may be a passphrase, and in quotes any words may be a password.
func codeLike(s, name string, v Value) bool {
	text := s[v.From:v.To]
	if lex.HasDigit(text) {
		return false
	}
	pieces, hyphen, slash := lex.WordsIn(text)
	switch {
	case pieces < 2:
		return false
	case slash:
		return true
	case constantName(text):
		return true
	case hyphen || v.Quoted:
		return !passwordName(name) && !lex.ContainsFold(name, "secret")
	}
	return true
}

// besideName reports whether a value right behind its name, as words of a sentence,
// is one: a machine drew it, or it has the signs and digits of a password.
func besideName(text, name string, kind KeyKind, quoted bool, l lex.CharStats) bool {
	if strewn(text, l) || kind == keyed && digest(text) || quoted && kind == Secret && (lex.Random(text) || digest(text)) {
		return true
	}
	if !passwordName(name) || len(text) < 6 || l.Digit == 0 {
		return false
	}
	return quoted && keyChars.Run(text, 0, len(text)) == len(text) || chosen(text)
}

// drawnStart reports whether eight bytes hold a digit, or change between capitals
// and others more often than words do.
func drawnStart(x uint64) bool {
	return lex.DigitIn(x) || bits.OnesCount64((x^x>>8)&0x0020202020202020) > 2
}

// chosen is a password as people make one up: digits and a sign.
func chosen(text string) bool {
	return len(text) >= 8 && lex.CountChars(text).Digit > 1 && strings.ContainsAny(text, "!@#$%^&*+")
}

// announced reports whether a value that no sign joins to its name, only a space,
// a bracket or an arrow, is one all the same: a machine drew it.
func announced(text, name string, kind KeyKind) bool {
	if strewn(text, lex.CountChars(text)) || kind != Weak && digest(text) || passwordName(name) && chosen(text) {
		return true
	}
	if strings.ContainsAny(text, "/.:") {
		return false
	}
	return lex.Random(text) || kind == Secret && len(text) >= 8 && lex.HasDigit(text) && lex.MixedCase(text) && !codeName(text)
}

// constantName is a name in capitals, as of a variable of the environment.
func constantName(text string) bool {
	for i := range len(text) {
		if !lex.IsUpper(text[i]) && text[i] != '_' {
			return false
		}
	}
	return strings.IndexByte(text, '_') > 0
}

// referred reports whether a value is shown in part or only refers to one: the
// prefix of a token before an ellipsis, a digest that says which it is, a version,
// the path of a secret in a store.
func referred(s string, v Value) bool {
	text := s[v.From:v.To]
	whole := strings.TrimRight(text, ".")
	if elided := len(text)-len(whole) > 2 || strings.HasPrefix(s[v.To:], "...") || strings.HasPrefix(s[v.To:], "\u2026"); elided {
		if whole == "" || len(whole) <= 6 || whole[len(whole)-1] == '-' || whole[len(whole)-1] == '_' {
			return true
		}
	}
	return labelled(text) || !lex.Alnum[text[0]] && strings.Trim(text, "\u2022\u25cf\u2026*") == "" || versionLike(text) || template(text) || describes(text) || v.Quoted && callLike(text, s[v.From-1] == '`') || inResourceName(s, v.From)
}

// labelled is a digest, or the place of a secret, that says what it is.
func labelled(text string) bool {
	return strings.IndexByte("smvro", text[0]) >= 0 && slices.ContainsFunc(integrity[:], func(head string) bool { return strings.HasPrefix(text, head) })
}

// template is a text with a place for the value in it, or a colour.
func template(text string) bool {
	if text[0] == '#' && len(text) <= 9 && lex.Classes['x'].Run(text, 1, len(text)) == len(text) {
		return true
	}
	if strings.IndexByte(text, '{') < 0 && strings.IndexByte(text, '%') < 0 {
		return false
	}
	for _, hole := range [...]string{"${", "{{", "#{", "{}"} {
		if strings.Contains(text, hole) {
			return true
		}
	}
	for _, verb := range [...]string{"%s", "%v"} {
		if i := strings.Index(text, verb); i >= 0 && (i+2 == len(text) || !lex.Alnum[text[i+2]]) {
			return true
		}
	}
	return false
}

// describes reports whether a text of several words says what belongs in its
// place: refresh token, my client secret.
func describes(text string) bool {
	words := 0
	for rest := text; rest != ""; words++ {
		i := strings.IndexAny(rest, " _-")
		if i < 0 {
			i = len(rest)
		}
		if !lex.Benign.Has(rest[:i]) && !describing.Has(rest[:i]) {
			return false
		}
		rest = rest[min(i+1, len(rest)):]
	}
	return words > 1
}

var describing = lex.WordSet("refresh access client my some new old fake mock api top super very app id auth")

// callLike is a call in quotes, which says where the value comes from:
// os.getenv("TOKEN"), uuid4().
func callLike(text string, code bool) bool {
	k := identifier.Run(text, 0, len(text))
	if k == 0 || k == len(text) || text[k] != '(' && text[k] != '[' {
		return false
	}
	last := text[len(text)-1]
	return (last == ')' || last == ']') && (code || strings.IndexByte(text[:k], '.') > 0 || k+2 == len(text))
}

// codeName is a name out of code with a digit or two in it: s3_use_arn_region.
func codeName(text string) bool {
	if identifier.Run(text, 0, len(text)) < len(text) && lex.WordChars.Run(text, 0, len(text)) < len(text) {
		return false
	}
	l := lex.CountChars(text)
	if l.Digit > 2 || !lex.IsLetter(text[0]) {
		return false
	}
	words, _, _ := lex.WordsIn(text)
	return words > 2
}

// labelledDigest is a digest behind what it is of: linux-x64-npm-3f2a….
func labelledDigest(text string) bool {
	i := strings.LastIndexAny(text, "-_/:.=")
	return i > 0 && len(text)-i > 32 && digest(text[i+1:])
}

// integrity are how digests and references to secrets begin.
var integrity = [...]string{"sha1-", "sha256-", "sha384-", "sha512-", "sha1:", "sha256:", "sha512:", "md5:", "vault:", "ssm:", "ref+", "op://", "env:", "file:", "process.env", "os.environ", "os.getenv", "import.meta", "System.getenv", "ENV["}

// versionLike is numbers with dots between, at least two of them, and what a
// package says before them about later versions.
func versionLike(text string) bool {
	if !lex.Digits[text[len(text)-1]] && text[len(text)-1] != '.' {
		return false
	}
	dots := 0
	text = strings.TrimLeft(text, "^~>=<v ")
	for i := range len(text) {
		if text[i] == '.' {
			dots++
		} else if !lex.Digits[text[i]] {
			return false
		}
	}
	return dots >= 2
}

// inResourceName reports whether i stands in the name of a cloud's resource:
// arn:aws:secretsmanager:…:secret:name.
func inResourceName(s string, i int) bool {
	start := i
	for start > 0 && i-start < lex.Lookbehind && (lex.Token68[s[start-1]] || s[start-1] == ':') {
		start--
	}
	return strings.HasPrefix(s[start:], "arn:")
}

// strewn is letters with digits strewn among them, as in no word or version, and
// no digest.
func strewn(text string, l lex.CharStats) bool {
	if l.Digit < 2 || l.Hex || l.Other*4 > len(text) {
		return false
	}
	groups := 0
	for i := range len(text) {
		if lex.Digits[text[i]] && (i == 0 || !lex.Digits[text[i-1]]) {
			groups++
		}
	}
	mixed := len(text) >= 8 && l.Upper > 0 && l.Lower > 0 || len(text) >= 10 && groups > 2 && l.Other == 0
	return groups > 1 && mixed && !dotted(text) && !path(text)
}

// beginsStrewn reports whether what starts at i may be strewn, or is in quotes.
func beginsStrewn(s string, i int) bool {
	if i+8 > len(s) {
		return false
	}
	if lex.IsQuote(s[i]) {
		return s[i] != '`' && i > 0 && s[i-1] == ' '
	}
	return drawnStart(lex.Load8(s, i)) && lex.HasDigit(s[i:keyChars.Run(s, i, 40)])
}
