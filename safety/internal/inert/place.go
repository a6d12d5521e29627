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
