package secrets

import (
	"strings"

	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// cookie finds what a Cookie or Set-Cookie header carries (RFC 6265). Settings such as
// theme=dark once matched: a value of eight bytes with a digit must be among them.
func cookie() rule.Rule {
	return rule.Rule{
		ID: "cookie", Specificity: rule.ByContext,
		Keywords: []string{"cookie"}, Fold: true, Match: matchCookie, Open: openCookie,
		Hits: []string{
			"Cookie: sid={a24}; theme=dark",
			"Set-Cookie: session={a30}; Path=/; HttpOnly",
			`-H 'Cookie: a={a12}'`,
		},
		Misses: []string{"the cookie: it expires", "Cookie: theme=dark", "cookies: enabled=true", "a cookie jar"},
	}
}

// maxCookies bounds how many cookies of a header are read.
const maxCookies = 32

// matchCookie matches from the first value that looks like a credential to the end of
// the last cookie. Set-Cookie carries one cookie, and attributes that stay.
func matchCookie(s string, at, end int) (int, int) {
	i := lex.SkipBlank(s, end, 2)
	if i >= len(s) || s[i] != ':' {
		return 0, 0
	}
	setting := at >= 4 && lex.HasFold(s, at-4, "set-")
	from, to := 0, lex.SkipBlank(s, i+1, 3)
	for range maxCookies {
		value := cookieValue(s, to)
		if value == 0 {
			break
		}
		to = cookieEnd(s, value)
		if from == 0 && isCookieCredential(s[value:to]) {
			from = value
		}
		if setting || to >= len(s) || s[to] != ';' {
			break
		}
		to = lex.SkipBlank(s, to+1, 3)
	}
	if from == 0 {
		return 0, 0
	}
	for to > from && (s[to-1] == ' ' || s[to-1] == ';') {
		to--
	}
	return from, to
}

// cookieValue returns where the value of the cookie whose name starts at i begins, or 0
// if there is no name followed by an equals sign.
func cookieValue(s string, i int) int {
	eq := lex.WordChars.Run(s, i, 64)
	if eq == i || eq >= len(s) || s[eq] != '=' {
		return 0
	}
	return eq + 1
}

// isCookieCredential reports whether a cookie's value may be a session and not a
// setting such as theme=dark.
func isCookieCredential(v string) bool {
	return len(v) >= 8 && lex.CountChars(v).Digit > 0 && !lex.Placeholder(v)
}

// openCookie reports whether the header may go on: it does to the end of its line.
func openCookie(s string, _, end int) bool {
	i := lex.SkipBlank(s, end, 2)
	if i >= len(s) {
		return true
	}
	return s[i] == ':' && strings.IndexByte(s[i:], '\n') < 0
}

var cookieStops = lex.NewClass(" \t\r\n\"'`;,<>\\")

func cookieEnd(s string, i int) int {
	stop := min(len(s), i+4096)
	for i < stop && s[i] < 0x80 && !cookieStops[s[i]] {
		i++
	}
	return i
}
