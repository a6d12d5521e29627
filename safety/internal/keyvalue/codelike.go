package keyvalue

import (
	"strings"

	"candor/safety/internal/lex"
)

// looksLikeCode reports whether a value is a name out of code or a path rather than a
// credential: words, joined as code joins them, without a digit. Words joined by
// hyphens may be a passphrase, and in quotes any words may be a password.
func looksLikeCode(c *candidate) bool {
	if lex.HasDigit(c.text) {
		return false
	}
	words, hyphen, slash := lex.WordsIn(c.text)
	switch {
	case words < 2:
		return false
	case slash, isConstantName(c.text):
		return true
	case hyphen || c.value.Quoted:
		return !namesPassword(c.name) && !lex.ContainsFold(c.name, "secret")
	}
	return true
}

// isConstantName reports whether a value is a name in capitals with an underscore, as
// of a variable of the environment: PASSWORD=STORE_LOGIN_DEFAULT.
func isConstantName(text string) bool {
	for i := range len(text) {
		if !lex.IsUpper(text[i]) && text[i] != '_' {
			return false
		}
	}
	return strings.IndexByte(text, '_') > 0
}

// isCodeName reports whether a value is a name of three words or more with at most
// two digits, as s3_use_region_endpoint.
func isCodeName(text string) bool {
	if identifierChars.Run(text, 0, len(text)) < len(text) && lex.WordChars.Run(text, 0, len(text)) < len(text) {
		return false
	}
	chars := lex.CountChars(text)
	if chars.Digit > 2 || !lex.IsLetter(text[0]) {
		return false
	}
	words, _, _ := lex.WordsIn(text)
	return words > 2
}

// isKeyVariable reports whether a value is the name of a key or a token in code, with
// a number in it that makes it look random: testRSA2048PrivateKey.
func isKeyVariable(text string) bool {
	if !lex.IsLetter(text[0]) || identifierChars.Run(text, 0, len(text)) < len(text) {
		return false
	}
	word, rest := LastWord(text)
	if !lex.EqualFold(word, "key") && !lex.EqualFold(word, "token") || rest == "" {
		return false
	}
	capitalised := lex.IsUpper(word[0]) && !lex.IsUpper(word[1])
	return capitalised && !lex.IsUpper(rest[len(rest)-1]) && lex.CountChars(text).Digit <= 4
}

// namesSecret reports whether a value is itself the name of a credential, as in
// password = "api_token".
func namesSecret(c *candidate) bool {
	return c.chars.Digit == 0 && NameLike(c.text) && KindOfKey(c.text) != Plain
}

// isPattern reports whether a value is a regular expression that matches credentials.
func isPattern(text string) bool { return strings.Contains(text, "(?") || strings.Contains(text, "[^") }

// isQuotedIdentifier reports whether a value is a word of code in the backquotes of
// Markdown. A password there may be any word.
func isQuotedIdentifier(c *candidate) bool {
	return c.s[c.value.From-1] == '`' && !namesPassword(c.name) &&
		c.chars.Digit == 0 && NameLike(c.text) && !lex.Scrambled(c.text)
}

// closesString reports whether the quote at i closes a string of code, as in "token is
// " + x, rather than opening one: it is the second, fourth, … of its line, and no
// value follows it. Where the line is too long to count its quotes, what follows alone
// decides.
func closesString(s string, i int) bool {
	quote := s[i : i+1]
	if quote == "`" || i+1 >= len(s) || strings.IndexByte(" +,);.", s[i+1]) < 0 {
		return false
	}
	line := s[max(0, i-lex.Lookbehind):i]
	start := strings.LastIndexByte(line, '\n') + 1
	if start == 0 && len(line) == lex.Lookbehind {
		return strings.HasPrefix(s[i+1:], ", ") || s[i+1] == ')' || strings.HasPrefix(s[i+1:], " + ")
	}
	line = line[start:]
	return (strings.Count(line, quote)-strings.Count(line, `\`+quote))%2 == 1
}

// isSentence reports whether a quoted text is prose: four words or more that end with
// a full stop, or begin with a capital and hold no digit.
func isSentence(text string) bool {
	spaces := strings.Count(text, " ")
	return spaces >= 3 && (strings.HasSuffix(text, ".") || lex.IsUpper(text[0]) && lex.CountChars(text).Digit == 0)
}

// isYAMLKey reports whether a value behind a colon is the key of the next line:
//
//	password:
//	  length: 12
func isYAMLKey(c *candidate) bool {
	if c.op != OpColon {
		return false
	}
	line := c.value.From - blanksBefore(c.s, c.value.From)
	return line > 0 && c.s[line-1] == '\n' && c.value.To < len(c.s) && c.s[c.value.To] == ':'
}

// blanksBefore counts the spaces and tabs before i, up to 24.
func blanksBefore(s string, i int) int {
	n := 0
	for n < i && n < 24 && (s[i-1-n] == ' ' || s[i-1-n] == '\t') {
		n++
	}
	return n
}

// isHexNumber reports whether a value is a number as code writes it: 0x000c, -0x7f.
func isHexNumber(text string) bool {
	text = strings.TrimPrefix(text, "-")
	return len(text) <= 18 && strings.HasPrefix(text, "0x") && lex.Classes['x'].Run(text, 2, len(text)) == len(text)
}

// isAlphabet reports whether a value is a set of characters to draw from: the alphabet in
// both cases. The alphabet in one case may be a key that somebody made up.
func isAlphabet(c *candidate) bool {
	const alphabet = "abcdefghijklmnopqrstuvwxyz"
	if len(c.text) < 2*len(alphabet) {
		return false
	}
	i := strings.Index(c.text, alphabet)
	return i >= 0 && (lex.ContainsFold(c.text[:i], alphabet) || lex.ContainsFold(c.text[i+len(alphabet):], alphabet))
}

// Called reports whether a bracket is at i. After a value, a bracket shows that the
// value is code: a call, an index or a literal.
func Called(s string, i int) bool {
	return i < len(s) && (s[i] == '(' || s[i] == '[' || s[i] == '{')
}

// isExpression reports whether a value is a call, an index or a composite literal, that
// is an identifier followed by a bracket: yaml_token_t{ or foo(x). If the value has a
// digit, it could as well be a password that contains a bracket; then the bracket must
// be the last byte of the value, or be closed with nothing after it.
func isExpression(c *candidate) bool {
	text := strings.TrimLeft(c.text, "&*")
	k := identifierChars.Run(text, 0, len(text))
	if k == 0 || k == len(text) || lex.Digits[text[0]] {
		return false
	}
	if isMemberUse(text, k) {
		return true
	}
	if text[k] != '(' && text[k] != '{' && text[k] != '[' {
		return false
	}
	return k+1 == len(text) || !lex.HasDigit(text) || closesExpression(c.s, c.value.To)
}

// isMemberUse reports whether code uses a member that is named for a credential:
// x.token[0], x.token + y. The identifier ends at k.
func isMemberUse(text string, k int) bool {
	i := strings.LastIndexByte(text[:k], '.')
	return i > 0 && i+1 < k && strings.IndexByte("[(+", text[k]) >= 0 && KindOfKey(text[i+1:k]) != Plain
}

// closesExpression reports whether a closing bracket is at i and ends the expression
// before it.
func closesExpression(s string, i int) bool {
	if i >= len(s) || s[i] != ')' && s[i] != ']' && s[i] != '}' {
		return false
	}
	return i+1 == len(s) || BareStops[s[i+1]] || Called(s, i+1)
}

// identifierChars are the bytes of names in code and of paths of names.
var identifierChars = lex.NewClass("A-Za-z0-9_.")

// isSelector reports whether a value is code such as cfg.Token2 or f(x: it contains a
// bracket, or is a dotted path of identifiers.
func isSelector(c *candidate) bool {
	if strings.IndexByte(c.text, '(') >= 0 || strings.IndexByte(c.text, '[') >= 0 || strings.HasPrefix(c.text, "&") {
		return true
	}
	if !lex.IsLetter(c.text[0]) || len(c.text) >= 48 || !isDotted(c.text) {
		return false
	}
	last := c.text[strings.LastIndexByte(c.text, '.')+1:]
	return c.chars.Digit <= 2 || NameLike(last) && KindOfKey(last) != Plain
}

// isDotted reports whether a value is letters, digits and underscores with a dot
// between: config.Password.
func isDotted(text string) bool {
	dot := false
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '.' && i > 0 && i+1 < len(text):
			dot = true
		case !lex.Classes['w'][text[i]]:
			return false
		}
	}
	return dot
}

// NameLike reports whether a text is letters and the signs that join words in names:
// underscores, hyphens, dots and apostrophes.
func NameLike(text string) bool {
	for i := 0; i < len(text); i++ {
		if !lex.IsLetter(text[i]) && text[i] != '_' && text[i] != '-' && text[i] != '.' && text[i] != '\'' {
			return false
		}
	}
	return true
}
