package keyvalue

import (
	"strings"

	"candor/safety/internal/lex"
)

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
