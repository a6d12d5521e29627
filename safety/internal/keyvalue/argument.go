package keyvalue

import (
	"strings"

	"candor/safety/internal/lex"
)

// readBracket reads the value in the bracket at i. Right behind the name it is a call,
// whose argument counts if it is a string: setToken("…").
func readBracket(s string, i int, call bool) (int, Op) {
	if v := skipOpening(s, i+1); !call || v < len(s) && (s[v] == '"' || s[v] == '\'') {
		return v, opFlag
	}
	return 0, OpNone
}

// readBlock reads the default of a variable that is declared in the block at i, as in
// Terraform: variable "token" { default = "…" }.
func readBlock(s string, i int) (int, Op) {
	block := s[i:min(len(s), i+120)]
	if end := strings.IndexByte(block, '}'); end >= 0 {
		block = block[:end]
	}
	k := strings.Index(block, "default")
	if k < 0 {
		return 0, OpNone
	}
	if k = lex.SkipBlank(s, i+k+len("default"), 20); k < len(s) && s[k] == '=' {
		return lex.SkipBlank(s, k+1, 3), OpLoose
	}
	return 0, OpNone
}

// lineOfValue returns where the value starts on the line at i, whose key ends in "value",
// or on the line behind it, or 0: plaintext_value = "…".
func lineOfValue(s string, i int) int {
	for range 2 {
		to := lex.WordRun(s, i, 24)
		sign := lex.SkipBlank(s, to, 12)
		if to-i >= 5 && sign < len(s) && (s[sign] == '=' || s[sign] == ':') && lex.HasFold(s, to-5, "value") {
			return skipOpening(s, lex.SkipBlank(s, sign+1, 8))
		}
		if to == i || sign == len(s) || s[sign] != ':' && s[sign] != '=' {
			break // code or prose, not a list of members
		}
		end := strings.IndexByte(s[i:min(len(s), i+60)], '\n')
		if end < 0 {
			break
		}
		i = lex.SkipSpace(s, i+end, 24)
	}
	return 0
}

// namedArgument returns where the value of the argument at i starts if its name says that
// it is one, as in value: … or defaultValue: …, or 0.
func namedArgument(s string, i int) int {
	to := lex.WordRun(s, i, 20)
	if to-i < 5 || to >= len(s) || s[to] != ':' && s[to] != '=' || !lex.HasFold(s, to-5, "value") &&
		s[i:to] != "default" {
		return 0
	}
	return skipOpening(s, lex.SkipBlank(s, to+1, 3))
}

// formatArgument returns where the argument starts that fills the hole at i in a format
// that ends there, as in "token=%s", "…", or 0.
func formatArgument(s string, i int) int {
	if i+3 >= len(s) || s[i+3] != ',' || !lex.IsQuote(s[i+2]) {
		return 0 // nearly always
	}
	switch s[i : i+2] {
	case "%s", "%v", "%q", "{}":
		if k := lex.SkipBlank(s, i+4, 3); k < len(s) && lex.IsQuote(s[k]) {
			return k
		}
	}
	return 0
}

// valueFlags announce the value of a name that a command line has given before:
// gh secret set API_TOKEN --body value.
var valueFlags = [...]string{
	"--value ", "--value=", "--body ", "--body=", "--secret-string ", "-b ", "-b=", "-Value ", "--data ",
}

// readFlag reads the flag at i that announces a value, or else the sign "->".
func readFlag(s string, i int, tight bool) (int, Op) {
	for _, flag := range valueFlags {
		if strings.HasPrefix(s[i:], flag) {
			return skipOpening(s, lex.SkipBlank(s, i+len(flag), 3)), OpLoose
		}
	}
	if strings.HasPrefix(s[i:], "-b") && i+2 < len(s) && (s[i+2] == '"' || s[i+2] == '\'') {
		return i + 2, OpLoose
	}
	return readSign(s, i, tight)
}
