package safety

import "strings"

// keyChars are what a key is made of, code not.
var keyChars = newClass("A-Za-z0-9_.~+/=-")

// credible reports whether a value beside a name is a credential rather than
// prose, code or a stand-in for one.
func credible(s, name string, kind sense, how op, v value) bool {
	text := s[v.from:v.to]
	if kind != secret && (!random(text) && (kind != keyed || !digest(text)) || labelledDigest(text) || codeName(text) || variableName(text) || dotted(text) || keyChars.run(text, 0, len(text)) < len(text)) {
		return false
	}
	l := look(text)
	if how == opBeside && !besideName(text, name, kind, v.quoted, l) {
		return false
	}
	if how == opFlag && !announced(text, name, kind) {
		return false
	}
	if referred(s, v) || codeLike(s, name, v) || placeholder(text) || alphabet(text, l) || artifact(text) || equalFold(name, "pass") && passed(s, name, how, v) || stockWord(text) {
		return false
	}
	if kind != secret {
		return v.quoted || !called(s, v.to)
	}
	if l.digit == min(len(text), enough) {
		return passwordName(name) && len(text) >= 4
	}
	if how == opTight && v.quoted && s[v.from-1] == '`' && strings.IndexByte(text, ' ') > 0 {
		return false // the output of a command
	}
	if v.quoted && how != opTag {
		return credibleQuoted(text, how, l, s[v.from-1] == '`' && !passwordName(name)) && !(path(text) && containsFold(name, "pwd")) && !closes(s, v.from-1)
	}
	return credibleBare(s, how, v, l)
}

// stockWord is a word that stands where a secret might, and the signs around it.
func stockWord(text string) bool {
	return len(text) < 2*longestWord && benign.has(strings.TrimLeft(strings.TrimRight(text, "!.*"), "("))
}

// oneWord is letters and nothing else, as of prose or code.
func oneWord(text string) bool {
	return classes['z'].run(text, 0, enough) == min(len(text), enough) && !scrambled(text)
}

// passed reports whether a pass is no password but what a test did: PASS: TestX,
// or what is said behind pass: in the middle of a line.
func passed(s, name string, how op, v value) bool {
	if how == opTight || v.quoted {
		return false
	}
	return name == "PASS" || v.to < len(s) && s[v.to] == ' '
}

// digest is as long a run of hex digits as any digest, with or without hyphens.
func digest(text string) bool {
	l := look(text)
	return l.hex && len(text) >= 32 && l.digit > 0 && l.distinct >= 8
}

// credibleQuoted: whatever stands in quotes is the value, unless it is a name
// or a sentence about one, or a word of code.
func credibleQuoted(text string, how op, l looks, code bool) bool {
	if l.digit == 0 && nameLike(text) && judge(text) != plain || strings.Contains(text, "(?") || strings.Contains(text, "[^") {
		return false // a name, or an expression to match one
	}
	if code && l.digit == 0 && nameLike(text) && !scrambled(text) {
		return false
	}
	switch how {
	case opComma:
		return len(text) >= 8 && (l.digit > 0 || scrambled(text)) && strings.IndexByte(text, ' ') < 0
	case opIs:
		return l.digit > 0 || l.other > 0 && !sentence(text) || l.upper > 0 && l.lower > 0 && len(text) >= 8
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
	line := s[max(0, i-before):i]
	start := strings.LastIndexByte(line, '\n') + 1
	if start == 0 && len(line) == before { // too far to count
		return strings.HasPrefix(s[i+1:], ", ") || s[i+1] == ')' || strings.HasPrefix(s[i+1:], " + ")
	}
	line = line[start:]
	return (strings.Count(line, q)-strings.Count(line, `\`+q))%2 == 1
}

// sentence is prose in quotes: it opens with a capital, has several words and
// ends like one, or starts with a verb of instruction.
func sentence(text string) bool {
	words := strings.Count(text, " ")
	return words >= 3 && (strings.HasSuffix(text, ".") || text[0]-'A' < 26 && look(text).digit == 0)
}

func credibleBare(s string, how op, v value, l looks) bool {
	text := s[v.from:v.to]
	if called(s, v.to) || expression(s, v) || how == opColon && nested(s, v) || path(text) && !(l.upper > 0 && l.digit > 1 && len(text) >= 30) || strings.Contains(text, "://") || strings.HasPrefix(text, "//") {
		return false
	}
	if l.digit == 0 && nameLike(text) && judge(text) != plain || numeral(text) || how != opTight && variableName(text) {
		return false
	}
	mixed := l.digit > 0 || l.other > 0 && !nameLike(text) || scrambled(text)
	switch how {
	case opTight:
		return len(text) >= 4 && (mixed || !dotted(text) && len(text) >= 6)
	case opColon:
		return len(text) >= 4 && (mixed && !selector(text, l) || len(text) >= 6 && wholeLine(s, v) && !dotted(text))
	case opTag:
		return len(text) >= 6 && strings.HasPrefix(s[skipSpace(s, v.to, 24):], "</")
	case opIs:
		return len(text) >= 5 && (l.digit > 0 && l.lower+l.upper > 0 || l.other > 0 && !nameLike(text) && l.lower+l.upper > 0 && mixedOther(text))
	}
	return len(text) >= 6 && mixed && !selector(text, l)
}

// nested reports whether a value is the key of the next line of YAML.
func nested(s string, v value) bool {
	line := v.from - skippedBack(s, v.from)
	return line > 0 && s[line-1] == '\n' && v.to < len(s) && s[v.to] == ':'
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
	return len(text) <= 18 && strings.HasPrefix(text, "0x") && classes['x'].run(text, 2, len(text)) == len(text)
}

// variableName is the name of a key or a token in code with a number in it, as
// in testRSA2048PrivateKey; no password ends so.
func variableName(text string) bool {
	word, rest := lastWord(text)
	if !letter(text[0]) || identifier.run(text, 0, len(text)) < len(text) || !equalFold(word, "key") && !equalFold(word, "token") {
		return false
	}
	return rest != "" && upper(word[0]) && !upper(word[1]) && !upper(rest[len(rest)-1]) && look(text).digit <= 4
}

// alphabet: a set of characters to choose from.
func alphabet(text string, l looks) bool {
	return (l.distinct >= 26 || len(text) > enough) && containsFold(text, "abcdefghijklmnopqrstuvwxyz")
}

// artifact is a package and its version, as behind a colon in a build file:
// jjwt-jackson-0.11.2.
func artifact(text string) bool {
	if !digits[text[len(text)-1]] && text[len(text)-1] != '.' {
		return false
	}
	i := strings.LastIndexByte(text, '-')
	if i < 1 || i+1 >= len(text) || !nameLike(text[:i]) {
		return false
	}
	version := text[i+1:]
	for k := range len(version) {
		if !digits[version[k]] && version[k] != '.' {
			return false
		}
	}
	return strings.IndexByte(version, '.') > 0
}

// mixedOther: a symbol inside the word, not only at its end.
func mixedOther(text string) bool {
	for i := 1; i+1 < len(text); i++ {
		if !wordish[text[i]] && text[i] != '.' && text[i] != '\'' && text[i] != '/' && text[i] < 0x80 {
			return true
		}
	}
	return false
}

// called reports whether a call, an index or a member follows: code, no value.
func called(s string, i int) bool {
	return i < len(s) && (s[i] == '(' || s[i] == '[' || s[i] == '{')
}

// expression reports whether a value is a call, an index or a composite literal
// such as yaml_token_t{ or foo(x): a bracket stands behind an identifier. Where
// digits make a password with a bracket in it as likely, the bracket must be the
// last of the value, or be closed and nothing go on behind that.
func expression(s string, v value) bool {
	text := strings.TrimLeft(s[v.from:v.to], "&*")
	k := identifier.run(text, 0, len(text))
	if k == 0 || k == len(text) || digits[text[0]] {
		return false
	}
	if i := strings.LastIndexByte(text[:k], '.'); i > 0 && i+1 < k && strings.IndexByte("[(+", text[k]) >= 0 && judge(text[i+1:k]) != plain {
		return true // x.token[0], x.token + y
	}
	if text[k] != '(' && text[k] != '{' && text[k] != '[' {
		return false
	}
	if k+1 == len(text) || !hasDigit(text) {
		return true
	}
	closed := v.to < len(s) && (s[v.to] == ')' || s[v.to] == ']' || s[v.to] == '}')
	return closed && (v.to+1 == len(s) || bareStops[s[v.to+1]] || called(s, v.to+1))
}

var identifier = newClass("A-Za-z0-9_.")

// selector is code such as cfg.Token2 or f(x: a call stands in it, or it is a
// dotted path of identifiers.
func selector(text string, l looks) bool {
	if strings.IndexByte(text, '(') >= 0 || strings.IndexByte(text, '[') >= 0 || strings.HasPrefix(text, "&") {
		return true
	}
	if !letter(text[0]) || len(text) >= 48 || !dotted(text) {
		return false
	}
	last := text[strings.LastIndexByte(text, '.')+1:]
	return l.digit <= 2 || nameLike(last) && judge(last) != plain
}

// dotted is letters, digits and underscores with a dot between.
func dotted(text string) bool {
	dot := false
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '.' && i > 0 && i+1 < len(text):
			dot = true
		case !classes['w'][text[i]]:
			return false
		}
	}
	return dot
}

// nameLike is letters with _, - or . between words.
func nameLike(text string) bool {
	for i := 0; i < len(text); i++ {
		if !letter(text[i]) && text[i] != '_' && text[i] != '-' && text[i] != '.' && text[i] != '\'' {
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
func wholeLine(s string, v value) bool {
	if v.to < len(s) && s[v.to] != '\n' {
		return false
	}
	head := s[max(0, v.from-80):v.from]
	line := strings.LastIndexByte(head, '\n') + 1
	if line == 0 && len(head) == 80 {
		return false
	}
	return strings.IndexByte(strings.Trim(head[line:], " \t-"), ' ') < 0
}

// passwordName: digits alone may be a password, but hardly a token.
func passwordName(name string) bool {
	return containsFold(name, "pass") || containsFold(name, "pwd") || containsFold(name, "pin")
}
