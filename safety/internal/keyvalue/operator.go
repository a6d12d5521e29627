package keyvalue

import (
	"strings"

	"candor/safety/internal/lex"
)

// Op is how a name and its value are joined.
type Op uint8

const (
	OpNone   Op = iota // nothing joins them
	OpTight            // name=value, no space on either side
	OpLoose            // name = value, name := value, name => value
	OpColon            // name: value
	opIs               // the name is value
	opComma            // f("name", "value")
	opTag              // <name>value</name>
	opBeside           // with password value I log in
	opFlag             // --token value, token (value), token → value
)

// ReadOperator reads what joins a name that ends at i to its value, and gives where
// the value starts.
func ReadOperator(s string, i int) (int, Op) {
	start := i
	for i < len(s) && i < start+4 && (lex.IsQuote(s[i]) || s[i] == ']' || s[i] == '*' || s[i] == '\\' && i+1 < len(s) && lex.IsQuote(s[i+1])) {
		i++
	}
	quoted := i > start
	i = lex.SkipBlank(s, i, 20)
	if i >= len(s) {
		return 0, OpNone
	}
	switch s[i] {
	case '-':
		for _, flag := range valueFlags {
			if strings.HasPrefix(s[i:], flag) {
				return opened(s, lex.SkipBlank(s, i+len(flag), 3)), OpLoose
			}
		}
		return symbol(s, i, i == start)
	case ':', '=', '?', '|', '.', '+':
		return symbol(s, i, i == start)
	case ',':
		return comma(s, i+1, quoted)
	case '>':
		return lex.SkipSpace(s, i+1, 24), opTag
	case '(':
		if i == start {
			return 0, OpNone // a call
		}
		return opened(s, i+1), opFlag
	case '\n', '\r':
		return attribute(s, i, quoted)
	case '<':
		return property(s, i)
	case arrow[0]:
		if strings.HasPrefix(s[i:], arrow) || strings.HasPrefix(s[i:], dash) {
			return opened(s, lex.SkipBlank(s, i+len(arrow), 3)), opFlag
		}
		return 0, OpNone
	}
	return phrase(s, i, start, quoted)
}

// arrow and dash join a name and its value in notes.
const arrow, dash = "\u2192", "\u2014"

// attribute reads the value of a name that is one itself, as in YAML's list of
// variables: the next line says value: …. In a form the value follows an empty line.
func attribute(s string, i int, quoted bool) (int, Op) {
	j := lex.SkipSpace(s, i, 40)
	if quoted && strings.Count(s[i:j], "\n") == 2 {
		return j, opFlag // a part of a form
	}
	if !lex.HasFold(s, j, "value:") {
		return 0, OpNone
	}
	return opened(s, lex.SkipBlank(s, j+6, 3)), OpColon
}

// property reads the value of a name in a property list: <key>name</key> and
// <string>value</string>.
func property(s string, i int) (int, Op) {
	if !lex.HasFold(s, i, "</key>") {
		return 0, OpNone
	}
	if j := lex.SkipSpace(s, i+6, 24); lex.HasFold(s, j, "<string>") {
		return j + 8, opTag
	}
	return 0, OpNone
}

// opened is where a value starts whose quote stands in a bracket or behind a
// letter that says how to read it, or that is a block of YAML.
func opened(s string, i int) int {
	if i >= len(s) {
		return i
	}
	switch j := i + 1; {
	case s[i] == '(' || s[i] == '[':
		if j = lex.SkipBlank(s, j, 2); j < len(s) && lex.IsQuote(s[j]) && s[j] != '`' {
			return j
		}
	case s[i] == '|' || s[i] == '>':
		for j < len(s) && (s[j] == '-' || s[j] == '+') {
			j++
		}
		if j < len(s) && s[j] == '\n' {
			return lex.SkipSpace(s, j, 24)
		}
	case lex.IsLetter(s[i]) || s[i] == '$' || s[i] == '@':
		if j < len(s) && lex.IsLetter(s[j]) {
			j++
		}
		if j < len(s) && lex.IsQuote(s[j]) && s[j] != '`' {
			return j
		}
	}
	return i
}

// typeNames stand between a name's colon and its value.
var typeNames = lex.WordSet("string str text bytes char secretstr varchar")

// typed is where the value starts behind a type and a sign, or i where none is.
func typed(s string, i int) int {
	to := lex.WordChars.Run(s, i, 12)
	if to == i || !typeNames.Has(s[i:to]) {
		return i
	}
	k := lex.SkipBlank(s, to, 3)
	if k+1 < len(s) && s[k] == '=' && s[k+1] != '=' {
		return lex.SkipBlank(s, k+1, 3)
	}
	return i
}

// comma reads "name", "value" and "name", "value": "…".
func comma(s string, i int, quoted bool) (int, Op) {
	j := lex.SkipBlank(s, i, 3)
	if !quoted || j >= len(s) || !lex.IsQuote(s[j]) || s[j] == '`' {
		return 0, OpNone
	}
	if lex.HasFold(s, j+1, "value") && j+6 < len(s) && lex.IsQuote(s[j+6]) {
		if k := lex.SkipBlank(s, j+7, 3); k < len(s) && s[k] == ':' {
			return lex.SkipBlank(s, k+1, 3), OpColon
		}
	}
	return j, opComma
}

// signs make up the operators.
var signs = lex.NewClass(":=?|>.+-")

// symbol reads =, :, :=, ::=, =>, ==, ?=, ||, ->, .=, += and what follows.
func symbol(s string, i int, tight bool) (int, Op) {
	j := i
	for j < len(s) && j < i+4 && signs[s[j]] {
		j++
	}
	sign := s[i:j]
	if sign == "|" && j < len(s) && s[j] == ' ' {
		return lex.SkipBlank(s, j, 24), opFlag // the next cell of a table
	}
	if len(sign) > 1 && (sign[len(sign)-1] == '|' || sign[len(sign)-1] == '>') && sign[0] == ':' {
		j, sign = i+1, ":" // a block of YAML
	}
	last := sign[len(sign)-1]
	if last != '=' && last != ':' && last != '>' && sign != "||" || sign == "-->" || sign == "..." {
		return 0, OpNone
	}
	k := lex.SkipSpace(s, j, 24)
	if k > j && strings.IndexByte(s[j:k], '\n') >= 0 && sign != ":" && sign != "=>" {
		return 0, OpNone // an empty value, the next line is another matter
	}
	switch v := opened(s, k); {
	case sign == ":" && k == j && k < len(s) && s[k] != '"' && s[k] != '\'':
		return v, OpTight
	case sign == ":":
		if t := typed(s, k); t > k {
			return opened(s, t), OpLoose
		}
		return v, OpColon
	case tight && k == j:
		return v, OpTight
	default:
		return v, OpLoose
	}
}

// phrase reads " is ", " was ", a type before =, and up to six words between a
// name and its verb: password for the staging database is ….
func phrase(s string, i, start int, quoted bool) (int, Op) {
	if lex.ToLower(s[i]) == 'v' && lex.HasFold(s, i, "value=") {
		return i + 6, OpLoose // an attribute beside the name's
	}
	if i > start && !quoted && i+8 <= len(s) && (lex.IsQuote(s[i]) || drawnStart(lex.Load8(s, i))) && beginsStrewn(s, i) {
		return i, opBeside
	}
	if i == start || quoted || i+1 >= len(s) || !allHeads.May(s[i], s[i+1]) {
		return 0, OpNone
	}
	for n, heads := 0, &allHeads; n < 6; n, heads = n+1, &joinHeads {
		j := lex.WordRun(s, i, 20)
		k := lex.SkipBlank(s, j, 3)
		if k >= len(s) || k == j {
			return 0, OpNone
		}
		if heads.May(s[i], s[i+1]) {
			switch role := phraseWords.Kind(s[i:j]); {
			case role&isVerb != 0:
				return settled(s, k), opIs
			case role&isToBe != 0 && beginsStrewn(s, k):
				return k, opBeside
			case role&isType != 0 && s[k] == '=':
				return symbol(s, k, false)
			case n == 0 && (role == 0 || !worthReading(s[lex.WordChars.Back(s, start, 2*maxName):start])):
				return 0, OpNone // asked here, since most names in prose are of nothing, and the way on is long
			}
		}
		i = k
	}
	return 0, OpNone
}

// worthReading reports whether a sentence about a name may end with its value: a
// secret's, or a key's.
func worthReading(name string) bool {
	kind := KindOfKey(name)
	return kind == Secret || kind == Weak && (lex.HasFold(name, len(name)-3, "key") || lex.HasFold(name, len(name)-4, "keys"))
}

// What a word may do between a name and its value.
const (
	isLink lex.WordKind = 1 << iota // stand before a verb
	isVerb                          // join them
	isToBe                          // join them where the value cannot be a word
	isType                          // stand before an equals sign
)

var phraseRoles = map[lex.WordKind]string{
	isLink: "for of to in on at from by with we you i he she they it that which who used set here there now and or should will must can be has your my our the user admin root account then itself value",
	isVerb: "is was ist war lautet",
	isToBe: "to be",
	isType: "string",
}

var phraseWords = lex.Kinds(phraseRoles)

// allHeads are those of all words that phrase knows, joinHeads those that count behind
// the first.
var (
	allHeads  = lex.HeadsOf(phraseRoles[isLink] + " " + phraseRoles[isVerb] + " " + phraseRoles[isToBe] + " " + phraseRoles[isType])
	joinHeads = lex.HeadsOf(phraseRoles[isVerb] + " " + phraseRoles[isToBe] + " " + phraseRoles[isType])
)

// settled is where the value starts behind words that follow the verb: is now …,
// was set to ….
func settled(s string, i int) int {
	for range 3 {
		j := lex.WordRun(s, i, 10)
		k := lex.SkipBlank(s, j, 3)
		if k == j || !settling.Has(s[i:j]) {
			break
		}
		i = k
	}
	return opened(s, i)
}

var settling = lex.WordSet("set to now currently still just changed")

// valueFlags announce the value where a command line has named it.
var valueFlags = [...]string{"--value ", "--value=", "--body ", "--body=", "--secret-string ", "-b "}
