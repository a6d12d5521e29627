package keyvalue

import (
	"strings"

	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

const (
	// maxBefore is how many bytes may lie between the end of a value and the end of the name
	// behind it.
	maxBefore = 80
	// maxEarlier is how many bytes a value in front of its name may have.
	maxEarlier = 96
	// minEarlier is how many bytes it has at least.
	minEarlier = 8
	// maxFollower is how many bytes behind such a name show that the name ends there.
	maxFollower = 24
)

// matchBefore returns the credential that a sentence gives in front of its name
// s[left:right]: use … as the password, … is the API key, … # the token. The value starts
// at low or later.
func matchBefore(s string, low, left, right int) (int, int) {
	kind := kindInText(s, left, right)
	if kind != Secret && kind != keyed || !endsNoun(s, right) || belongsElsewhere(s, left, right) ||
		precedesMarker(s, low, left, right) {
		return rule.Costly, rule.Costly
	}
	w := newBackWalk(s, low, left, right)
	if !w.findValue() {
		return rule.Costly, rule.Costly
	}
	v := w.value()
	c := candidate{s: s, name: s[left:right], kind: kind, op: opFlag, value: v, text: s[v.From:v.To]}
	if right-v.To > maxBefore || len(c.text) < minEarlier || !w.admitsEarlier(&c) || !isPlausible(&c) {
		return rule.Costly, rule.Costly
	}
	return v.From, v.To
}

// followsMarker reports whether a value in front of the name s[left:right] was masked before. A
// name has one value: so a text that is cleaned again, and the stream that cleans it once, do
// not differ.
func followsMarker(s string, left, right int) bool {
	if !endsNoun(s, right) {
		return false
	}
	w := newBackWalk(s, 0, left, right)
	for n := 0; n < maxProseWords && w.previous(); n++ {
		if w.isLinked() && strings.Contains(w.word(), lex.MarkerPrefix) {
			return true
		}
		if !w.read() {
			break
		}
	}
	return false
}

// precedesMarker reports whether a value behind the name s[left:right] was masked before, on the same line or
// wherever an operator joins it to the name.
func precedesMarker(s string, low, left, right int) bool {
	if i, op := joined(s, low, left, right); op != OpNone && beginsMarker(s, i) {
		return true
	}
	rest := s[right:min(len(s), right+maxProse)]
	if end := strings.IndexByte(rest, '\n'); end >= 0 {
		rest = rest[:end]
	}
	return strings.Contains(rest, lex.MarkerPrefix)
}

// maybeBefore reports whether the name s[left:right] may follow its value: it is behind a blank
// or an opening sign, and nothing that it describes is behind it. It rules most names out at
// little cost.
func maybeBefore(s string, left, right int) bool {
	if left < 16 || s[left-1] != ' ' && strings.IndexByte("(`*$\"'", s[left-1]) < 0 {
		return false
	}
	return right+2 >= len(s) || s[right] != ' ' || !lex.IsLetter(s[right+1]) ||
		followerHeads.May(s[right+1], s[right+2])
}

// endsNoun reports whether the name that ends at right is not followed by a noun that it
// only describes, as in "the token fix".
func endsNoun(s string, right int) bool {
	i := right
	for i < len(s) && strings.IndexByte("\"'`*)_}", s[i]) >= 0 {
		i++
	}
	if i == len(s) || s[i] != ' ' {
		return i == len(s) || strings.IndexByte("\n\r<|", s[i]) >= 0 || s[i] >= 0x80 ||
			strings.IndexByte(".,;:!?", s[i]) >= 0 && (i+1 == len(s) || !lex.Alnum[s[i+1]]) // no token.go
	}
	i = lex.SkipBlank(s, i, 3)
	to := lex.WordRun(s, i, maxFollower)
	if i == to {
		return i == len(s) || strings.IndexByte("-(|\n\r#/&>", s[i]) >= 0 || s[i] >= 0x80
	}
	return followers.Has(s[i:to])
}

// StartBefore moves h back to the start of a word at the end of a text that may be the value
// of a name which is still to come, unless masked says that the word is masked anyway. A stream
// holds it back until then.
func StartBefore(s string, h int, masked func(word string) bool) int {
	next := "" // the word behind, if it is complete
	for i := len(s); i > 0 && len(s)-i <= maxBefore+2*maxFollower && s[i-1] != '\n'; {
		from := i
		for from > 0 && s[from-1] > ' ' && i-from < maxEarlier {
			from--
		}
		if word := s[from:i]; from < h && mayBeEarlier(word) && mayJoin(next) && !masked(word) {
			h = from
		}
		if next = s[from:i]; i == len(s) {
			next = ""
		}
		if i = blanksEnd(s, from); i == from {
			break // a word too long to be a value
		}
	}
	return h
}

// blanksEnd returns the end of the word before the spaces and tabs that end at i.
func blanksEnd(s string, i int) int {
	for i > 0 && (s[i-1] == ' ' || s[i-1] == '\t') {
		i--
	}
	return i
}

// mayBeEarlier reports whether a word may be a value in front of its name.
func mayBeEarlier(word string) bool { return len(word) >= minEarlier && lex.HasDigit(word) }

// mayJoin reports whether a word behind a value may begin what joins it to a name. It is true
// of the word that is not complete yet, "".
func mayJoin(word string) bool {
	word = strings.TrimLeft(word, "`*\"'$")
	return word == "" || strings.IndexByte("([|", word[0]) >= 0 || word[0] >= 0x80 || word == "of" ||
		backSigns.Has(word) || backLinks.Has(word) || backGlue.Has(word)
}

// backLinks join a value to the name behind it: use … as the password, … is the token.
var backLinks = lex.WordSet("as is was for into in at when where works be that's it's isn't wasn't like since " +
	"als como comme come jako")

// foreignLinks are such words of other scripts.
var foreignLinks = map[string]bool{"как": true, "作为": true, "です": true}

// backSigns do so, too: … # the token, … // API_KEY, … <- the password.
var backSigns = lex.WordSet("- <- <-- # // = : / == ->")

// backGlue are words that may appear between a value and the name behind it, besides the
// words right before the name that say whose it is.
var backGlue = lex.WordSet("the a an our my your his her its their this that new old right correct current real " +
	"actual valid same own hard-coded hardcoded used to be been should must could would can with it asks asked " +
	"prompted you are looks appears seems still ever what i we use uses it goes belongs header headers request " +
	"environment config vault keychain de la le el il der die das den een")

// storeWords are of commands that read a secret from a pipe: echo … | gh secret set NAME.
var storeWords = lex.WordSet("set put add create login")

// thingWords say, in front of a value, that it is something else, besides the words that
// identify.
var thingWords = lex.WordSet("pod container image node host user account file path branch tag release line port run " +
	"job step page issue pull pr msg message event session email mail name address contract block tx transaction " +
	"customer tenant project client record row item object bucket region zone table index")

// followers may follow a name that is not a part of a longer noun.
var followers = lex.WordSet(followerWords)

// followerHeads knows the first two letters of every such word.
var followerHeads = lex.LeadingPairs(followerWords)

const followerWords = "for of in on at from and or but to by with works work worked did does do was is has had " +
	"here now again yet instead we i you they he she it that which when once if because so while please twice via " +
	"until before after everywhere only field prompt parameter header input variable value as verwenden nutzen " +
	"fixed any right used use fails failed returned returns gives gave without into then"

// besideVariable returns where the value of the variable s[left:right] starts if a command
// or a table puts it directly behind the name, or 0: set -x API_TOKEN …, printenv API_TOKEN
// and its output on the next line, API_TOKEN,… in a list. The name must be one of the
// environment, in capitals; in a table the signs between the words are enough.
func besideVariable(s string, left, right int) int {
	c, name := s[right], s[left:right]
	if !besideNames[c] || c == ' ' && s[right-1] >= 'a' || strings.IndexByte(name, '_') < 1 {
		return 0 // nearly always by the first two
	}
	switch {
	case c == '\t', c == ',' && right+1 < len(s) && s[right+1] != ' ':
		return right + 1
	case c == '\n' && (strings.HasSuffix(s[:left], "printenv ") || strings.HasSuffix(s[:left], "echo $")):
		return right + 1
	case c == ' ' && lex.CountChars(name).Lower == 0:
		return hereString(s, right)
	case c == ' ' && strings.HasPrefix(s[right:], " --data-file=- <<< "):
		return right + len(" --data-file=- <<< ")
	}
	return 0
}

// besideNames are the bytes that may separate such a name from its value.
var besideNames = lex.NewClass(" \t,\n")

// hereString returns where the value behind the blank at i starts: behind <<< on the same
// line, which feeds it to a command, or else directly behind the blank if it looks
// generated.
func hereString(s string, i int) int {
	line := s[i:min(len(s), i+48)]
	if end := strings.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	if k := strings.Index(line, "<<< "); k >= 0 {
		return i + k + len("<<< ")
	}
	if i = lex.SkipBlank(s, i, 3); i+8 > len(s) || !startsGenerated(lex.Load8(s, i)) {
		return 0
	}
	return i
}
