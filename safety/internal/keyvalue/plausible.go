package keyvalue

import (
	"strings"

	"candor/safety/internal/lex"
)

// candidate is a value beside a name, with all that the predicates judge it by. It is
// passed by pointer to named functions only, never to a function value or an
// interface, so that it stays on the stack.
type candidate struct {
	s     string // the whole text
	name  string // the whole name: DB_PASSWORD
	kind  KeyKind
	op    Op
	value Value
	text  string        // s[value.From:value.To], never empty
	chars lex.CharStats // of text
}

// isPlausible reports whether a value is a credential rather than prose, code or a
// placeholder. The tests run in order: first the demands of a name that is not itself
// the name of a credential, then those of a weak operator, then everything that speaks
// against a value, then the remaining demands on each kind of value.
func isPlausible(c *candidate) bool {
	if c.kind != Secret && !isKeyMaterial(c) {
		return false
	}
	c.chars = lex.CountChars(c.text)
	switch {
	case c.op == opBeside && !isPlausibleBeside(c), c.op == opFlag && !isPlausibleFlagged(c):
		return false
	case refersToSecret(c), looksLikeCode(c), standsIn(c), isTestVerdict(c):
		return false
	case c.kind != Secret:
		return c.value.Quoted || !Called(c.s, c.value.To)
	case isNumber(c):
		return namesPassword(c.name) && len(c.text) >= 4
	case isShellCommand(c):
		return false
	case c.value.Quoted && c.op != opTag:
		return isPlausibleQuoted(c)
	}
	return isPlausibleBare(c)
}

// isKeyMaterial reports whether the value of a weak name looks like a key: generated,
// and of a key's alphabet. Behind "the API key" a digest may be a key, too. It rejects
// cache keys with a digest at their end, names in code, and dotted names.
func isKeyMaterial(c *candidate) bool {
	generated := lex.Random(c.text) || c.kind == keyed && isDigest(c.text)
	return generated && !isLabelledDigest(c.text) && !isObjectPath(c.text) && !isCodeName(c.text) &&
		!isKeyVariable(c.text) && (!isDotted(c.text) || isPair(c.text)) &&
		keyChars.Run(c.text, 0, len(c.text)) == len(c.text)
}

// isObjectPath reports whether a text is the place of an object in a store: directories, the
// first of them a word, and a name with an extension.
func isObjectPath(text string) bool {
	first, last := strings.IndexByte(text, '/'), strings.LastIndexByte(text, '/')
	return first >= 3 && lex.Classes['z'].Run(text, 0, first) == first && strings.IndexByte(text[last:], '.') > 0 &&
		lex.Pronounceable(text[:first])
}

// keyChars are the bytes of keys, as opposed to code.
var keyChars = lex.NewClass("A-Za-z0-9_.~+/=-")

// standsIn reports whether a value only fills the place of a credential: ${TOKEN},
// xxxxxxxx, required!, a list of characters, or the version of a package.
func standsIn(c *candidate) bool {
	return lex.Placeholder(c.text) || isAlphabet(c) || isArtifact(c.text) || isStockWord(c.text) ||
		isVersionedName(c.text)
}

// isVersionedName reports whether a text is the name of a variable in capitals that names a
// credential and ends in a version: SERVICE_API_KEY_V2.
func isVersionedName(text string) bool {
	end := max(0, len(text)-4)
	i := end + strings.LastIndexByte(text[end:], '_')
	return i > 0 && i >= end && (text[i+1:] != "" && text[i+1] == 'V') && isConstantName(text[:i]) &&
		KindOfKey(text[:i]) != Plain
}

// isStockWord reports whether a value, ignoring the signs around it, is a word that
// often follows a name in prose or configuration, such as required or none.
func isStockWord(text string) bool {
	if len(text) >= 2*lex.LongestWord {
		return false
	}
	return lex.Benign.Has(strings.TrimLeft(strings.TrimRight(text, "!.*"), "("))
}

// isPlainWord reports whether a value is letters and nothing else, and its case does
// not change as in a generated value.
func isPlainWord(text string) bool {
	return lex.Classes['z'].Run(text, 0, lex.StatsLimit) == min(len(text), lex.StatsLimit) && !lex.Scrambled(text)
}

// isTestVerdict reports whether "pass" is not a password but the verdict of a test, PASS:
// TestLogin, or the first word of a longer remark, pass: step-3 done.
func isTestVerdict(c *candidate) bool {
	if !lex.EqualFold(c.name, "pass") || c.op == OpTight || c.value.Quoted {
		return false
	}
	return c.name == "PASS" || c.value.To < len(c.s) && c.s[c.value.To] == ' '
}

// isNumber reports whether a value is digits only: a PIN or a password, but hardly a
// token.
func isNumber(c *candidate) bool { return c.chars.Digit == min(len(c.text), lex.StatsLimit) }

// namesPassword reports whether a name promises a password or a PIN. A person has
// chosen it, so it may be a number or look like a word.
func namesPassword(name string) bool {
	return lex.ContainsFold(name, "pass") || lex.ContainsFold(name, "pwd") || lex.ContainsFold(name, "pin")
}

// isShellCommand reports whether a value is a command in backquotes whose output the
// shell assigns: TOKEN=`cat token.txt`.
func isShellCommand(c *candidate) bool {
	return c.op == OpTight && c.value.Quoted && c.s[c.value.From-1] == '`' && strings.IndexByte(c.text, ' ') > 0
}

// isPlausibleQuoted judges a value in quotes. It is a credential unless it is a name,
// an expression, a sentence, or no value at all but the code between two strings.
func isPlausibleQuoted(c *candidate) bool {
	if namesSecret(c) || isPattern(c.text) || isQuotedIdentifier(c) {
		return false
	}
	return provesQuoted(c) && !isWorkingDirectory(c) && !closesString(c.s, c.value.From-1)
}

// provesQuoted reports whether a value in quotes has what its operator demands: the
// argument of a call and the end of a sentence need more than a value in a file.
func provesQuoted(c *candidate) bool {
	switch c.op {
	case opComma:
		return len(c.text) >= 8 && (c.chars.Digit > 0 || lex.Scrambled(c.text)) && strings.IndexByte(c.text, ' ') < 0
	case opIs:
		return c.chars.Digit > 0 || c.chars.Other > 0 && !isSentence(c.text) ||
			c.chars.Upper > 0 && c.chars.Lower > 0 && len(c.text) >= 8
	}
	return len(c.text) >= 4 && !isSentence(c.text) && !isURL(c.text)
}

// isPlausibleBare judges a value without quotes, where code and prose look most alike.
func isPlausibleBare(c *candidate) bool {
	switch {
	case Called(c.s, c.value.To), isExpression(c), isYAMLKey(c), isFile(c), isURL(c.text):
		return false
	case namesSecret(c), isHexNumber(c.text), c.op != OpTight && isKeyVariable(c.text):
		return false
	}
	return provesBare(c)
}

// provesBare reports whether a value without quotes has what its operator demands. An
// equals sign without spaces demands least; behind "name = " it may be code, behind
// "name is" a word.
func provesBare(c *candidate) bool {
	switch c.op {
	case OpTight:
		return len(c.text) >= 4 && (isMixed(c) || !isDotted(c.text) && len(c.text) >= 6)
	case OpColon:
		return len(c.text) >= 4 && (isMixed(c) && !isSelector(c) || isLineOfYAML(c))
	case opTag:
		return len(c.text) >= 6 && strings.HasPrefix(c.s[lex.SkipSpace(c.s, c.value.To, 24):], "</")
	case opIs:
		return len(c.text) >= 5 && endsSentence(c)
	}
	return len(c.text) >= 6 && isMixed(c) && !isSelector(c)
}

// isLineOfYAML reports whether a value is a word of at least six letters and the only
// one after its name on a line, password: swordfish. There it is a password.
func isLineOfYAML(c *candidate) bool { return len(c.text) >= 6 && fillsLine(c) && !isDotted(c.text) }

// isMixed reports whether a value is more than a name: it has a digit, a sign that
// names have not, or changes case as a generated value does.
func isMixed(c *candidate) bool {
	return c.chars.Digit > 0 || c.chars.Other > 0 && !NameLike(c.text) || lex.Scrambled(c.text)
}

// endsSentence reports whether the last word of "the password is …" is a credential:
// letters with a digit or with a sign inside, as in tr0ub4dor and p@ssword. A word
// with a hyphen, as in "is case-sensitive", is prose.
func endsSentence(c *candidate) bool {
	if c.chars.Lower+c.chars.Upper == 0 || isAdjective(c.text) || isOtherSubject(c) {
		return false
	}
	return c.chars.Digit > 0 || c.chars.Other > 0 && !NameLike(c.text) && hasInnerSign(c.text) ||
		len(c.text) >= 16 && lex.Scrambled(c.text) && lex.MixedCase(c.text) && isWordlessText(c.text)
}

// isWordlessText reports whether a text does not consist of words.
func isWordlessText(text string) bool {
	words, _, _ := lex.WordsIn(text)
	return words == 0
}

// isAdjective reports whether a text is a word with a hyphen that describes a value, such as
// base64-encoded.
func isAdjective(text string) bool {
	i := strings.LastIndexByte(text, '-')
	return i > 2 && lex.Classes['z'].Run(text, i+1, len(text)) == len(text) &&
		(strings.HasSuffix(text, "ed") || strings.HasSuffix(text, "bit")) && len(text)-i > 3
}

// isOtherSubject reports whether a digest belongs to what the sentence says about its name:
// the user with the expired token is ….
func isOtherSubject(c *candidate) bool {
	if !c.chars.Hex {
		return false
	}
	head := c.s[max(0, c.value.From-lex.Lookbehind):c.value.From]
	head = head[:max(0, strings.LastIndex(head, c.name))]
	i := strings.LastIndex(head, " with the ")
	return i > 0 && strings.Count(head[i+len(" with the "):], " ") <= 1
}

// hasInnerSign reports whether a sign that words do not have appears inside a value,
// not only at its ends.
func hasInnerSign(text string) bool {
	for i := 1; i+1 < len(text); i++ {
		if !lex.WordChars[text[i]] && strings.IndexByte(".'/", text[i]) < 0 && text[i] < 0x80 {
			return true
		}
	}
	return false
}

// fillsLine reports whether a value ends its line and its name begins it, indentation
// and a hyphen apart: a line of YAML, not prose.
func fillsLine(c *candidate) bool {
	if c.value.To < len(c.s) && c.s[c.value.To] != '\n' {
		return false
	}
	head := c.s[max(0, c.value.From-80):c.value.From]
	line := strings.LastIndexByte(head, '\n') + 1
	if line == 0 && len(head) == 80 {
		return false
	}
	return strings.IndexByte(strings.Trim(head[line:], " \t-"), ' ') < 0
}
