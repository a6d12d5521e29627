package secrets

import (
	"strings"

	"candor/safety/internal/keyvalue"
	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// command is a program, in lower case, and where on its line it takes a password or a token: behind the flag or,
// without a flag, behind the given number of other words.
type command struct {
	program, flag string
	words         int
	attached      bool // the value follows the flag without a space, as in mysql -psecret
	always        bool // any word behind the flag is a password if a program follows it that logs in
	behind        byte // the password follows this sign, which ends the name of the user, as in -U ann%secret
}

// commands follow each program's manual page; "identified by" is SQL's CREATE USER.
// Flags with a telling name, such as --password, belong to package keyvalue.
var commands = commandTable(
	command{program: sshpass, flag: "-p", always: true},
	command{program: "redis-cli ", flag: "-a"},
	command{program: "mysql |mysqldump |mysqladmin |7z |7za |7zz ", flag: "-p", attached: true},
	command{program: "docker login|podman login|helm registry login|az login|twine upload|mongosh |mongodump |" +
		"mongorestore |cqlsh |ncftpput |ncftpget |netexec |crackmapexec |evil-winrm ", flag: "-p"},
	// "zip " is also the end of unzip and 7zip.
	command{program: "zip |sqlcmd |bcp |ipmitool ", flag: "-P"},
	command{program: "ldapsearch |ldapmodify |ldapadd ", flag: "-w"},
	command{program: "snmpget |snmpwalk |snmpset ", flag: "-A"},
	command{program: "openssl enc", flag: "-k"},
	command{program: "keytool ", flag: "-storepass"},
	command{program: "xfreerdp |wfreerdp ", flag: "/p:", attached: true},
	command{program: "smbclient |rpcclient |smbget |winexe |net rpc ", flag: "-U", behind: '%'},
	command{program: "lftp ", flag: "-u", behind: ','},
	command{program: "sqlplus |impdp |expdp |sqlldr |rman target ", behind: '/'},
	command{program: "htpasswd -b", words: 2},
	command{program: "htpasswd -nb|net user ", words: 1},
	command{program: "cargo login|vault login|identified by"},
)

// commandTable returns a command for each of the programs, between which an entry has a bar.
func commandTable(entries ...command) []command {
	var all []command
	for _, c := range entries {
		for program := range strings.SplitSeq(c.program, "|") {
			c.program = program
			all = append(all, c)
		}
	}
	return all
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
			"smbclient //srv/share -U corp/ann%{a10} -c ls", "rpcclient -U 'ann%{a12}' srv",
			"winexe -U ann%{a10} //srv cmd",
			"sqlplus scott/{a10}@//db:1521/xe", "sqlplus -s system/{a10}@orcl @run.sql", "sqlplus scott/{a12}",
			"impdp scott/{a10}@orcl dumpfile=x", "rman target sys/{a12}@prod", "lftp -u ann,{a10} ftp.test",
			"7z x a.7z -p{a12}", "zip -P {a10} a.zip b", "openssl enc -d -k {a12} -in a", "htpasswd -b file ann {a10}",
			"htpasswd -nb ann {a10}", "net user ann {a10} /add", "xfreerdp /u:ann /p:{a10} /v:srv",
			"sqlcmd -S srv -U sa -P {a10} -Q x", "ipmitool -I lanplus -H h -U ann -P {a10} power status",
			"snmpget -v3 -u ann -A {a12} -a SHA host",
			"crackmapexec smb srv -u ann -p {a10}", "cqlsh -u ann -p {a10} host",
		},
		Misses: []string{
			"sshpass -p $PASS ssh x", "sshpass -p reads it from there", "mysql -u root -p app", "mysql -p",
			"redis-cli -h host -p 6379",
			"docker login -u bob --password-stdin", "docker login -p ${TOKEN}", "vault login -method=oidc",
			"cargo login", "identified by name", "the user is identified by 'id'", "docker login, then push",
			"unzip -o a1.zip", "ldapsearch -W -x",
			"smbclient -L //srv1 -U ann", "smbclient //srv -U ann%$PASS", "sqlplus /nolog", "sqlplus / as sysdba",
			"sqlplus scott@db1", "rman target /", "sqlplus scott/${PASS}@db", "lftp -u ann ftp1.test",
			"net user ann /delete",
			"7z x archive1.7z", "htpasswd -b file ann", "zip -r a1.zip b", "sqlcmd -S srv1 -E", "xfreerdp /v:srv1",
			"the smbclient program", "net user interface2 design", "openssl enc -aes-256-cbc -in a1",
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
	if c.behind != 0 {
		v = behindUser(s, v, c.behind)
	}
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

// behindUser returns the part of a value that follows the name of the user and a sign, which for Oracle's programs ends
// before the name of the database. Without quotes the value is a word: a comma ends none.
func behindUser(s string, v keyvalue.Value, sign byte) keyvalue.Value {
	for !v.Quoted && v.To < len(s) && s[v.To] > ' ' {
		v.To++
	}
	_, password, _ := strings.Cut(s[v.From:v.To], string(sign))
	v.From = v.To - len(password)
	if sign == '/' {
		password, _, _ = strings.Cut(password, "@")
		v.To = v.From + len(password)
	}
	return v
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

// argumentStart returns where the argument of c starts, or 0: behind the flag, or behind the program and as many words
// as c has before it. What is a flag there is no argument, but for a program that takes the name of a user first.
func argumentStart(s string, end int, c command) int {
	if c.flag != "" {
		return flagValue(s, end, c)
	}
	i := lex.SkipBlank(s, end, 3)
	for n := c.words; i < len(s) && s[i] > ' ' && (n > 0 || c.behind != 0 && s[i] == '-'); n-- {
		for i < len(s) && i < end+160 && s[i] > ' ' {
			i++
		}
		i = lex.SkipBlank(s, i, 3)
	}
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
	if prose := c.flag == "" && c.words == 0 && c.behind == 0; prose && !(digits && (quoted || len(text) >= 16)) {
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
