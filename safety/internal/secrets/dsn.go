package secrets

import (
	"strings"

	"candor/safety/internal/keyvalue"
	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// dsn finds the password in a connection string or in a URL with basic
// authentication, as RFC 3986 writes it in the user information of an authority:
// scheme://user:password@host. A token in place of the user's name, which Git hosts
// accept, counts too. The rest of the URL stays readable.
//
// It once took the port and path of https://host:8080/path@v2 for a password, and
// the word "password" in the examples of many manuals.
func dsn() rule.Rule {
	return rule.Rule{
		ID: "dsn-password", Specificity: rule.ByContext, Keywords: []string{"://"}, Match: matchDSN,
		Open: isOpenDSN,
		Hits: []string{
			"postgres://app:{a12}@db.test:5432/x", "mongodb+srv://u:{a8}%40{a4}@c.test/?w=1",
			"redis://:{a16}@cache:6379/0", "https://bot:{a20}@git.test/x.git", "amqp://g:{a4}/{a4}@mq:5672",
			"https://{a30}@git.test/r.git",
		},
		Misses: []string{
			"https://host:8080/path@v2", "http://localhost:3000/@vite/client", "see https://x.test/a:b@c",
			"git://github.com/a/b", "postgres://user:password@localhost/db", "postgres://u:${PW}@h/d",
			"ssh://git@github.com/a/b.git", "redis://user:[REDACTED:dsn-password]@h",
			"db://\"user:[REDACTED:dsn-password]@h",
		},
	}
}

var (
	schemeSet = lex.NewClass("A-Za-z0-9+.-")
	userEnd   = lex.NewClass(" \t\r\n\"'`<>/?#@:\\")
	urlEnd    = lex.NewClass(" \t\r\n\"'`<>\\")
)

// Bounds on what a URL may hold, in bytes.
const (
	maxURLUser     = 128
	maxURLPassword = 256
	minURLPassword = 3
	minURLToken    = 20 // a token in place of the user's name
)

// matchDSN reads the user's name after the :// at s[at:end], and the text that follows
// it.
func matchDSN(s string, at, end int) (int, int) {
	if schemeSet.Back(s, at, 20) == at {
		return 0, 0
	}
	i := end
	for i < len(s) && i < end+maxURLUser && !userEnd[s[i]] {
		i++
	}
	if i >= len(s) || s[end] == '[' { // an IPv6 host
		return 0, 0
	}
	if i == end || s[i] == ':' {
		if from, to, _ := brokenDSN(s, at, end); to > 0 {
			return from, to
		}
	}
	switch s[i] {
	case '@':
		if user := s[end:i]; len(user) >= minURLToken && lex.Random(user) {
			return end, i
		}
		return 0, 0
	case ':':
		return passwordInURL(s, i+1)
	}
	return 0, 0
}

// passwordInURL returns the bounds of the password that starts at i, or zeros.
func passwordInURL(s string, i int) (int, int) {
	at, slash := passwordBounds(s, i)
	if at < i+minURLPassword || isPortAndPath(s, i, at, slash) {
		return 0, 0
	}
	if pw := s[i:at]; isSampleLogin(s[:i-1], pw, s[at+1:]) || isStandInPassword(pw) {
		return 0, 0
	}
	return i, at
}

// passwordBounds returns the @ that ends a password starting at i, and the first
// sign from i on that ends an authority: a slash, a question mark or a hash. Either
// is -1 if absent. A password may hold the sign unescaped, so the last @ before the
// sign counts, or else the first one behind it.
func passwordBounds(s string, i int) (at, slash int) {
	at, slash = -1, -1
	stop := min(len(s), i+maxURLPassword)
	if i >= stop || strings.IndexByte(s[i:stop], '@') < 0 { // true of nearly every URL, and quick to see
		return at, slash
	}
	for j := i; j < stop && !urlEnd[s[j]] && (at < 0 || slash < 0); j++ {
		switch c := s[j]; {
		case c == '@':
			at = j
		case slash < 0 && (c == '/' || c == '?' || c == '#'):
			slash = j
		}
	}
	return at, slash
}

// isPortAndPath reports whether only digits appear between i and the slash, and the
// @ belongs to the path: https://host:8080/path@v2.
func isPortAndPath(s string, i, at, slash int) bool {
	return slash >= 0 && slash < at && lex.Digits.Run(s, i, 6) == slash
}

// isSampleLogin reports whether the password repeats the user's name and the host is
// this machine, as manuals write it: postgres://postgres:postgres@localhost.
func isSampleLogin(before, pw, host string) bool {
	return strings.HasSuffix(before, "/"+pw) && isLocalHost(host)
}

// isStandInPassword reports whether a password is a variable, a marker or the name of
// what belongs there: user:password@, ${PW}.
func isStandInPassword(pw string) bool {
	return lex.Placeholder(pw) || len(pw) > 3 && keyvalue.KindOfWord(pw)&keyvalue.IsSecret != 0 ||
		lex.EqualFold(pw, "pwd")
}

// isLocalHost reports whether a text begins with a name of this machine.
func isLocalHost(s string) bool {
	return strings.HasPrefix(s, "localhost") || strings.HasPrefix(s, "127.0.0.1")
}
