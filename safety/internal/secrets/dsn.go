package secrets

import (
	"strings"

	"candor/safety/internal/decode"
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

// maxBreaks is how many line ends may break a connection string before its host.
const maxBreaks = 3

// brokenDSN returns the bounds of the password in a connection string that is broken over
// lines before its host, given its :// at s[at:end]: behind the scheme, in the password, or in
// front of the @. The result is zeros if there is none; open reports whether that may be
// because s ends early.
//
//	postgres://app:\
//	  s3cr3t@db/x
//
// A URL is often followed by a line with an @ in it, so the two parts must make a login: the
// scheme is that of no web page, the user is no host, the text behind the colon no port, and
// what follows the @ a host.
func brokenDSN(s string, at, end int) (from, to int, open bool) {
	if isWebScheme(s[schemeSet.Back(s, at, 20):at]) {
		return 0, 0, false
	}
	colon, breaks := -1, 0
	for i := end; i < len(s) && i < end+maxURLUser+maxURLPassword; i++ {
		switch c := s[i]; {
		case c == '@':
			return passwordUpTo(s, colon, i, breaks)
		case c == ':' && colon < 0:
			colon = i
		case strings.IndexByte("/?#", c) >= 0 || c == '.' && colon < 0 || breaks > maxBreaks:
			return 0, 0, false
		case urlEnd[c]:
			next := i
			if next, open = lineBreak(s, end, colon, i); next == i {
				return 0, 0, open
			}
			i, breaks = next-1, breaks+1
		}
	}
	return 0, 0, len(s) < end+maxURLUser+maxURLPassword
}

// passwordUpTo returns the bounds of the password between the colon and the @ at index at, if
// there was a line end before it and a host follows.
func passwordUpTo(s string, colon, at, breaks int) (from, to int, open bool) {
	if colon < 0 || breaks == 0 || at-colon <= minBrokenPassword || !isHost(s, at+1) {
		return 0, 0, at+1 == len(s)
	}
	if from = afterBreak(s, colon+1); isMarker(s[from:at]) {
		return 0, 0, false
	}
	return from, at, false
}

// isMarker reports whether a password is a marker of ours and nothing else.
func isMarker(v string) bool {
	return strings.HasPrefix(v, lex.MarkerPrefix) && strings.IndexByte(v, ']') == len(v)-1
}

// lineBreak returns where the login that starts at end goes on behind a line end at i, or i if
// there is none, an empty line follows, or a port or the user's name precedes it; open reports
// whether that may be because s ends early.
func lineBreak(s string, end, colon, i int) (next int, open bool) {
	if isPort(s[colon+1:i]) || i > end && colon < 0 {
		return i, false
	}
	kind, next := decode.SkipJoint(s, i)
	if kind == decode.JointNone || kind == decode.JointSpace {
		return i, next >= len(s)
	}
	if strings.Count(s[i:next], "\n") > 1 {
		return i, false
	}
	return next, false
}

// isOpenDSN reports whether more text may complete a connection string that a line end breaks.
func isOpenDSN(s string, at, end int) bool {
	_, _, open := brokenDSN(s, at, end)
	return open
}

// minBrokenPassword is the length of the shortest password that is looked for over a line end,
// with what breaks it.
const minBrokenPassword = 6

// isWebScheme reports whether a scheme is one of addresses in prose, which need no login.
func isWebScheme(scheme string) bool {
	for _, web := range [...]string{"http", "https", "ws", "wss", "file", "git"} {
		if lex.EqualFold(scheme, web) {
			return true
		}
	}
	return false
}

// isPort reports whether v is the number of a port.
func isPort(v string) bool {
	return len(v) > 1 && len(v) <= 5 && lex.Digits.Run(v, 0, len(v)) == len(v)
}

// isHost reports whether the name of a host is at i.
func isHost(s string, i int) bool { return i < len(s) && lex.Alnum[s[i]] }

// afterBreak moves the start of a password behind a line end directly in front of it.
func afterBreak(s string, i int) int {
	if strings.IndexByte(" \t\r\n\\\"'`", s[i]) >= 0 {
		if kind, next := decode.SkipJoint(s, i); kind != decode.JointNone {
			return next
		}
	}
	return i
}
