package keyvalue

import (
	"strings"

	"candor/safety/internal/lex"
)

// keyChars are what a key is made of, code not.
var keyChars = lex.NewClass("A-Za-z0-9_.~+/=-")

// credible reports whether a value beside a name is a credential rather than
// prose, code or a stand-in for one.
func credible(s, name string, kind KeyKind, how Op, v Value) bool {
	text := s[v.From:v.To]
	if kind != Secret && (!lex.Random(text) && (kind != keyed || !digest(text)) || labelledDigest(text) || codeName(text) || variableName(text) || dotted(text) || keyChars.Run(text, 0, len(text)) < len(text)) {
		return false
	}
	l := lex.CountChars(text)
	if how == opBeside && !besideName(text, name, kind, v.Quoted, l) {
		return false
	}
	if how == opFlag && !announced(text, name, kind) {
		return false
	}
	if referred(s, v) || codeLike(s, name, v) || lex.Placeholder(text) || alphabet(text, l) || artifact(text) || lex.EqualFold(name, "pass") && passed(s, name, how, v) || stockWord(text) {
		return false
	}
	if kind != Secret {
		return v.Quoted || !Called(s, v.To)
	}
	if l.Digit == min(len(text), lex.Enough) {
		return passwordName(name) && len(text) >= 4
	}
	if how == OpTight && v.Quoted && s[v.From-1] == '`' && strings.IndexByte(text, ' ') > 0 {
		return false // the output of a command
	}
	if v.Quoted && how != opTag {
		return credibleQuoted(text, how, l, s[v.From-1] == '`' && !passwordName(name)) && !(path(text) && lex.ContainsFold(name, "pwd")) && !closes(s, v.From-1)
	}
	return credibleBare(s, how, v, l)
}

// stockWord is a word that stands where a secret might, and the signs around it.
func stockWord(text string) bool {
	return len(text) < 2*lex.LongestWord && lex.Benign.Has(strings.TrimLeft(strings.TrimRight(text, "!.*"), "("))
}

// oneWord is letters and nothing else, as of prose or code.
func oneWord(text string) bool {
	return lex.Classes['z'].Run(text, 0, lex.Enough) == min(len(text), lex.Enough) && !lex.Scrambled(text)
}

// passed reports whether a pass is no password but what a test did: PASS: TestX,
// or what is said behind pass: in the middle of a line.
func passed(s, name string, how Op, v Value) bool {
	if how == OpTight || v.Quoted {
		return false
	}
	return name == "PASS" || v.To < len(s) && s[v.To] == ' '
}

// digest is as long a run of hex digits as any digest, with or without hyphens.
func digest(text string) bool {
	l := lex.CountChars(text)
	return l.Hex && len(text) >= 32 && l.Digit > 0 && l.Distinct >= 8
}

// credibleQuoted: whatever stands in quotes is the value, unless it is a name
// or a sentence about one, or a word of code.
func credibleQuoted(text string, how Op, l lex.CharStats, code bool) bool {
	if l.Digit == 0 && NameLike(text) && KindOfKey(text) != Plain || strings.Contains(text, "(?") || strings.Contains(text, "[^") {
		return false // a name, or an expression to match one
	}
	if code && l.Digit == 0 && NameLike(text) && !lex.Scrambled(text) {
		return false
	}
	switch how {
	case opComma:
		return len(text) >= 8 && (l.Digit > 0 || lex.Scrambled(text)) && strings.IndexByte(text, ' ') < 0
	case opIs:
		return l.Digit > 0 || l.Other > 0 && !sentence(text) || l.Upper > 0 && l.Lower > 0 && len(text) >= 8
	}
	return len(text) >= 4 && !sentence(text) && !strings.Contains(text, "://") && !strings.HasPrefix(text, "//")
}

// closes reports whether the quote at i closes a string of code, "token is " + x,
// rather than opening one: it is odd on its line, and no value follows it.
func closes(s string, i int) bool {
	q := s[i : i+1]
	if q == "`" || i+1 >= len(s) || strings.IndexByte(" +,);.", s[i+1]) < 0 {
		return false
	}
	line := s[max(0, i-lex.Lookbehind):i]
	start := strings.LastIndexByte(line, '\n') + 1
	if start == 0 && len(line) == lex.Lookbehind { // too far to count
		return strings.HasPrefix(s[i+1:], ", ") || s[i+1] == ')' || strings.HasPrefix(s[i+1:], " + ")
	}
	line = line[start:]
	return (strings.Count(line, q)-strings.Count(line, `\`+q))%2 == 1
}

// sentence is prose in quotes: it opens with a capital, has several words and
// ends like one, or starts with a verb of instruction.
func sentence(text string) bool {
	words := strings.Count(text, " ")
	return words >= 3 && (strings.HasSuffix(text, ".") || text[0]-'A' < 26 && lex.CountChars(text).Digit == 0)
}

func credibleBare(s string, how Op, v Value, l lex.CharStats) bool {
	text := s[v.From:v.To]
	if Called(s, v.To) || expression(s, v) || how == OpColon && nested(s, v) || path(text) && !(l.Upper > 0 && l.Digit > 1 && len(text) >= 30) || strings.Contains(text, "://") || strings.HasPrefix(text, "//") {
		return false
	}
	if l.Digit == 0 && NameLike(text) && KindOfKey(text) != Plain || numeral(text) || how != OpTight && variableName(text) {
		return false
	}
	mixed := l.Digit > 0 || l.Other > 0 && !NameLike(text) || lex.Scrambled(text)
	switch how {
	case OpTight:
		return len(text) >= 4 && (mixed || !dotted(text) && len(text) >= 6)
	case OpColon:
		return len(text) >= 4 && (mixed && !selector(text, l) || len(text) >= 6 && wholeLine(s, v) && !dotted(text))
	case opTag:
		return len(text) >= 6 && strings.HasPrefix(s[lex.SkipSpace(s, v.To, 24):], "</")
	case opIs:
		return len(text) >= 5 && (l.Digit > 0 && l.Lower+l.Upper > 0 || l.Other > 0 && !NameLike(text) && l.Lower+l.Upper > 0 && mixedOther(text))
	}
	return len(text) >= 6 && mixed && !selector(text, l)
}

// nested reports whether a value is the key of the next line of YAML.
func nested(s string, v Value) bool {
	line := v.From - skippedBack(s, v.From)
	return line > 0 && s[line-1] == '\n' && v.To < len(s) && s[v.To] == ':'
}

// skippedBack is how many blanks stand before i.
func skippedBack(s string, i int) int {
	n := 0
	for n < i && n < 24 && (s[i-1-n] == ' ' || s[i-1-n] == '\t') {
		n++
	}
	return n
}

// numeral is a number as code writes it: 0x000c, -0x7f.
func numeral(text string) bool {
	text = strings.TrimPrefix(text, "-")
	return len(text) <= 18 && strings.HasPrefix(text, "0x") && lex.Classes['x'].Run(text, 2, len(text)) == len(text)
}

// variableName is the name of a key or a token in code with a number in it, as
// in testRSA2048PrivateKey; no password ends so.
func variableName(text string) bool {
	word, rest := LastWord(text)
	if !lex.IsLetter(text[0]) || identifier.Run(text, 0, len(text)) < len(text) || !lex.EqualFold(word, "key") && !lex.EqualFold(word, "token") {
		return false
	}
	return rest != "" && lex.IsUpper(word[0]) && !lex.IsUpper(word[1]) && !lex.IsUpper(rest[len(rest)-1]) && lex.CountChars(text).Digit <= 4
}

// alphabet: a set of characters to choose from.
func alphabet(text string, l lex.CharStats) bool {
	return (l.Distinct >= 26 || len(text) > lex.Enough) && lex.ContainsFold(text, "abcdefghijklmnopqrstuvwxyz")
}

// artifact is a package and its version, as behind a colon in a build file:
// jjwt-jackson-0.11.2.
func artifact(text string) bool {
	if !lex.Digits[text[len(text)-1]] && text[len(text)-1] != '.' {
		return false
	}
	i := strings.LastIndexByte(text, '-')
	if i < 1 || i+1 >= len(text) || !NameLike(text[:i]) {
		return false
	}
	version := text[i+1:]
	for k := range len(version) {
		if !lex.Digits[version[k]] && version[k] != '.' {
			return false
		}
	}
	return strings.IndexByte(version, '.') > 0
}

// mixedOther: a symbol inside the word, not only at its end.
func mixedOther(text string) bool {
	for i := 1; i+1 < len(text); i++ {
		if !lex.WordChars[text[i]] && text[i] != '.' && text[i] != '\'' && text[i] != '/' && text[i] < 0x80 {
			return true
		}
	}
	return false
}

// Called reports whether a call, an index or a member follows: code, no value.
func Called(s string, i int) bool {
	return i < len(s) && (s[i] == '(' || s[i] == '[' || s[i] == '{')
}

// expression reports whether a value is a call, an index or a composite literal
// such as yaml_token_t{ or foo(x): a bracket stands behind an identifier. Where
// digits make a password with a bracket in it as likely, the bracket must be the
// last of the value, or be closed and nothing go on behind that.
func expression(s string, v Value) bool {
	text := strings.TrimLeft(s[v.From:v.To], "&*")
	k := identifier.Run(text, 0, len(text))
	if k == 0 || k == len(text) || lex.Digits[text[0]] {
		return false
	}
	if i := strings.LastIndexByte(text[:k], '.'); i > 0 && i+1 < k && strings.IndexByte("[(+", text[k]) >= 0 && KindOfKey(text[i+1:k]) != Plain {
		return true // x.token[0], x.token + y
	}
	if text[k] != '(' && text[k] != '{' && text[k] != '[' {
		return false
	}
	if k+1 == len(text) || !lex.HasDigit(text) {
		return true
	}
	closed := v.To < len(s) && (s[v.To] == ')' || s[v.To] == ']' || s[v.To] == '}')
	return closed && (v.To+1 == len(s) || BareStops[s[v.To+1]] || Called(s, v.To+1))
}

var identifier = lex.NewClass("A-Za-z0-9_.")

// selector is code such as cfg.Token2 or f(x: a call stands in it, or it is a
// dotted path of identifiers.
func selector(text string, l lex.CharStats) bool {
	if strings.IndexByte(text, '(') >= 0 || strings.IndexByte(text, '[') >= 0 || strings.HasPrefix(text, "&") {
		return true
	}
	if !lex.IsLetter(text[0]) || len(text) >= 48 || !dotted(text) {
		return false
	}
	last := text[strings.LastIndexByte(text, '.')+1:]
	return l.Digit <= 2 || NameLike(last) && KindOfKey(last) != Plain
}

// dotted is letters, digits and underscores with a dot between.
func dotted(text string) bool {
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

// NameLike is letters with _, - or . between words.
func NameLike(text string) bool {
	for i := 0; i < len(text); i++ {
		if !lex.IsLetter(text[i]) && text[i] != '_' && text[i] != '-' && text[i] != '.' && text[i] != '\'' {
			return false
		}
	}
	return true
}

// path is a file's path, which may follow a name such as pwd or tokenFile.
func path(text string) bool {
	if text[0] != '/' && text[0] != '.' && text[0] != '~' {
		return false
	}
	for _, p := range [...]string{"/", "./", "../", "~/"} {
		if strings.HasPrefix(text, p) {
			return strings.IndexByte(text, '+') < 0 && strings.IndexByte(text, '=') < 0
		}
	}
	return false
}

// wholeLine reports whether a value ends its line and its name begins it, give
// or take indentation: a line of YAML, no prose.
func wholeLine(s string, v Value) bool {
	if v.To < len(s) && s[v.To] != '\n' {
		return false
	}
	head := s[max(0, v.From-80):v.From]
	line := strings.LastIndexByte(head, '\n') + 1
	if line == 0 && len(head) == 80 {
		return false
	}
	return strings.IndexByte(strings.Trim(head[line:], " \t-"), ' ') < 0
}

// passwordName: digits alone may be a password, but hardly a token.
func passwordName(name string) bool {
	return lex.ContainsFold(name, "pass") || lex.ContainsFold(name, "pwd") || lex.ContainsFold(name, "pin")
}
