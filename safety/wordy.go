package safety

import (
	"math/bits"
	"slices"
	"strings"
)

// codeLike reports whether a value is a name out of code or a path to a file
// rather than a credential: words, joined as code joins them. Words joined by
// hyphens may be a passphrase, and in quotes any words may be a password.
func codeLike(s, name string, v value) bool {
	text := s[v.from:v.to]
	if hasDigit(text) {
		return false
	}
	pieces, hyphen, slash := wordsIn(text)
	switch {
	case pieces < 2:
		return false
	case slash:
		return true
	case constantName(text):
		return true
	case hyphen || v.quoted:
		return !passwordName(name) && !containsFold(name, "secret")
	}
	return true
}

// besideName reports whether a value right behind its name, as words of a sentence,
// is one: a machine drew it, or it has the signs and digits of a password.
func besideName(text, name string, kind sense, quoted bool, l looks) bool {
	if strewn(text, l) || kind == keyed && digest(text) || quoted && kind == secret && (random(text) || digest(text)) {
		return true
	}
	if !passwordName(name) || len(text) < 6 || l.digit == 0 {
		return false
	}
	return quoted && keyChars.run(text, 0, len(text)) == len(text) || chosen(text)
}

// drawnStart reports whether eight bytes hold a digit, or change between capitals
// and others more often than words do.
func drawnStart(x uint64) bool {
	return digitIn(x) || bits.OnesCount64((x^x>>8)&0x0020202020202020) > 2
}

// chosen is a password as people make one up: digits and a sign.
func chosen(text string) bool {
	return len(text) >= 8 && look(text).digit > 1 && strings.ContainsAny(text, "!@#$%^&*+")
}

// announced reports whether a value that no sign joins to its name, only a space,
// a bracket or an arrow, is one all the same: a machine drew it.
func announced(text, name string, kind sense) bool {
	if strewn(text, look(text)) || kind != weak && digest(text) || passwordName(name) && chosen(text) {
		return true
	}
	if strings.ContainsAny(text, "/.:") {
		return false
	}
	return random(text) || kind == secret && len(text) >= 8 && hasDigit(text) && mixedCase(text) && !codeName(text)
}

// constantName is a name in capitals, as of a variable of the environment.
func constantName(text string) bool {
	for i := range len(text) {
		if !upper(text[i]) && text[i] != '_' {
			return false
		}
	}
	return strings.IndexByte(text, '_') > 0
}

// wordsIn counts the words a text is made of, digits apart, 0 where it is made of
// more than words, and tells whether hyphens or slashes join them.
func wordsIn(text string) (n int, hyphen, slash bool) {
	letters := 0
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '-':
			hyphen = true
			i++
			continue
		case c == '/':
			slash = true
			i++
			continue
		case c == '_' || c == '.' || digits[c]:
			i++
			continue
		case !letter(c):
			return 0, false, false
		}
		run := classes['z'].run(text, i, len(text))
		to := i + 1
		for to < run && !wordBreak(text, to, run) {
			to++
		}
		if !pronounced(text[i:to]) {
			return 0, false, false
		}
		letters += to - i
		n, i = n+1, to
	}
	if letters < 3*n || letters < 4*n && !slash {
		return 0, false, false
	}
	return n, hyphen, slash
}

// pronounced reports whether a word has the vowels and the clusters of one that
// can be said; what a machine drew seldom has.
func pronounced(word string) bool { return len(word) <= 16 && said(word) }

// said is pronounced for words of any length, also several run together.
func said(word string) bool {
	vowels, cluster := 0, 0
	for i := range len(word) {
		if strings.IndexByte("aeiouy", lower(word[i])) >= 0 {
			vowels++
			cluster = 0
		} else if cluster++; cluster > 4 {
			return false
		}
	}
	return vowels*6 >= len(word) || len(word) < 4
}

// referred reports whether a value is shown in part or only refers to one: the
// prefix of a token before an ellipsis, a digest that says which it is, a version,
// the path of a secret in a store.
func referred(s string, v value) bool {
	text := s[v.from:v.to]
	whole := strings.TrimRight(text, ".")
	if elided := len(text)-len(whole) > 2 || strings.HasPrefix(s[v.to:], "...") || strings.HasPrefix(s[v.to:], "\u2026"); elided {
		if whole == "" || len(whole) <= 6 || whole[len(whole)-1] == '-' || whole[len(whole)-1] == '_' {
			return true
		}
	}
	return labelled(text) || !alnum[text[0]] && strings.Trim(text, "\u2022\u25cf\u2026*") == "" || versionLike(text) || template(text) || describes(text) || v.quoted && callLike(text, s[v.from-1] == '`') || inResourceName(s, v.from)
}

// labelled is a digest, or the place of a secret, that says what it is.
func labelled(text string) bool {
	return strings.IndexByte("smvro", text[0]) >= 0 && slices.ContainsFunc(integrity[:], func(head string) bool { return strings.HasPrefix(text, head) })
}

// template is a text with a place for the value in it, or a colour.
func template(text string) bool {
	if text[0] == '#' && len(text) <= 9 && classes['x'].run(text, 1, len(text)) == len(text) {
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
		if i := strings.Index(text, verb); i >= 0 && (i+2 == len(text) || !alnum[text[i+2]]) {
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
		if !benign.has(rest[:i]) && !describing.has(rest[:i]) {
			return false
		}
		rest = rest[min(i+1, len(rest)):]
	}
	return words > 1
}

var describing = set("refresh access client my some new old fake mock api top super very app id auth")

// callLike is a call in quotes, which says where the value comes from:
// os.getenv("TOKEN"), uuid4().
func callLike(text string, code bool) bool {
	k := identifier.run(text, 0, len(text))
	if k == 0 || k == len(text) || text[k] != '(' && text[k] != '[' {
		return false
	}
	last := text[len(text)-1]
	return (last == ')' || last == ']') && (code || strings.IndexByte(text[:k], '.') > 0 || k+2 == len(text))
}

// codeName is a name out of code with a digit or two in it: s3_use_arn_region.
func codeName(text string) bool {
	if identifier.run(text, 0, len(text)) < len(text) && wordish.run(text, 0, len(text)) < len(text) {
		return false
	}
	l := look(text)
	if l.digit > 2 || !letter(text[0]) {
		return false
	}
	words, _, _ := wordsIn(text)
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
	if !digits[text[len(text)-1]] && text[len(text)-1] != '.' {
		return false
	}
	dots := 0
	text = strings.TrimLeft(text, "^~>=<v ")
	for i := range len(text) {
		if text[i] == '.' {
			dots++
		} else if !digits[text[i]] {
			return false
		}
	}
	return dots >= 2
}

// inResourceName reports whether i stands in the name of a cloud's resource:
// arn:aws:secretsmanager:…:secret:name.
func inResourceName(s string, i int) bool {
	start := i
	for start > 0 && i-start < before && (token68[s[start-1]] || s[start-1] == ':') {
		start--
	}
	return strings.HasPrefix(s[start:], "arn:")
}

// strewn is letters with digits strewn among them, as in no word or version, and
// no digest.
func strewn(text string, l looks) bool {
	if l.digit < 2 || l.hex || l.other*4 > len(text) {
		return false
	}
	groups := 0
	for i := range len(text) {
		if digits[text[i]] && (i == 0 || !digits[text[i-1]]) {
			groups++
		}
	}
	mixed := len(text) >= 8 && l.upper > 0 && l.lower > 0 || len(text) >= 10 && groups > 2 && l.other == 0
	return groups > 1 && mixed && !dotted(text) && !path(text)
}

// beginsStrewn reports whether what starts at i may be strewn, or is in quotes.
func beginsStrewn(s string, i int) bool {
	if i+8 > len(s) {
		return false
	}
	if quote(s[i]) {
		return s[i] != '`' && i > 0 && s[i-1] == ' '
	}
	return drawnStart(eight(s, i)) && hasDigit(s[i:keyChars.run(s, i, 40)])
}
