package safety

import "strings"

// op is how a name and its value are joined.
type op uint8

const (
	opNone   op = iota
	opTight     // name=value, no space on either side
	opLoose     // name = value, name := value, name => value
	opColon     // name: value
	opIs        // the name is value
	opComma     // f("name", "value")
	opTag       // <name>value</name>
	opBeside    // with password value I log in
	opFlag      // --token value, token (value), token → value
)

// operator reads what joins a name that ends at i to its value, and gives where
// the value starts.
func operator(s string, i int) (int, op) {
	start := i
	for i < len(s) && i < start+4 && (quote(s[i]) || s[i] == ']' || s[i] == '*' || s[i] == '\\' && i+1 < len(s) && quote(s[i+1])) {
		i++
	}
	quoted := i > start
	i = skipBlank(s, i, 20)
	if i >= len(s) {
		return 0, opNone
	}
	switch s[i] {
	case '-':
		for _, flag := range valueFlags {
			if strings.HasPrefix(s[i:], flag) {
				return opened(s, skipBlank(s, i+len(flag), 3)), opLoose
			}
		}
		return symbol(s, i, i == start)
	case ':', '=', '?', '|', '.', '+':
		return symbol(s, i, i == start)
	case ',':
		return comma(s, i+1, quoted)
	case '>':
		return skipSpace(s, i+1, 24), opTag
	case '(':
		if i == start {
			return 0, opNone // a call
		}
		return opened(s, i+1), opFlag
	case '\n', '\r':
		return attribute(s, i, quoted)
	case '<':
		return property(s, i)
	case arrow[0]:
		if strings.HasPrefix(s[i:], arrow) || strings.HasPrefix(s[i:], dash) {
			return opened(s, skipBlank(s, i+len(arrow), 3)), opFlag
		}
		return 0, opNone
	}
	return phrase(s, i, start, quoted)
}

// arrow and dash join a name and its value in notes.
const arrow, dash = "\u2192", "\u2014"

// attribute reads the value of a name that is one itself, as in YAML's list of
// variables: the next line says value: …. In a form the value follows an empty line.
func attribute(s string, i int, quoted bool) (int, op) {
	j := skipSpace(s, i, 40)
	if quoted && strings.Count(s[i:j], "\n") == 2 {
		return j, opFlag // a part of a form
	}
	if !hasFold(s, j, "value:") {
		return 0, opNone
	}
	return opened(s, skipBlank(s, j+6, 3)), opColon
}

// property reads the value of a name in a property list: <key>name</key> and
// <string>value</string>.
func property(s string, i int) (int, op) {
	if !hasFold(s, i, "</key>") {
		return 0, opNone
	}
	if j := skipSpace(s, i+6, 24); hasFold(s, j, "<string>") {
		return j + 8, opTag
	}
	return 0, opNone
}

// opened is where a value starts whose quote stands in a bracket or behind a
// letter that says how to read it, or that is a block of YAML.
func opened(s string, i int) int {
	if i >= len(s) {
		return i
	}
	switch j := i + 1; {
	case s[i] == '(' || s[i] == '[':
		if j = skipBlank(s, j, 2); j < len(s) && quote(s[j]) && s[j] != '`' {
			return j
		}
	case s[i] == '|' || s[i] == '>':
		for j < len(s) && (s[j] == '-' || s[j] == '+') {
			j++
		}
		if j < len(s) && s[j] == '\n' {
			return skipSpace(s, j, 24)
		}
	case letter(s[i]) || s[i] == '$' || s[i] == '@':
		if j < len(s) && letter(s[j]) {
			j++
		}
		if j < len(s) && quote(s[j]) && s[j] != '`' {
			return j
		}
	}
	return i
}

// typeNames stand between a name's colon and its value.
var typeNames = set("string str text bytes char secretstr varchar")

// typed is where the value starts behind a type and a sign, or i where none is.
func typed(s string, i int) int {
	to := wordish.run(s, i, 12)
	if to == i || !typeNames.has(s[i:to]) {
		return i
	}
	k := skipBlank(s, to, 3)
	if k+1 < len(s) && s[k] == '=' && s[k+1] != '=' {
		return skipBlank(s, k+1, 3)
	}
	return i
}

// comma reads "name", "value" and "name", "value": "…".
func comma(s string, i int, quoted bool) (int, op) {
	j := skipBlank(s, i, 3)
	if !quoted || j >= len(s) || !quote(s[j]) || s[j] == '`' {
		return 0, opNone
	}
	if hasFold(s, j+1, "value") && j+6 < len(s) && quote(s[j+6]) {
		if k := skipBlank(s, j+7, 3); k < len(s) && s[k] == ':' {
			return skipBlank(s, k+1, 3), opColon
		}
	}
	return j, opComma
}

// signs make up the operators.
var signs = newClass(":=?|>.+-")

// symbol reads =, :, :=, ::=, =>, ==, ?=, ||, ->, .=, += and what follows.
func symbol(s string, i int, tight bool) (int, op) {
	j := i
	for j < len(s) && j < i+4 && signs[s[j]] {
		j++
	}
	sign := s[i:j]
	if sign == "|" && j < len(s) && s[j] == ' ' {
		return skipBlank(s, j, 24), opFlag // the next cell of a table
	}
	if len(sign) > 1 && (sign[len(sign)-1] == '|' || sign[len(sign)-1] == '>') && sign[0] == ':' {
		j, sign = i+1, ":" // a block of YAML
	}
	last := sign[len(sign)-1]
	if last != '=' && last != ':' && last != '>' && sign != "||" || sign == "-->" || sign == "..." {
		return 0, opNone
	}
	k := skipSpace(s, j, 24)
	if k > j && strings.IndexByte(s[j:k], '\n') >= 0 && sign != ":" && sign != "=>" {
		return 0, opNone // an empty value, the next line is another matter
	}
	switch v := opened(s, k); {
	case sign == ":" && k == j && k < len(s) && s[k] != '"' && s[k] != '\'':
		return v, opTight
	case sign == ":":
		if t := typed(s, k); t > k {
			return opened(s, t), opLoose
		}
		return v, opColon
	case tight && k == j:
		return v, opTight
	default:
		return v, opLoose
	}
}

// phrase reads " is ", " was ", a type before =, and up to six words between a
// name and its verb: password for the staging database is ….
func phrase(s string, i, start int, quoted bool) (int, op) {
	if lower(s[i]) == 'v' && hasFold(s, i, "value=") {
		return i + 6, opLoose // an attribute beside the name's
	}
	if i > start && !quoted && i+8 <= len(s) && (quote(s[i]) || drawnStart(eight(s, i))) && beginsStrewn(s, i) {
		return i, opBeside
	}
	if i == start || quoted || i+1 >= len(s) || !allHeads.may(s[i], s[i+1]) {
		return 0, opNone
	}
	for n, heads := 0, &allHeads; n < 6; n, heads = n+1, &joinHeads {
		j := wordRun(s, i, 20)
		k := skipBlank(s, j, 3)
		if k >= len(s) || k == j {
			return 0, opNone
		}
		if heads.may(s[i], s[i+1]) {
			switch role := phraseWords.kind(s[i:j]); {
			case role&isVerb != 0:
				return settled(s, k), opIs
			case role&isToBe != 0 && beginsStrewn(s, k):
				return k, opBeside
			case role&isType != 0 && s[k] == '=':
				return symbol(s, k, false)
			case n == 0 && (role == 0 || !worthReading(s[wordish.back(s, start, 2*maxName):start])):
				return 0, opNone // asked here, since most names in prose are of nothing, and the way on is long
			}
		}
		i = k
	}
	return 0, opNone
}

// worthReading reports whether a sentence about a name may end with its value: a
// secret's, or a key's.
func worthReading(name string) bool {
	kind := judge(name)
	return kind == secret || kind == weak && (hasFold(name, len(name)-3, "key") || hasFold(name, len(name)-4, "keys"))
}

// What a word may do between a name and its value.
const (
	isLink wordKind = 1 << iota // stand before a verb
	isVerb                      // join them
	isToBe                      // join them where the value cannot be a word
	isType                      // stand before an equals sign
)

var phraseRoles = map[wordKind]string{
	isLink: "for of to in on at from by with we you i he she they it that which who used set here there now and or should will must can be has your my our the user admin root account then itself value",
	isVerb: "is was ist war lautet",
	isToBe: "to be",
	isType: "string",
}

var phraseWords = kinds(phraseRoles)

// allHeads are those of all words that phrase knows, joinHeads those that count behind
// the first.
var (
	allHeads  = headsOf(phraseRoles[isLink] + " " + phraseRoles[isVerb] + " " + phraseRoles[isToBe] + " " + phraseRoles[isType])
	joinHeads = headsOf(phraseRoles[isVerb] + " " + phraseRoles[isToBe] + " " + phraseRoles[isType])
)

// settled is where the value starts behind words that follow the verb: is now …,
// was set to ….
func settled(s string, i int) int {
	for range 3 {
		j := wordRun(s, i, 10)
		k := skipBlank(s, j, 3)
		if k == j || !settling.has(s[i:j]) {
			break
		}
		i = k
	}
	return opened(s, i)
}

var settling = set("set to now currently still just changed")

// valueFlags announce the value where a command line has named it.
var valueFlags = [...]string{"--value ", "--value=", "--body ", "--body=", "--secret-string ", "-b "}

func skipBlank(s string, i, max int) int {
	end := min(len(s), i+max)
	for i < end && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	return i
}

func skipSpace(s string, i, max int) int {
	end := min(len(s), i+max)
	for i < end && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n' || s[i] == '\r') {
		i++
	}
	return i
}
