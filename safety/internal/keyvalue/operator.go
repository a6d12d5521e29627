package keyvalue

import (
	"strings"

	"candor/safety/internal/lex"
)

// Op says how a name and its value are joined. It decides how much the value has to
// prove: behind an equals sign nearly anything is a value, behind "is" hardly a word.
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
	opFlag             // --token value, token (value), token → value, token holds value
)

// ReadOperator reads what joins a name that ends at i to its value. It returns where
// the value starts, past any opening quote's prefix but not past the quote, or
// [OpNone].
func ReadOperator(s string, i int) (int, Op) {
	start := i
	i = skipClosers(s, i)
	quoted := i > start
	i = lex.SkipBlank(s, i, 20)
	if i >= len(s) {
		return 0, OpNone
	}
	switch s[i] {
	case ':', '=', '?', '|', '.', '+':
		return readSign(s, i, i == start)
	case '-':
		return readFlag(s, i, i == start)
	case '!':
		return readUnequal(s, i)
	case ',':
		return readArgument(s, i+1, quoted)
	case '>':
		return lex.SkipSpace(s, i+1, 24), opTag
	case '(':
		return readBracket(s, i, i == start)
	case '{':
		return readBlock(s, i)
	case '\n', '\r':
		return readNextLine(s, i, quoted)
	case '<':
		return readAngle(s, i)
	case arrow[0], particleIs[0], particleWa[0], fullColon[0]:
		return readArrow(s, i)
	}
	if i == start {
		return 0, OpNone // a sign such as the slash of a path
	}
	return readPhrase(s, i, start, quoted)
}

// closers are the bytes that may close a name before its operator: the quote of
// "name", the bracket of x["name"], the asterisks of **name** in Markdown.
var closers = lex.NewClass("\"'`]*")

// skipClosers returns the position behind at most four closers at i. The backslash of
// an escaped quote, \", counts as one.
func skipClosers(s string, i int) int {
	end := min(len(s), i+4)
	for i < end && (closers[s[i]] || s[i] == '\\' && i+1 < len(s) && lex.IsQuote(s[i+1])) {
		i++
	}
	return i
}

// arrow and dash join a name and its value in notes: token → value.
const arrow, dash = "\u2192", "\u2014"

// particleIs, particleWa and fullColon join them in Chinese and Japanese; corner opens a
// quotation there.
const (
	particleIs = "\u662f"
	particleWa = "\u306f"
	fullColon  = "\uff1a"
	corner     = "\u3010"
)

// readArrow reads at i an arrow, a dash, or what joins a name and a value in Chinese and
// Japanese. All of them have three bytes.
func readArrow(s string, i int) (int, Op) {
	sign := s[i:min(len(s), i+len(arrow))]
	switch sign {
	case arrow, dash, particleIs, particleWa, fullColon, corner:
		return skipOpening(s, lex.SkipBlank(s, i+len(sign), 3)), opFlag
	}
	return 0, OpNone
}

// readAngle reads at i the assignment of R, token <- "…", a string of the shell that a
// command reads, <<< "…", or an entry of a property list.
func readAngle(s string, i int) (int, Op) {
	for _, sign := range [...]string{"<- ", "<<< "} {
		if strings.HasPrefix(s[i:], sign) {
			return lex.SkipBlank(s, i+len(sign), 3), OpLoose
		}
	}
	return readProperty(s, i)
}

// readUnequal reads the string that code compares a name with: token != "…".
func readUnequal(s string, i int) (int, Op) {
	j := lex.SkipBlank(s, signChars.Run(s, i+1, 2), 3)
	if i+1 < len(s) && s[i+1] == '=' && j < len(s) && (s[j] == '"' || s[j] == '\'') {
		return j, opFlag
	}
	return 0, OpNone
}

// readNextLine reads the value of a name that ends its line, at i. In YAML's list of
// environment variables, - name: DB_PASSWORD, the next line says value: …. In a
// multipart form the value follows an empty line.
func readNextLine(s string, i int, quoted bool) (int, Op) {
	j := lex.SkipSpace(s, i, 40)
	if quoted && strings.Count(s[i:j], "\n") == 2 {
		return j, opFlag // a part of a form
	}
	if lex.HasFold(s, j, "value:") {
		return skipOpening(s, lex.SkipBlank(s, j+6, 3)), OpColon
	}
	if from := lineOfValue(s, j); from > 0 {
		return from, opFlag
	}
	return 0, OpNone
}

// readProperty reads an entry of a property list: <key>name</key> and then
// <string>value</string>.
func readProperty(s string, i int) (int, Op) {
	if !lex.HasFold(s, i, "</key>") {
		return 0, OpNone
	}
	if j := lex.SkipSpace(s, i+6, 24); lex.HasFold(s, j, "<string>") {
		return j + 8, opTag
	}
	return 0, OpNone
}

// readArgument reads what follows a comma before i: the next argument of a call,
// "name", "value", or the next member of an object, "name", "value": "…".
func readArgument(s string, i int, quoted bool) (int, Op) {
	j := lex.SkipBlank(s, i, 3)
	if from := namedArgument(s, j); from > 0 && (quoted || lex.HasFold(s, j, "value:")) {
		return from, opFlag
	}
	if !quoted || j >= len(s) || !lex.IsQuote(s[j]) || s[j] == '`' {
		return 0, OpNone
	}
	for _, member := range [...]string{"value", "val"} {
		to := j + 1 + len(member)
		if !lex.HasFold(s, j+1, member) || to >= len(s) || !lex.IsQuote(s[to]) {
			continue
		}
		if k := lex.SkipBlank(s, to+1, 3); k < len(s) && s[k] == ':' {
			return lex.SkipBlank(s, k+1, 3), OpColon
		}
	}
	return j, opComma
}

// signChars make up the operators that are signs.
var signChars = lex.NewClass(":=?|>.+-")

// readSign reads the sign at i: =, :, :=, ::=, =>, ==, ===, ?=, ||, ->, .= or +=, the bar
// between two cells of a table, and the type that may follow a colon. The name is
// tight if it ends at i.
func readSign(s string, i int, tight bool) (int, Op) {
	j := signChars.Run(s, i, 4)
	sign := s[i:j]
	if sign == "|" && j < len(s) && s[j] == ' ' {
		return lex.SkipBlank(s, j, 24), opFlag // the next cell of a table
	}
	if sign == "." {
		return nextSentence(s, i)
	}
	if sign == "==" || sign == "===" {
		return lex.SkipBlank(s, j, 3), opFlag // most compare with a word that a program knows: token == "IDENTIFIER"
	}
	if isBlockSign(sign) {
		j, sign = i+1, ":"
	}
	if !assigns(sign) {
		return 0, OpNone
	}
	k := lex.SkipSpace(s, j, 24)
	if sign == ":" {
		return readColon(s, j, k)
	}
	if from := formatArgument(s, j); from > 0 {
		return from, opComma
	}
	if strings.HasPrefix(s[j:], "\\\n") {
		return skipOpening(s, lex.SkipBlank(s, j+2, 24)), OpLoose // the line goes on
	}
	if k > j && sign != "=>" && strings.IndexByte(s[j:k], '\n') >= 0 {
		return 0, OpNone // an empty value; the next line says something else
	}
	if tight && k == j {
		return skipOpening(s, k), OpTight
	}
	return skipOpening(s, k), OpLoose
}

// readColon reads the value at k behind a colon that ends at j. Without a space, and
// without a quote as in JSON, the colon counts as an equals sign: user:password.
func readColon(s string, j, k int) (int, Op) {
	if strings.HasPrefix(s[j:], "** ") {
		k = j + len("** ") // the end of **name:**
	}
	v := skipOpening(s, k)
	if k == j && k < len(s) && s[k] != '"' && s[k] != '\'' {
		return v, OpTight
	}
	if t := skipType(s, k); t > k {
		return skipOpening(s, t), OpLoose
	}
	if t := skipNode(s, k); t > k {
		return skipOpening(s, t), OpColon
	}
	return v, OpColon
}

// skipNode returns where the value starts behind the tag or the anchor of YAML at i, !!str or
// &name, or i if there is none.
func skipNode(s string, i int) int {
	if i+2 >= len(s) || s[i] != '&' && (s[i] != '!' || s[i+1] != '!') {
		return i
	}
	to := lex.WordRun(s, i+strings.LastIndexByte(s[i:i+2], s[i])+1, 24)
	if k := lex.SkipBlank(s, to, 3); k > to && k < len(s) && to > i+1 {
		return k
	}
	return i
}

// isBlockSign reports whether a sign is a colon right before the bar of a YAML block,
// as in name:|-. The bar belongs to the value.
func isBlockSign(sign string) bool {
	last := sign[len(sign)-1]
	return len(sign) > 1 && (last == '|' || last == '>') && sign[0] == ':'
}

// assigns reports whether a sign gives the name before it a value. The end of an HTML
// comment, -->, does not.
func assigns(sign string) bool {
	last := sign[len(sign)-1]
	return (last == '=' || last == ':' || last == '>' || sign == "||") && sign != "-->"
}

// typeNames may appear between the colon of a name and its value: token: string = "…".
var typeNames = lex.WordSet("string str text bytes char secretstr varchar optional")

// skipType returns where the value starts behind a type and an equals sign at i, or i
// if there is no type.
func skipType(s string, i int) int {
	head := i
	if strings.HasPrefix(s[i:], "&") {
		head = lex.SkipBlank(s, i+1, 1)
		if strings.HasPrefix(s[head:], "'static ") {
			head += len("'static ")
		}
	}
	to := lex.WordChars.Run(s, head, 12)
	if to == head || !typeNames.Has(s[head:to]) {
		return i
	}
	if to < len(s) && s[to] == '[' { // Optional[str]
		to = min(len(s), lex.WordRun(s, to+1, 12)+1)
	}
	k := lex.SkipBlank(s, to, 3)
	if k+1 < len(s) && s[k] == '=' && s[k+1] != '=' {
		return lex.SkipBlank(s, k+1, 3)
	}
	return i
}
