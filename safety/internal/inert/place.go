package inert

import (
	"regexp"
	"strings"

	"candor/safety/internal/lex"
)

// The programs that are known to run others, by how they do it.
var (
	// reserved are words of a shell's grammar. A command follows them.
	reserved = set("if then elif else fi do done while until for in case esac ! coproc function select")
	// wrappers run the command that their arguments are, behind options and numbers.
	wrappers = set("sudo doas env nohup nice ionice timeout stdbuf setsid command builtin exec time")
	// interpreters run a program that is a file, an argument, or what they read.
	interpreters     = set(interpreterWords)
	interpreterWords = "sh bash dash zsh ksh ash fish csh tcsh busybox python pypy perl ruby node nodejs deno " +
		"bun php lua tclsh expect osascript pwsh powershell cmd awk gawk mawk make"
	// executors run one of their arguments. Interpreters do.
	executors = set(interpreterWords + " " +
		"su ssh docker podman nerdctl kubectl oc xargs find watch npx npm yarn pnpm at batch crontab parallel " +
		"systemd-run chroot nsenter script flock tmux screen git source . eval exec trap alias start call")
)

// execFlags are the options whose argument is a program.
var execFlags = set("-c -e -E -x -S -r -i -lc -ic -xc -ec -exec -execdir -ok --eval --exec --execute --command --run " +
	"--rsh -Command -command -EncodedCommand -encodedcommand -enc -ec /c /C /k --entrypoint --init-file --rcfile")

// schemes are the words in front of a credential in a header.
var schemes = set("bearer basic token bot apikey digest key negotiate aws4-hmac-sha256 ssws")

// IsScheme reports whether a word stands in front of a credential in a header.
func IsScheme(w string) bool { return schemes[strings.ToLower(w)] }

// programVariables name what a program runs or loads.
var programVariables = set("PATH BASH_ENV ENV PROMPT_COMMAND PS4 LD_PRELOAD LD_LIBRARY_PATH EDITOR VISUAL PAGER " +
	"GIT_SSH GIT_SSH_COMMAND GIT_ASKPASS SSH_ASKPASS GIT_EDITOR PYTHONSTARTUP PYTHONPATH PERL5OPT RUBYOPT " +
	"NODE_OPTIONS JAVA_TOOL_OPTIONS SHELL BROWSER")

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// checkPlace returns ErrProgram if the hidden part h, in the word of c with the index at, is
// the name of a program or may be read as one.
func checkPlace(c *scanner, at int, h lex.Span) error {
	if at >= len(c.words) || c.words[at].from > h.From || c.words[at].to < h.To {
		return ErrProgram
	}
	w := c.words[at]
	lead := strip(c.s[w.from:h.From])
	switch {
	case w.target && strings.HasPrefix(c.s[h.To:], "</"):
		return nil // the text of a tag
	case w.target || lead != "" && strings.Trim(lead, "-") == "":
		return ErrBeside // the name of a file that is written, or of an option
	case isValue(lead) || !c.mayRun(at, lead):
		return nil
	}
	return ErrProgram
}

// mayRun reports whether the word with the index at, which begins with lead, is the name of a
// program or may be read as one.
func (c *scanner) mayRun(at int, lead string) bool {
	w := c.words[at]
	switch {
	case w.head == "" || c.open || execFlags[w.prev] || execFlags[lead]:
		return true
	case c.isNamed(at) || isOption(w, lead):
		return false
	}
	return w.started
}

// isNamed reports whether the word with the index at follows a name with a colon or the
// scheme of a header, unquoted.
func (c *scanner) isNamed(at int) bool {
	if at == 0 || assigns(c.words[at].prev) {
		return false
	}
	before := c.s[c.words[at-1].from:c.words[at-1].to]
	return strings.HasSuffix(before, ":") || IsScheme(strings.TrimLeft(before, `"'\`))
}

// isOption reports whether w is the value of an option, or begins with one that lead names. A
// program that starts others must say that the option is for a secret, since what follows
// any other may be what it starts.
func isOption(w word, lead string) bool {
	option := w.prev
	if strings.HasPrefix(lead, "-") {
		option = lead
	}
	switch {
	case !strings.HasPrefix(option, "-"):
		return false
	case !executors[w.head]:
		return true
	case strings.HasPrefix(w.head, "docker") || w.head == "podman" || w.head == "nerdctl":
		return secretOption.MatchString(option) || option == "-p" || option == "-u"
	}
	return secretOption.MatchString(option)
}

var secretOption = regexp.MustCompile(`^--[a-z-]*(pass|pw|token|key|secret|auth|cred)`)

// isValue reports whether what stands in front of a hidden part in its word names it, as in
// TOKEN=…, user:… and https://host/….
func isValue(lead string) bool {
	if name, _, found := strings.Cut(lead, "="); found {
		return !programVariables[strings.TrimLeft(name, "-")]
	}
	return strings.Contains(lead, ":")
}

// checkBeside returns why the text around a hidden part gives it a meaning, or nil.
func checkBeside(s string, h lex.Span) error {
	if h.From > 0 && !mayPrecede(s, h) {
		return ErrBeside
	}
	if h.To < len(s) {
		switch s[h.To] {
		case '(', '{', '[':
			return ErrBeside // a call, a function, an index
		case '=':
			if rest := strings.TrimLeft(s[h.To:], "="); rest != "" && isWord(rest[0]) {
				return ErrBeside // the name of a variable
			}
		case ':':
			if strings.HasPrefix(s[h.To:], "://") {
				return ErrBeside
			}
		}
	}
	return checkAddress(s, h)
}

// mayPrecede reports whether the character in front of a hidden part leaves it data. What
// closes a tag of XML does if another tag follows, as in <password>…</password>.
func mayPrecede(s string, h lex.Span) bool {
	switch c := s[h.From-1]; c {
	case ' ', '\t', '\n', '"', '\'', '=', ':', '/', '(', ',', '[', ';', '-', '.', '+', '~':
		return true
	case '>':
		open := strings.LastIndexByte(s[:h.From], '<')
		return open >= 0 && isTag(s[open+1:h.From-1]) && strings.HasPrefix(s[h.To:], "</")
	default:
		return isWord(c)
	}
}

// isTag reports whether s is the name of a tag.
func isTag(s string) bool {
	for i := range len(s) {
		if !isWord(s[i]) && s[i] != '-' && s[i] != ':' && s[i] != '.' {
			return false
		}
	}
	return s != ""
}

// checkAddress returns ErrAddress if a hidden part is in the host of an address, or in front
// of it with a sign that may end the host's place. A part of the user's name or password is
// followed by an @.
func checkAddress(s string, h lex.Span) error {
	start := strings.LastIndexAny(s[:h.From], " \t\n\"'`<>(),;|&") + 1
	slashes := strings.LastIndex(s[start:h.From], "//")
	if slashes < 0 || strings.ContainsAny(s[start+slashes+2:h.From], "/?#\\") {
		return nil
	}
	rest := s[h.To:]
	if end := strings.IndexAny(rest, "/?#\\ \t\n\"'`<>(),;|&"); end >= 0 {
		rest = rest[:end]
	}
	if !strings.Contains(rest, "@") || strings.ContainsAny(s[h.From:h.To], "/=") {
		return ErrAddress
	}
	return nil
}
