package inert

import (
	"strings"

	"candor/safety/internal/lex"
)

// word is a word of a text, read as a command line.
type word struct {
	from, to int
	text     string // without quotes
	prev     string // the word before it in its command
	head     string // the name of the command's program; "" if this word may be it
	target   bool   // of a redirection
	written  bool   // of one that writes
	piped    bool   // the command reads what another one writes
	started  bool   // a word before it is the name of a program that starts others
}

// scanner splits a text into words, in one pass, and knows of each whether it may be the name of a
// program. It reads every text as a command line: what is none is judged too harshly at
// worst. Quotes are taken off, since the text between them may be a command line in turn.
type scanner struct {
	s     string
	words []word
	start int // of the current word, -1 if there is none

	head, prev  string
	wrapped     bool // only programs that start another one have been named so far
	afterOption bool // of such a program; the word may belong to the option
	target      bool
	writes      bool // the redirection
	piped       bool

	starts bool // a word so far is the name of a program that starts others
	open   bool // a word that precedes the name of a program goes on behind a blank
	output bool // the output of a command is the name of a program
}

// split splits s. before are the arguments in front of it.
func split(s string, before []string) *scanner {
	c := &scanner{s: s, start: -1}
	for _, b := range before {
		c.name(strip(b))
	}
	for i := 0; i < len(s); i++ {
		switch b := s[i]; b {
		case ' ', '\t', '\r':
			c.end(i)
		case '\n':
			c.newline(i)
		case ';', ')':
			c.command(i, false)
		case '&':
			c.ampersand(i)
		case '`':
			c.output = c.output || c.head == "" && c.start < 0
			c.command(i, false)
		case '|':
			c.command(i, true)
		case '<', '>':
			c.redirect(i)
		case '(', '{':
			c.bracket(i)
		case '"', '\'':
			c.quote(i)
		default:
			c.begin(i)
		}
	}
	c.end(len(s))
	return c
}

// begin makes the byte at i part of a word.
func (c *scanner) begin(i int) {
	if c.start < 0 {
		c.start = i
	}
}

// end ends the current word, if there is one, at i.
func (c *scanner) end(i int) {
	if c.start < 0 {
		return
	}
	raw := c.s[c.start:i]
	text := strip(raw)
	c.words = append(c.words, word{c.start, i, text, c.prev, c.head, c.target, c.target && c.writes, c.piped, c.starts})
	c.start = -1
	c.open = c.open || c.head == "" && (c.target || assigns(text)) && goesOn(raw)
	if c.target {
		c.target = false
		return
	}
	c.name(text)
}

// name takes a word into account that precedes the others of its command.
func (c *scanner) name(text string) {
	if text == "" {
		return
	}
	defer func() { c.prev = text }()
	base := program(text)
	c.starts = c.starts || wrappers[base] || executors[base]
	switch {
	case c.head != "" || assigns(text) || reserved[text]:
	case wrappers[base]:
		c.wrapped = true
	case c.wrapped && text[0] == '-':
		c.afterOption = true
	case c.wrapped && (c.afterOption || lex.HasDigit(text[:1])):
		c.afterOption = false
	default:
		c.head = base
	}
}

// command ends a command at i.
func (c *scanner) command(i int, piped bool) {
	c.end(i)
	c.head, c.prev, c.wrapped, c.afterOption, c.target, c.piped = "", "", false, false, false, piped
}

// newline ends a command at i, or a word if a backslash joins the lines.
func (c *scanner) newline(i int) {
	if i > 0 && c.s[i-1] == '\\' {
		c.end(i)
		return
	}
	c.command(i, false)
}

// ampersand ends a command at i, unless it belongs to a redirection such as 2>&1.
func (c *scanner) ampersand(i int) {
	if i > 0 && (c.s[i-1] == '>' || c.s[i-1] == '<') || i+1 < len(c.s) && c.s[i+1] == '>' {
		c.end(i)
		return
	}
	c.command(i, false)
}

// redirect ends a word at the < or > at i; the next one names a file. The arrows => and ->
// are words of programming languages, and <<< passes a word on as it is.
func (c *scanner) redirect(i int) {
	if c.s[i] == '>' && i > 0 && (c.s[i-1] == '=' || c.s[i-1] == '-') {
		c.begin(i)
		return
	}
	if c.start >= 0 && strings.Trim(c.s[c.start:i], "0123456789") == "" {
		c.start = -1 // the number of the file that is redirected
	}
	c.end(i)
	c.writes = c.s[i] == '>'
	c.target = !strings.HasPrefix(c.s[max(0, i-2):i+1], "<<<")
}

// bracket begins a command at the bracket at i where a shell would, which is not in the
// middle of a command, except after one of $<>=.
func (c *scanner) bracket(i int) {
	switch {
	case c.s[i] == '(' && i > 0 && strings.IndexByte("$<>=", c.s[i-1]) >= 0, c.head == "" && c.start < 0:
		c.command(i, false)
	case c.s[i] == '(':
		c.end(i)
	default:
		c.begin(i)
	}
}

// quote begins a command at the quote at i if a program reads what is quoted as one.
func (c *scanner) quote(i int) {
	if c.start < 0 && (executors[c.head] || execFlags[c.prev]) {
		c.command(i, false)
	}
	c.begin(i)
}

// goesOn reports whether a word ends within quotes or brackets.
func goesOn(raw string) bool {
	count := func(sign string) int { return strings.Count(raw, sign) }
	return count(`"`)%2+count(`'`)%2 > 0 || count("{") != count("}") || count("[") != count("]") ||
		strings.HasSuffix(raw, `\`)
}

// strip removes quotes and backslashes from a word.
func strip(w string) string { return unquote.Replace(w) }

var unquote = strings.NewReplacer(`"`, "", `'`, "", `\`, "")

// assigns reports whether a word sets a variable.
func assigns(w string) bool {
	name, _, found := strings.Cut(w, "=")
	name = strings.TrimSuffix(name, "+")
	if !found || name == "" || name[0]-'0' < 10 {
		return false
	}
	for i := range len(name) {
		if !isWord(name[i]) {
			return false
		}
	}
	return true
}

// program returns the name of the program that a word starts, without its folder, version
// and the ending of Windows, in lower case.
func program(w string) string {
	w = strings.ToLower(w[strings.LastIndexAny(w, `/\`)+1:])
	w = strings.TrimSuffix(w, ".exe")
	if bare := strings.TrimRight(w, "0123456789."); bare != "" {
		return bare
	}
	return w
}
