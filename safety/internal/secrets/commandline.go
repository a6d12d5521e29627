package secrets

import (
	"strings"

	"candor/safety/internal/keyvalue"
	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// command is a program, in lower case, and the flag that carries its password or
// its token. Without a flag the value is the next argument.
type command struct {
	program, flag string
	attached      bool // the value follows the flag without a space, as in mysql -psecret
	always        bool // any word behind the flag is a password if a program follows it that logs in
}

// commands follow each program's manual page; "identified by" is SQL's CREATE USER.
// Flags with a telling name, such as --password, belong to package keyvalue.
var commands = [...]command{
	{sshpass, "-p", false, true}, {"redis-cli ", "-a", false, false},
	{"mysql ", "-p", true, false}, {"mysqldump ", "-p", true, false}, {"mysqladmin ", "-p", true, false},
	{"docker login", "-p", false, false}, {"podman login", "-p", false, false}, {"helm registry login", "-p", false,
		false},
	{"az login", "-p", false, false}, {"unzip ", "-P", false, false}, {"ldapsearch ", "-w", false,
		false}, {"ldapmodify ", "-w", false, false},
	{"keytool ", "-storepass", false, false}, {"twine upload", "-p", false, false}, {"mongosh ", "-p", false, false},
	{"cargo login", "", false, false}, {"vault login", "", false, false}, {"identified by", "", false, false},
}

// sshpass takes its password with a space behind the flag and without.
const sshpass = "sshpass "

// commandLine finds a password or a token that a command or an SQL statement carries.
//
// It once took the database of mysql -p, which asks for the password, for the
// password itself; the port of redis-cli -p; and words of prose such as "docker
// login, then push".
func commandLine() rule.Rule {
	r := rule.Rule{
		ID: "command-secret", Specificity: rule.ByContext, Fold: true, Match: matchCommand, MaxGap: 300,
		Hits: []string{
			"sshpass -p {a12} ssh bob@host", "sshpass -p{a12} ssh h", "sshpass -p {l8} ssh h",
			"sshpass -p secretive ssh h", "mongosh -u a -p {a12}", "sshpass -p '{a10}!' scp a b",
			"redis-cli -h cache -a {a16} ping",
			"mysql -u root -p{a12} app", "docker login -u bob -p {a16} ghcr.io", "unzip -P {a12} a.zip",
			"keytool -list -storepass {a12}", "cargo login {a32}", "vault login {a24}",
			"ALTER USER bob IDENTIFIED BY '{a10}';",
		},
		Misses: []string{
			"sshpass -p $PASS ssh x", "sshpass -p reads it from there", "mysql -u root -p app", "mysql -p",
			"redis-cli -h host -p 6379",
			"docker login -u bob --password-stdin", "docker login -p ${TOKEN}", "vault login -method=oidc",
			"cargo login", "identified by name", "the user is identified by 'id'", "docker login, then push",
			"unzip -o a1.zip", "ldapsearch -W -x",
		},
	}
	for _, c := range commands {
		r.Keywords = append(r.Keywords, c.program)
	}
	return r
}

// matchCommand matches the argument of the command whose program is s[at:end].
func matchCommand(s string, at, end int) (int, int) {
	for _, c := range commands {
		if lex.HasFold(s, at, c.program) {
			return commandArgument(s, end, c)
		}
	}
	return 0, 0
}

// commandArgument returns the bounds of the secret that command c carries behind end,
// or zeros.
func commandArgument(s string, end int, c command) (int, int) {
	i := argumentStart(s, end, c)
	if i <= 0 || i >= len(s) {
		return 0, 0
	}
	v := keyvalue.ReadValue(s, i)
	text := s[v.From:v.To]
	if isStandInArgument(text) || keyvalue.Called(s, v.To) {
		return 0, 0
	}
	c.always = c.always && precedesCommand(s, v.To)
	if closed := v.Quoted && !v.Cut; !isCommandSecret(text, closed, c) {
		return 0, 0
	}
	return v.From, v.To
}

// precedesCommand reports whether a program that logs in somewhere is at i, as behind the password of sshpass.
func precedesCommand(s string, i int) bool {
	rest := strings.TrimLeft(s[i:min(len(s), i+12)], " ")
	for _, program := range [...]string{"ssh ", "scp ", "sftp ", "rsync ", "sudo ", "-o "} {
		if strings.HasPrefix(rest, program) {
			return true
		}
	}
	return false
}

// argumentStart returns where the argument of c starts, or 0: behind the flag, or behind
// the program if what follows there is not another flag.
func argumentStart(s string, end int, c command) int {
	if c.flag != "" {
		return flagValue(s, end, c)
	}
	i := lex.SkipBlank(s, end, 3)
	if i < len(s) && s[i] == '-' { // vault login -method=oidc
		return 0
	}
	return i
}

// isStandInArgument reports whether an argument is too short for a secret, a variable
// such as $PASS, or a word such as "name".
func isStandInArgument(text string) bool {
	return len(text) < 4 || lex.Placeholder(text) || lex.Benign.Has(text)
}

// isCommandSecret reports whether an argument looks like a secret. A quoted value
// behind a flag always does; a bare one needs a digit or scrambled letters. The next
// word of cargo login or IDENTIFIED BY may be prose, so it needs a digit, and the
// quotes or the length of a token.
func isCommandSecret(text string, quoted bool, c command) bool {
	digits := lex.CountChars(text).Digit > 0
	if c.flag == "" && !(digits && (quoted || len(text) >= 16)) {
		return false
	}
	return quoted || digits || c.always || lex.Scrambled(text)
}

// flagValue returns where the value of a command's flag starts on its line, or 0. It
// reads up to 160 bytes of the line.
func flagValue(s string, end int, c command) int {
	line := s[end:min(len(s), end+160)]
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	i := strings.Index(" "+line, " "+c.flag)
	if i < 0 {
		return 0
	}
	i += end + len(c.flag)
	if c.attached || c.program == sshpass && i < len(s) && s[i] > ' ' && s[i] != '=' {
		return i
	}
	if i >= len(s) || s[i] != ' ' && s[i] != '=' {
		return 0
	}
	return lex.SkipBlank(s, i+1, 3)
}

// curlUser finds the argument of curl's -u, --user and --proxy-user (curl's manual
// page): the user and the password, or a key as the user with an empty password.
//
// It once took docker run -u 1000:1000 for a login, and the colon of
// "${USER:-${DEFAULT}}" for the one before a password.
func curlUser() rule.Rule {
	return rule.Rule{
		ID: "curl-auth-user", Specificity: rule.ByContext, Match: matchCurlUser, MaxGap: 420,
		Keywords: []string{" -u ", " -u'", " -u\"", "--user ", "--user=", "--proxy-user ", "-u\t"},
		Hits: []string{
			`curl -u elastic:{a10}1 https://x.test`, `curl -s --user 'api:{a12}' https://x.test`,
			`curl -u ":{a12}" https://x.test`, `curl --user bob:'{a16}' -iX PATCH`, `curl -u {a16}: https://x.test`,
		},
		Misses: []string{
			`curl -u "${user}:${pass}"`, `curl -u "${USER:-${DEFAULT}}:${KEY:-${OTHER}}"`,
			`curl -u <user:password> https://x.test`, `curl --user "username:password"`,
			`docker run -u 1000:1000 x`, `curl -u "$USER:$PASS"`, `useradd -u 5`, `curl -u bob https://x.test`,
		},
	}
}

// Bounds on the argument, in bytes. A user's name may be a key.
const (
	maxCurlUser     = 200
	maxCurlPassword = 200
	curlLookbehind  = 400 // how far before the flag the program's name may appear
)

// matchCurlUser matches the user and the password after the flag s[at:end].
func matchCurlUser(s string, at, end int) (int, int) {
	i := lex.SkipBlank(s, end, 3)
	if i < len(s) && (s[i] == '"' || s[i] == '\'') {
		i++
	}
	if strings.HasPrefix(s[min(i, len(s)):], lex.MarkerPrefix) {
		return 0, 0
	}
	colon := curlColon(s, i)
	if colon < 0 || !strings.Contains(s[max(0, at-curlLookbehind):at], "curl") || isInsideVariable(s[i:colon]) {
		return 0, 0
	}
	from := colon + 1
	for from < len(s) && lex.IsQuote(s[from]) {
		from++
	}
	to := curlPasswordEnd(s, from)
	user, pw := s[i:colon], s[from:to]
	switch {
	case to == from && isKeyAsUser(user):
		return i, colon
	case isUserAndGroup(user, pw), isStandInArgument(pw), strings.Contains(user, "{{"):
		return 0, 0
	}
	return i, to
}

// curlColon returns the index of the colon that follows the user's name at i, or -1.
// The name may be an address, and may have quotes of its own: "bob":"…".
func curlColon(s string, i int) int {
	colon := i
	for colon < len(s) && (colon < i+maxCurlUser && !userEnd[s[colon]] || s[colon] == '@') {
		colon++
	}
	for colon+1 < len(s) && (s[colon] == '"' || s[colon] == '\'') && s[colon+1] == ':' {
		colon++
	}
	if colon >= len(s) || s[colon] != ':' {
		return -1
	}
	return colon
}

// isInsideVariable reports whether a variable is still open at the end of the user's
// name, so that the colon belongs to it: ${USER:-default}.
func isInsideVariable(user string) bool {
	open := strings.LastIndex(user, "${")
	return open >= 0 && strings.IndexByte(user[open:], '}') < 0
}

// curlPasswordEnd returns where a password that starts at from ends. Closing braces
// belong to it, so that a template such as {{ .Password }} is seen whole.
func curlPasswordEnd(s string, from int) int {
	to := from
	for to < len(s) && (to < from+maxCurlPassword && !keyvalue.BareStops[s[to]] || s[to] == '}') {
		to++
	}
	return lex.RuneStart(s, to)
}

// isKeyAsUser reports whether a user's name is an API key, as in curl -u KEY: of
// services that take the key as the user and no password.
func isKeyAsUser(user string) bool {
	return len(user) >= 8 && (lex.HasDigit(user) || lex.Scrambled(user)) && !lex.Placeholder(user)
}

// isUserAndGroup reports whether both parts are numbers: docker run -u 1000:1000.
func isUserAndGroup(user, pw string) bool {
	return lex.Digits.Run(pw, 0, len(pw)) == len(pw) && lex.Digits.Run(user, 0, 64) == len(user)
}
