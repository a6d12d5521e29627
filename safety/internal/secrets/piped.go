package secrets

import (
	"strings"

	"candor/safety/internal/keyvalue"
	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// The bounds on a command that is given a password by its standard input, and on the password, in bytes.
const (
	maxPiped         = 320
	minPiped         = 4
	maxPipedPassword = 200
)

// piped finds a password that a command line prints into a program which asks for one: echo … | sudo -S. It is found
// by the command that prints, and in a here-document or a here-string by the program.
func piped() rule.Rule {
	return rule.Rule{
		ID: "piped-password", Specificity: rule.ByContext, Match: matchPiped, MaxGap: maxPiped,
		Keywords: []string{"echo ", "printf ", "sudo -", "--password-stdin", "--with-token", "chpasswd",
			"passwd --stdin", "kinit "},
		Hits: []string{
			"echo {a12} | sudo -S apt update", "echo '{a8}!' | sudo -kS ls", "printf '%s\\n' {a12} | sudo -S ls",
			"echo -n \"{a16}\" | docker login -u bob --password-stdin", "echo {a24} | gh auth login --with-token",
			"echo 'bob:{a12}' | chpasswd", "echo {a12}|passwd --stdin bob", "echo {a12} | kinit bob",
			"sudo -S ls <<< '{a12}'", "sudo -S ls <<EOF\n{a12}\nEOF", "docker login --password-stdin x <<'E'\n{a20}\nE",
			"kinit ann <<< '{a12}'", "echo {a12} | cryptsetup luksOpen /dev/sda x -", "echo {l8} | sudo --stdin ls",
		},
		Misses: []string{
			"echo $PASS | sudo -S ls", "echo \"$SUDO_PASSWORD\" | sudo -S ls", "echo \"$(cat pw)\" | sudo -S ls",
			"echo hello | sudo tee /etc/motd", "echo done && sudo -S ls", "echo {a12} | sha256sum",
			"sudo -S reads stdin", "kinit ann <<< $PASS", "echo done | sudo -S ls",
			"echo yes | sudo -S apt upgrade", "echo {a12} || sudo -S ls", "cat pw | docker login --password-stdin",
			"docker login --password-stdin < pw.txt", "sudo -u bob ls <<< {a12}", "echo '<password>' | sudo -S ls",
		},
	}
}

// matchPiped matches the password of the command line whose keyword is s[at:end].
func matchPiped(s string, at, end int) (int, int) {
	if s[at] != 'e' && s[at] != 'p' || strings.HasPrefix(s[at:], "passwd") {
		return matchHere(s, at, end)
	}
	i := lex.SkipBlank(s, end, 3)
	for i < len(s) && s[i] == '-' { // flags of echo
		i = lex.SkipBlank(s, lex.WordRun(s, i+1, 8), 3)
	}
	v := keyvalue.ReadValue(s, i)
	if s[at] == 'p' && strings.Contains(s[v.From:v.To], "%s") {
		v = keyvalue.ReadValue(s, lex.SkipBlank(s, behindValue(s, v), 3))
	}
	pipe := lex.SkipBlank(s, behindValue(s, v), 3)
	if pipe >= len(s) || s[pipe] != '|' || strings.HasPrefix(s[pipe:], "||") {
		return 0, 0
	}
	program := upToEnd(s, lex.SkipBlank(s, pipe+1, 3))
	if !readsPassword(program) {
		return 0, 0
	}
	from := v.From
	if strings.Contains(program, "chpasswd") {
		from += strings.IndexByte(s[v.From:v.To], ':') + 1
	}
	return pipedValue(s, from, v.To)
}

// behindValue returns the position behind a value and its closing quote.
func behindValue(s string, v keyvalue.Value) int {
	if v.Quoted && !v.Cut && v.To < len(s) {
		return v.To + 1
	}
	return v.To
}

// upToEnd returns a command up to the end of its line, or to the next command.
func upToEnd(s string, i int) string {
	line := s[min(i, len(s)):min(len(s), i+maxPiped/2)]
	if end := strings.IndexAny(line, "\n|;"); end >= 0 {
		line = line[:end]
	}
	return line
}

// readsPassword reports whether a program reads a password from its standard input.
func readsPassword(line string) bool {
	if strings.HasPrefix(line, "sudo ") && sudoReads(line[len("sudo "):]) {
		return true
	}
	line = strings.TrimPrefix(line, "sudo ")
	for _, program := range [...]string{"su ", "kinit", "chpasswd", "cryptsetup ", "passwd --stdin", "ssh-add -"} {
		if strings.HasPrefix(line, program) {
			return true
		}
	}
	for _, flag := range [...]string{
		"--password-stdin", "--with-token", "--passphrase-fd 0", "--stdin-password", "-pass stdin", "-passin stdin",
	} {
		if strings.Contains(line, flag) {
			return true
		}
	}
	return false
}

// sudoReads reports whether the flags of sudo say that it reads the password from its standard input.
func sudoReads(flags string) bool {
	for _, word := range strings.Fields(flags) {
		switch {
		case word == "--stdin":
			return true
		case word[0] != '-':
			return false
		case word[1:] != "" && word[1] != '-' && strings.IndexByte(word, 'S') > 0:
			return true
		}
	}
	return false
}

// matchHere matches what a here-string or a here-document gives the program whose keyword is s[at:end].
func matchHere(s string, at, end int) (int, int) {
	if strings.HasPrefix(s[at:], "sudo") && !sudoReads(upToEnd(s, at+len("sudo "))) {
		return 0, 0
	}
	line := upToEnd(s, end)
	i := strings.Index(line, "<<")
	if i < 0 {
		return 0, 0
	}
	if i += end; strings.HasPrefix(s[i:], "<<<") {
		v := keyvalue.ReadValue(s, lex.SkipBlank(s, i+3, 3))
		return pipedValue(s, v.From, v.To)
	}
	next := strings.IndexByte(s[i:min(len(s), i+40)], '\n')
	if next < 0 {
		return 0, 0
	}
	from := i + next + 1
	to := from
	for to < len(s) && to-from < maxPipedPassword && s[to] > ' ' {
		to++
	}
	if strings.HasPrefix(s[at:], "chpasswd") {
		from += strings.IndexByte(s[from:to], ':') + 1
	}
	return pipedValue(s, from, to)
}

// echoed are words that scripts print for a person to read.
var echoed = lex.WordSet("done ready hello start started finished waiting continue")

// pipedValue returns the bounds of a password, or zeros for what stands for one or is a word such as yes.
func pipedValue(s string, from, to int) (int, int) {
	if to-from < minPiped || to-from > maxPipedPassword {
		return 0, 0
	}
	text := s[from:to]
	if text[0] == '$' || strings.Contains(text, "$(") || strings.IndexByte(text, '`') >= 0 || lex.Placeholder(text) ||
		lex.Benign.Has(text) || echoed.Has(text) || strings.HasPrefix(text, lex.MarkerPrefix) {
		return 0, 0
	}
	return from, to
}
