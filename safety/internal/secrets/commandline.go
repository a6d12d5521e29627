package secrets

import (
	"strings"

	"candor/safety/internal/keyvalue"
	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// command is a program, in lower case, and the flag that carries its password or
// its token; with no flag, what stands next does.
type command struct {
	program, flag string
	glued         bool // the value stands right behind the flag
}

var commands = [...]command{
	{"sshpass ", "-p", false}, {"redis-cli ", "-a", false}, {"mysql ", "-p", true}, {"mysqldump ", "-p", true}, {"mysqladmin ", "-p", true}, {"docker login", "-p", false}, {"podman login", "-p", false},
	{"helm registry login", "-p", false}, {"az login", "-p", false}, {"unzip ", "-P", false}, {"ldapsearch ", "-w", false}, {"ldapmodify ", "-w", false}, {"keytool ", "-storepass", false},
	{"twine upload", "-p", false}, {"cargo login", "", false}, {"vault login", "", false}, {"identified by", "", false},
}

// commandLine is a password or a token that a command carries, or a statement of SQL.
func commandLine() rule.Rule {
	r := rule.Rule{
		ID: "command-secret", Specificity: rule.ByContext, Fold: true, Match: findCommand, MaxGap: 300,
		Hits: []string{"sshpass -p {a12} ssh bob@host", "sshpass -p '{a10}!' scp a b", "redis-cli -h cache -a {a16} ping", "mysql -u root -p{a12} app", "docker login -u bob -p {a16} ghcr.io",
			"unzip -P {a12} a.zip", "keytool -list -storepass {a12}", "cargo login {a32}", "vault login {a24}", "ALTER USER bob IDENTIFIED BY '{a10}';"},
		Misses: []string{"sshpass -p $PASS ssh x", "mysql -u root -p app", "mysql -p", "redis-cli -h host -p 6379", "docker login -u bob --password-stdin", "docker login -p ${TOKEN}", "vault login -method=oidc",
			"cargo login", "identified by name", "the user is identified by 'id'", "docker login, then push", "unzip -o a1.zip", "ldapsearch -W -x"},
	}
	for _, c := range commands {
		r.Keywords = append(r.Keywords, c.program)
	}
	return r
}

func findCommand(s string, at, end int) (int, int) {
	for _, c := range commands {
		if !lex.HasFold(s, at, c.program) {
			continue
		}
		i := end
		if c.flag != "" {
			i = flagValue(s, end, c)
		} else if i = lex.SkipBlank(s, end, 3); i < len(s) && s[i] == '-' {
			return 0, 0
		}
		if i <= 0 || i >= len(s) {
			return 0, 0
		}
		v := keyvalue.ReadValue(s, i)
		text := s[v.From:v.To]
		if len(text) < 4 || lex.Placeholder(text) || lex.Benign.Has(text) || keyvalue.Called(s, v.To) {
			return 0, 0
		}
		l := lex.CountChars(text)
		if quoted := v.Quoted && !v.Cut; c.flag == "" && !(l.Digit > 0 && (quoted || len(text) >= 16)) || !quoted && l.Digit == 0 && !lex.Scrambled(text) {
			return 0, 0
		}
		return v.From, v.To
	}
	return 0, 0
}

// flagValue is where the value of a command's flag starts on its line, or 0.
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
	if c.glued {
		return i
	}
	if i >= len(s) || s[i] != ' ' && s[i] != '=' {
		return 0
	}
	return lex.SkipBlank(s, i+1, 3)
}
