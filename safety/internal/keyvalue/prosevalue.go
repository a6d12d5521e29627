package keyvalue

import (
	"strings"

	"candor/safety/internal/lex"
)

// admits reports whether a value may follow what was read so far: nothing says that it is
// something else, and it looks generated, all the more behind words that are not glue.
func (w *walk) admits(c *candidate) bool {
	c.chars = lex.CountChars(c.text)
	switch {
	case isOtherKind(c.text), w.line && !w.isAnnounced(c):
		return false
	case namesPassword(c.name) && isChosenPassword(c.text):
		return w.isBeside() || w.glued || w.tied && !w.names
	case w.isBeside():
		return admitsBeside(c)
	}
	return w.admitsBehind(c)
}

// admitsBehind reports whether a value that words or signs separate from its name proves enough.
func (w *walk) admitsBehind(c *candidate) bool {
	switch {
	case isDigest(c.text):
		return w.leads() && (w.titles || !isSnakeName(c.name))
	case isGrouped(c.text), isPrefixed(c.text), isShortDigest(c) && !isOtherSubject(c):
		return w.leads() && !w.things && !w.clause && !isSnakeName(c.name)
	}
	return (w.glued || len(c.text) >= 16 && !isCompoundName(c.text, c.chars)) && isWordless(c)
}

// admitsBeside reports whether a value right behind its name proves enough.
func admitsBeside(c *candidate) bool {
	switch {
	case isDigest(c.text):
		return !isSnakeName(c.name)
	case isPartOfDigest(c.text, c.chars):
		return hasOwner(c)
	}
	return len(c.text) >= 12 && isWordless(c) && !isCompoundName(c.text, c.chars)
}

// isShortDigest reports whether a value behind the name of a credential is a digest of at least
// 20 digits.
func isShortDigest(c *candidate) bool { return c.kind == Secret && isPartOfDigest(c.text, c.chars) }

// hasOwner reports whether a name, or the word before it, says whose credential it is: the
// Pusher secret.
func hasOwner(c *candidate) bool {
	if word, rest := LastWord(c.name); rest != "" && len(word) < len(c.name) {
		return true
	}
	left := strings.LastIndex(c.s[:c.value.From], c.name)
	owner := ownerBefore(c.s, left)
	return len(owner) > 2 && c.s[left-1] == ' ' && !backGlue.Has(owner) && !glue.Has(owner)
}

// leads reports whether the words so far lead to a value of the name and of nothing else, even
// if it looks like the many digests that are no secrets.
func (w *walk) leads() bool { return w.glued || w.tied && !w.clause && !w.names }

// isBeside reports whether a value is right behind its name, where more has to be proven.
func (w *walk) isBeside() bool {
	return w.words == 0 && !w.signs && w.from == w.at && w.s[w.from-1] == ' '
}

// isAnnounced reports whether the line of the name announces a value that fills a line below.
func (w *walk) isAnnounced(c *candidate) bool {
	return (w.opens || w.titles) && endsLine(c.s, c.value.To) && (w.glued || isWordless(c) || isDigest(c.text))
}

// isOtherKind reports whether a text with a digit is code, an address, a host, a setting or
// an identifier.
func isOtherKind(text string) bool {
	return strings.ContainsAny(text, "()[]{} ") || isURL(text) || isEmail(text) || isHost(text) || isSetting(text) ||
		isTypedID(text) || isVersionRef(text)
}

// isVersionRef reports whether a text is a path and what of it, behind an @: actions/checkout@….
func isVersionRef(text string) bool {
	at := strings.LastIndexByte(text, '@')
	return at > 0 && strings.IndexByte(text[:at], '/') > 0 && lex.Pronounceable(text[:strings.IndexByte(text, '/')])
}

// isWordless reports whether a value has no words in it, and digits in several places or
// letters of both cases in any order.
func isWordless(c *candidate) bool {
	words, _, _ := lex.WordsIn(c.text)
	return words == 0 && (hasScatteredDigits(c.text, c.chars) || isOneCase(c) && c.chars.Digit >= 2 ||
		lex.LooksGeneratedInBothCases(c.text) && lex.Interleaved(c.text, 5)) || isPair(c.text)
}

// isOneCase reports whether a value is at least 16 letters of one case and digits, without signs.
func isOneCase(c *candidate) bool {
	return len(c.text) >= 16 && c.chars.Other == 0 && !c.chars.Hex && (c.chars.Lower == 0 || c.chars.Upper == 0)
}

// isSnakeName reports whether a name is one of code, in small letters with an underscore.
func isSnakeName(name string) bool {
	return strings.IndexByte(name, '_') > 0 && lex.CountChars(name).Lower > 0
}

// isTypedID reports whether a text is an identifier that begins with its type, as in
// msg_… or call-…. Tokens that begin so have rules of their own.
func isTypedID(text string) bool {
	k := prefixEnd(text)
	return k >= 2 && k+12 <= len(text) && (idTypes.Has(text[:k]) || !isPrefixed(text))
}

// isPrefixed reports whether a value is a prefix of small letters that names no type of
// identifiers, and something generated behind it: acme_…, live-….
func isPrefixed(text string) bool {
	k := prefixEnd(text)
	if k < 2 || k+17 > len(text) || idTypes.Has(text[:k]) {
		return false
	}
	rest := text[k+1:]
	return isDigest(rest) || lex.LooksGeneratedInBothCases(rest) && lex.Interleaved(rest, 5) &&
		lex.Alnum.Run(rest, 0, len(rest)) == len(rest)
}

// prefixEnd returns the end of the small letters that text begins with if an underscore or a
// hyphen follows them, else 0.
func prefixEnd(text string) int {
	k := 0
	for k < len(text) && k < 10 && text[k]-'a' < 26 {
		k++
	}
	if k == len(text) || text[k] != '_' && text[k] != '-' {
		return 0
	}
	return k
}

// idTypes begin identifiers that are no secrets.
var idTypes = lex.WordSet("msg call toolu req request run thread file cus sub pi ch evt event user usr org proj asst " +
	"chatcmpl session sess job task acct price prod in inv pm src card txn tr ba seti si cs prd il step item cache " +
	"img image node pod app svc build deploy dpl commit sha trace span id uid uuid team conv chat resp batch vs vol " +
	"snap subnet vpc sg ami eni rtb igw nat arn pvc " +
	"key token secret cursor page order ticket doc db tbl row col wf exec")

// isSetting reports whether a text is a name and its value: DEBUG=1.
func isSetting(text string) bool {
	k := lex.WordChars.Run(text, 0, maxName)
	return k > 0 && k+1 < len(text) && !isPair(text) && (text[k] == '=' && text[len(text)-1] != '=' || text[k] == ':')
}

// endsLine reports whether nothing but signs and blanks follows i on its line.
func endsLine(s string, i int) bool {
	for n := 0; n < 8 && i < len(s) && strings.IndexByte("\"'`*_|. \t)>", s[i]) >= 0; n++ {
		i++
	}
	return i == len(s) || s[i] == '\n' || s[i] == '\r'
}

// glue are words that may join a name to its value in a sentence without saying that the
// value is something else. Only behind such words a digest is taken for the value, since
// texts are full of digests that are no secret.
var glue = lex.WordSet(glueWords)

// glueHeads knows the first two letters of every such word, and of those that often say what was
// done with a value: the token printed in the log is ….
var glueHeads = lex.LeadingPairs(glueWords + " printed listed matches mentioned provided posted committed stored " +
	"issued hasn't received obtained exposed extracted copied given passed visible equal valid works")

var glueWords = phraseRoles[isLink] + " " + phraseRoles[isVerb] + " " + phraseRoles[isToBe] + " " +
	phraseRoles[holds] + " " + phraseRoles[reports] + " " +
	"a an are were being been become becomes got gets had have not no but any so our their his her my its it's " +
	"these those what as e.g i.e namely currently now still simply just only always actually probably again back " +
	"reads read shows show says looks like goes follows following below above begins starts started start ends " +
	"carries appears appear seems seem turned turns out left hard-coded hardcoded defaults default reset changed " +
	"updated rotated replaced created generated revoked leaked wanted asked use used uses using enter entered did do " +
	"does seen log type typed paste put try take pass send would could might may need needs new old next current " +
	"correct right actual real same one field header variable parameter setting env prod production staging dev test " +
	"today share please see code config file invalid working rejected wrong incorrect instead via then after before " +
	"such down somewhere safe secret private literally probably apparently obviously maybe perhaps exactly really " +
	"basically string text cannot can't stays remains stay comes came went course either represented rn pls gave " +
	"given sent told shared provided out them us me one " +
	"wurde auf en em als con com sul et van het voor de la le el een una un uno die der das eine"

// identifying are words that say what a value behind them is: not a credential.
var identifying = lex.WordSet("id ids uuid guid commit commits hash hashed hashes sha sha256 digest checksum " +
	"fingerprint thumbprint etag trace request cursor version public nonce revision rev build cache md5 order ticket " +
	"kid jti name called path file url uri endpoint username issuer audience subject scope arn " +
	"prefix suffix serial")

// measures are what a text counts of its name, as in "the token count".
var measures = lex.WordSet("count counts limit limits budget size length bytes bits position index")

// joiners are the words that join a value to a longer description of its name: the token listed
// in the wiki is ….
var joiners = lex.WordSet(phraseRoles[isVerb] + " " + phraseRoles[holds] + " " + phraseRoles[isToBe] +
	" reads shows says became becomes matches equal isn't wasn't")

// introduces reports whether the line that ends at i introduces the next one: it ends in a
// colon or a question mark, says below, or is a heading.
func introduces(s string, i int) bool {
	head := s[max(0, i-maxProse):i]
	head = strings.TrimRight(head[strings.LastIndexByte(head, '\n')+1:], " \r*")
	return strings.HasPrefix(head, "#") || strings.HasSuffix(head, ":") || strings.HasSuffix(head, "?") ||
		strings.HasSuffix(head, "below.")
}

// isParticiple reports whether a word behind a name says what was done with it, rather than
// making the name describe another word: the token printed, the key hasn't changed.
func isParticiple(word string) bool {
	return strings.HasSuffix(word, "ed") || strings.HasSuffix(word, "n't") || word == "shown" || joiners.Has(word)
}

// isTitle reports whether the line that ends at i is a title of at most six words: markup
// aside, they are letters and digits and nothing else.
func isTitle(s string, i int) bool {
	head := s[max(0, i-maxProse):i]
	line := strings.Trim(head[strings.LastIndexByte(head, '\n')+1:], " \r*_#=-")
	words := 1
	for k := range len(line) {
		if line[k] == ' ' {
			words++
		} else if !lex.WordChars[line[k]] && line[k] < 0x80 {
			return false
		}
	}
	return line != "" && len(line) < 48 && words <= 6
}

// isCommand reports whether the line that ends at i is a command behind a prompt, whose output
// follows.
func isCommand(s string, i int) bool {
	head := s[max(0, i-maxProse):i]
	return strings.HasPrefix(head[strings.LastIndexByte(head, '\n')+1:], "$ ")
}

// wordEnd returns the position of the space behind the word at i.
func wordEnd(s string, i int) int {
	end := min(len(s), i+maxUnquoted)
	for i < end && s[i] > ' ' {
		i++
	}
	return i
}

// openingSigns may precede a value or a word: quotes, brackets, the marks of Markdown.
var openingSigns = lex.NewClass("\"'`([<*_>#=|~/.,;:?-")

// skipSigns returns the position behind the signs at i, before to. Arrows, dashes and
// quotation marks of other scripts are signs.
func skipSigns(s string, i, to int) int {
	for i < to {
		n := 1
		switch c := s[i]; {
		case c == '<':
			n = max(1, tagLength(s[i:min(to, i+12)]))
		case openingSigns[c]:
		case c == 0xc2 && i+1 < to: // « and the like
			n = 2
		case c == 0xe2 || c == 0xe3 && i+1 < to && s[i+1] == 0x80 || c == 0xef:
			n = 3
		default:
			return i
		}
		i = min(to, i+n)
	}
	return i
}

// tagLength returns the length of the tag of an element that text begins with, or 0.
func tagLength(text string) int {
	if len(text) < 3 || text[1] != '/' && !lex.IsLetter(text[1]) {
		return 0
	}
	return strings.IndexByte(text, '>') + 1
}

// isPlainProse reports whether a word is letters, with an apostrophe, a hyphen or a full stop
// inside at most.
func isPlainProse(word string) bool {
	for i := range len(word) {
		if c := word[i]; !lex.IsLetter(c) && c < 0x80 && (c != '\'' && c != '-' && c != '.' || i == 0) {
			return false
		}
	}
	return true
}
