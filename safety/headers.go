package safety

import (
	"encoding/base64"
	"strings"
)

// bearer is what follows the word Bearer, in a header or in prose.
func bearer() rule {
	return rule{
		id: "bearer-token", tier: tierContext, anchors: []string{"bearer"}, fold: true, find: findBearer, reach: 8,
		hits:   []string{"Authorization: Bearer {a30}", "sent Bearer {k24}9 with it", "bearer: {a24}7"},
		misses: []string{"Bearer token-authentication-scheme", "the bearer of this letter", "Bearer $TOKEN", "Bearer [REDACTED:bearer-token]"},
	}
}

func findBearer(s string, at, end int) (int, int) {
	i := end
	for i < len(s) && i < end+4 && strings.IndexByte(" \t:=", s[i]) >= 0 {
		i++
	}
	if i == end || !freeOnLeft(s, at) {
		return 0, 0
	}
	to := tokenEnd(s, i)
	l := look(s[i:to])
	if to-i < 16 || placeholder(s[i:to]) || l.digit == 0 && !scrambled(s[i:to]) && (l.upper == 0 || l.lower == 0 || nameLike(s[i:to])) {
		return 0, 0
	}
	return i, to
}

// tokenEnd is the end of a token68, or of what some servers take for one: with
// equals signs inside. A full stop at its end is the sentence's.
func tokenEnd(s string, i int) int {
	to := token68.run(s, i, maxTail)
	for to > i && to+1 < len(s) && (s[to] == '=' && s[to+1] == '=' || inner[s[to]] && token68[s[to+1]] && hasDigit(s[i:to])) && !strings.HasPrefix(s[to:], "%20") {
		to = token68.run(s, inner.run(s, to, 3), maxTail)
	}
	for to > i && s[to-1] == '.' {
		to--
	}
	return classes['e'].run(s, to, 3)
}

// inner may stand inside a token, but neither begin nor end it.
var inner = newClass("=%")

// basicAuth is base64 of user:password behind the word Basic.
func basicAuth() rule {
	return rule{
		id: "basic-auth", tier: tierContext, anchors: []string{"basic"}, fold: true, find: findBasic, reach: 8,
		hits:   []string{"Authorization: Basic dXNlcjpw{b20}", "-H 'authorization: basic YWRtaW46{b12}'"},
		misses: []string{"basic authentication", "Basic information follows", "the basic Understanding"},
	}
}

func findBasic(s string, at, end int) (int, int) {
	i := skipBlank(s, end, 3)
	to := classes['b'].run(s, i, 1024)
	if i == end || to-i < 8 || !freeOnLeft(s, at) {
		return 0, 0
	}
	var src, dst [1024]byte
	n := copy(src[:], s[i:to])
	n, _ = base64.RawStdEncoding.Decode(dst[:], src[:n-n%4%2])
	for _, b := range dst[:n] {
		if b < 0x20 || b > 0x7e {
			break
		}
		if b == ':' {
			return i, classes['e'].run(s, to, 2)
		}
	}
	return 0, 0
}

// authHeader is an Authorization header of any other scheme, or of none, and
// headers such as X-Api-Key.
func authHeader() rule {
	return rule{
		id: "auth-header", tier: tierContext, anchors: []string{"authorization", "x-auth-token", "api-key", "x-access-token", "private-token"},
		fold: true, find: findAuthHeader, open: openHeader,
		hits:   []string{"Authorization: Token {k24}1", "authorization: {a24}", `"Authorization": "AWS4 {a20}"`, "X-Api-Key: {a20}", `-H "PRIVATE-TOKEN: {a20}2"`},
		misses: []string{"Authorization: Bearer $TOKEN", "authorization: required for this", "Authorization header is missing", "X-Api-Key: YOUR_API_KEY_GOES_HERE"},
	}
}

func findAuthHeader(s string, _, end int) (int, int) {
	i, how := operator(s, end)
	if how != opColon && how != opTight && how != opLoose {
		return 0, 0
	}
	if i < len(s) && quote(s[i]) {
		i++
	}
	if j := wordish.run(s, i, 20); j < len(s) && s[j] == ' ' && j-i >= 3 && (!hasDigit(s[i:j]) || hasFold(s, i, "aws4")) {
		if k := j + 1; tokenEnd(s, k)-k >= 12 {
			i = k
		}
	}
	if hasFold(s, i, "aws4-hmac-") {
		return 0, 0 // a signature, of use only once
	}
	to := tokenEnd(s, i)
	if to > i && to < len(s) && (s[to] == '@' || s[to] == '=') {
		to = authBytes.run(s, to, maxTail)
	}
	if v := s[i:to]; len(v) < 12 || !hasDigit(v) && !scrambled(v) || placeholder(v) || called(s, to) {
		return 0, 0
	}
	return i, to
}

// authBytes also stand in what some servers take.
var authBytes = newClass("A-Za-z0-9._~+/@=-")

// openHeader: a scheme and a space may stand between the colon and the value.
func openHeader(s string, _, end int) bool {
	i, how := operator(s, end)
	if how == opNone {
		return undecided(s, end)
	}
	return len(s) < i+64
}

// cookie is what a Cookie or Set-Cookie header carries.
func cookie() rule {
	return rule{
		id: "cookie", tier: tierContext, anchors: []string{"cookie"}, fold: true, find: findCookie, open: openCookie,
		hits:   []string{"Cookie: sid={a24}; theme=dark", "Set-Cookie: session={a30}; Path=/; HttpOnly", `-H 'Cookie: a={a12}'`},
		misses: []string{"the cookie: it expires", "Cookie: theme=dark", "cookies: enabled=true", "a cookie jar"},
	}
}

func findCookie(s string, at, end int) (int, int) {
	i := skipBlank(s, end, 2)
	if i >= len(s) || s[i] != ':' {
		return 0, 0
	}
	i = skipBlank(s, i+1, 3)
	setting := at >= 4 && hasFold(s, at-4, "set-")
	from, to := 0, i
	for n := 0; n < 32; n++ {
		eq := wordish.run(s, to, 64)
		if eq == to || eq >= len(s) || s[eq] != '=' {
			break
		}
		end := cookieEnd(s, eq+1)
		if v := s[eq+1 : end]; from == 0 && len(v) >= 8 && look(v).digit > 0 && !placeholder(v) {
			from = eq + 1
		}
		to = end
		if setting || end >= len(s) || s[end] != ';' {
			break
		}
		to = skipBlank(s, end+1, 3)
	}
	if from == 0 {
		return 0, 0
	}
	for to > from && (s[to-1] == ' ' || s[to-1] == ';') {
		to--
	}
	return from, to
}

// openCookie: a header goes on to the end of its line.
func openCookie(s string, _, end int) bool {
	i := skipBlank(s, end, 2)
	if i >= len(s) {
		return true
	}
	return s[i] == ':' && strings.IndexByte(s[i:], '\n') < 0
}

var cookieStops = newClass(" \t\r\n\"'`;,<>\\")

func cookieEnd(s string, i int) int {
	stop := min(len(s), i+4096)
	for i < stop && s[i] < 0x80 && !cookieStops[s[i]] {
		i++
	}
	return i
}
