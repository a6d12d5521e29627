package secrets

import (
	"strings"

	"candor/safety/internal/keyvalue"
	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// dsn is the password of a connection string or of a URL with basic
// authentication; the rest of the URL stays.
func dsn() rule.Rule {
	return rule.Rule{
		ID: "dsn-password", Specificity: rule.ByContext, Keywords: []string{"://"}, Match: findDSN,
		Hits: []string{
			"postgres://app:{a12}@db.test:5432/x", "mongodb+srv://u:{a8}%40{a4}@c.test/?w=1", "redis://:{a16}@cache:6379/0",
			"https://bot:{a20}@git.test/x.git", "amqp://g:{a4}/{a4}@mq:5672", "https://{a30}@git.test/r.git",
		},
		Misses: []string{
			"https://host:8080/path@v2", "http://localhost:3000/@vite/client", "see https://x.test/a:b@c", "git://github.com/a/b",
			"postgres://user:password@localhost/db", "postgres://u:${PW}@h/d", "ssh://git@github.com/a/b.git", "redis://user:[REDACTED:dsn-password]@h",
		},
	}
}

var (
	schemeSet = lex.NewClass("A-Za-z0-9+.-")
	userEnd   = lex.NewClass(" \t\r\n\"'`<>/?#@:\\")
	urlEnd    = lex.NewClass(" \t\r\n\"'`<>\\")
)

func findDSN(s string, at, end int) (int, int) {
	if schemeSet.Back(s, at, 20) == at {
		return 0, 0
	}
	i := end
	for i < len(s) && i < end+128 && !userEnd[s[i]] {
		i++
	}
	if i >= len(s) || s[end] == '[' { // an IPv6 host
		return 0, 0
	}
	switch s[i] {
	case '@':
		if user := s[end:i]; len(user) >= 20 && lex.Random(user) {
			return end, i
		}
		return 0, 0
	case ':':
		return passwordBefore(s, i+1)
	}
	return 0, 0
}

// passwordBefore is the password that starts at i and ends before the last @ of
// the authority. A password may hold a slash; host:port/path@x may not.
func passwordBefore(s string, i int) (int, int) {
	stop, at, slash := min(len(s), i+256), -1, -1
	if i >= stop || strings.IndexByte(s[i:stop], '@') < 0 {
		return 0, 0
	}
	for j := i; j < stop && !urlEnd[s[j]] && (at < 0 || slash < 0); j++ {
		switch {
		case s[j] == '@' && slash < 0:
			at = j
		case s[j] == '@' && at < 0:
			at = j
		case slash < 0 && (s[j] == '/' || s[j] == '?' || s[j] == '#'):
			slash = j
		}
	}
	if at < i+3 || slash >= 0 && slash < at && lex.Digits.Run(s, i, 6) == slash {
		return 0, 0
	}
	switch pw := s[i:at]; {
	case strings.HasSuffix(s[:i-1], "/"+pw) && localHost(s[at+1:]): // the user's name, as in many an example
		return 0, 0
	case lex.Placeholder(pw), keyvalue.KindOfWord(pw)&keyvalue.IsSecret != 0 && len(pw) > 3, lex.EqualFold(pw, "pwd"):
		return 0, 0
	}
	return i, at
}

// localHost reports whether a text begins with the name of this machine.
func localHost(s string) bool {
	return strings.HasPrefix(s, "localhost") || strings.HasPrefix(s, "127.0.0.1")
}
