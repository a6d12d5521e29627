package inert

import (
	"regexp"
	"strings"

	"candor/safety/internal/lex"
)

// runWords are the names of what runs data as code, or undoes an encoding.
var runWords = set("eval xargs parallel alias trap iex getattr __import__ importlib pickle marshal " +
	"uudecode xxd unhexlify b64decode a85decode b32decode b16decode urlsafe_b64decode atob fromhex from_base64 unhex " +
	"frombase64string decompress gunzip zcat bzcat xzcat bunzip2 unxz encodedcommand sp_executesql xp_cmdshell " +
	"prompt_command execfile runpy")

// runForms are the forms of the same that are no single word. They are in lower case.
var runForms = regexp.MustCompile(strings.Join([]string{
	`\bbase(64|32) +(-\S+ +)*(-[a-z]*d|--d)`,
	`\bopenssl +(enc|base64|aes|des|cms|smime|rsautl|pkeyutl)`,
	`\bgzip +-[a-z]*d`,
	`\bexec *\(`,
	`\bexec(ute)?( +immediate\b| *\( *@| +@)`, // SQL
	`\bprepare +\S+ +from\b`,
	`(^|[^.\w])compile *\(`,
	`\bnew +function *\(`,
	`\b(system|popen|run|call|check_call|check_output|spawn\w*|exec[vl]\w*) *\( *([a-z_]\w* *[,)+%]|f["'] *\{)`,
	`[<>]\(`,
}, "|"))

// calls are what a program that an interpreter gets beside its input must not contain.
var calls = regexp.MustCompile(`\b(system|popen|subprocess|spawn|exec|eval|compile)\b`)

// runsData reports whether a text of a call runs data as code, so that a hidden part may
// become code: it calls eval or the like, pipes into an interpreter, decodes something, uses
// a variable as the name of a program, or runs a file that it writes.
func runsData(t Text) bool {
	low := strings.ToLower(t.Raw)
	for name := range strings.FieldsFuncSeq(low, func(r rune) bool { return r >= 0x80 || !isWord(byte(r)) }) {
		if runWords[name] {
			return true
		}
	}
	if runForms.MatchString(low) {
		return true
	}
	scan := split(t.Raw, t.Before)
	for i, w := range scan.words {
		if expandsToProgram(w) || readsProgram(scan.words[i:], low) {
			return true
		}
	}
	return scan.output || runsWhatItWrites(scan.words)
}

// writers are programs that write the files they are given, and outputOptions are options
// that name such a file.
var (
	writers       = set("tee cp mv ln install rsync rename truncate touch")
	outputOptions = set("-o -O --output --output-document")
)

// runsWhatItWrites reports whether a file is written and then run.
func runsWhatItWrites(words []word) bool {
	written := map[string]bool{}
	for _, w := range words {
		if w.written || writers[w.head] || outputOptions[w.prev] || strings.HasPrefix(w.text, "of=") {
			written[strings.TrimPrefix(strings.TrimPrefix(w.text, "of="), "./")] = true
		}
	}
	for _, w := range words {
		runs := w.head == "" || interpreters[w.head] || w.head == "source" || w.head == "." || w.head == "chmod"
		if runs && !w.target && written[strings.TrimPrefix(w.text, "./")] {
			return true
		}
	}
	return false
}

// expandsToProgram reports whether a word that may be the name of a program, or that of a
// script, is a variable or the output of a command.
func expandsToProgram(w word) bool {
	expands := strings.HasPrefix(w.text, "$") || strings.HasPrefix(w.text, "%") && strings.HasSuffix(w.text, "%")
	return expands && !w.target && (w.head == "" || interpreters[w.head] || execFlags[w.prev])
}

// filters are interpreters that read data if their program is an argument.
var filters = set("python pypy perl ruby node nodejs jq awk gawk mawk")

// readsProgram reports whether the first word is an interpreter that runs what it reads.
func readsProgram(words []word, low string) bool {
	w := words[0]
	name := program(w.text)
	if w.head != "" || w.target || !interpreters[name] {
		return false
	}
	if len(words) == 1 || words[1].head != name || !filters[name] {
		return w.piped || len(words) > 1 && words[1].head == name && words[1].target
	}
	if name[len(name)-1] == 'k' { // awk takes its program without an option
		return calls.MatchString(low)
	}
	option := words[1].text
	return w.piped && (option != "-c" && option != "-e" && option != "-m" || calls.MatchString(low))
}

// maxHidden bounds a hidden part, in bytes. Keys and tokens are shorter; programs in
// disguise need not be.
const maxHidden = 4096

// signs holds the bytes a hidden part may consist of. Each sign is allowed in some places
// only; see checkSigns.
var signs = func() (t [256]bool) {
	for _, c := range []byte("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_+/=.~:-") {
		t[c] = true
	}
	return t
}()

// IsInert reports whether a hidden part may contain the byte c.
func IsInert(c byte) bool { return signs[c] }

// inner are pairs of signs that have a meaning: a path to the folder above, a comment of SQL, a
// host, a hidden file.
var inner = []string{"..", "./", "/.", "--", "//", ":/", "::", "/~", ":~", "=~"}

// checkSigns returns why the hidden part h is not inert by itself, or nil. Its first
// character is a letter or digit, since a sign there would make it an option, a path, a home
// directory or a number that is added.
func checkSigns(h string) error {
	if len(h) > maxHidden {
		return ErrLong
	}
	for i := range len(h) {
		if !signs[h[i]] {
			return ErrSigns
		}
	}
	body := strings.TrimRight(h, "=") // padding
	if len(h)-len(body) > 2 || body == "" || strings.Contains(body, "=") || !isWord(body[0]) ||
		body[len(body)-1] == ':' {
		return ErrSigns
	}
	for _, pair := range inner {
		if strings.Contains(h, pair) {
			return ErrSigns
		}
	}
	if hidesText(h, maxLayers) {
		return ErrEncoded
	}
	return nil
}

// isWord reports whether c is a letter, a digit or an underscore.
func isWord(c byte) bool { return c == '_' || lex.IsLetter(c) || c-'0' < 10 }
