package secrets

import (
	"encoding/base64"
	"strings"

	"candor/safety/internal/keyvalue"
	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// bearer finds the token behind the word Bearer (RFC 6750), in a header or in prose. It
// once matched names such as Bearer token-authentication-scheme: without a digit, the
// letters must be scrambled, mix their cases unlike an identifier, or be more than a word has.
func bearer() rule.Rule {
	return rule.Rule{
		ID: "bearer-token", Specificity: rule.ByContext,
		Keywords: []string{"bearer"}, Fold: true, Match: matchBearer, MaxGap: 8,
		Hits: []string{"Authorization: Bearer {a30}", "sent Bearer {k24}9 with it", "bearer: {a24}7"},
		Misses: []string{
			"Bearer token-authentication-scheme",
			"the bearer of this letter",
			"Bearer $TOKEN",
			"Bearer [REDACTED:bearer-token]",
		},
	}
}

func matchBearer(s string, at, end int) (int, int) {
	i := end
	for i < len(s) && i < end+4 && strings.IndexByte(" \t:=", s[i]) >= 0 {
		i++
	}
	if i == end || !lex.CanStartToken(s, at) {
		return 0, 0
	}
	to := tokenEnd(s, i)
	l := lex.CountChars(s[i:to])
	if v := s[i:to]; len(v) < minBearer || lex.Placeholder(v) || l.Digit == 0 && isName(v, l) {
		return 0, 0
	}
	return i, to
}

// minBearer is the least length of a bearer token, in bytes.
const minBearer = 16

// isName reports whether a value without digits is a name, such as
// token-authentication-scheme, and not scrambled letters or a long run of them.
func isName(v string, l lex.CharStats) bool {
	return !lex.Scrambled(v) && !isLongRun(v) && (l.Upper == 0 || l.Lower == 0 || keyvalue.NameLike(v))
}

// isLongRun reports whether v is at least 20 letters of one case, more than words have. It
// is how people make up a token: abcdefghijklmnopqrstuvwxyz.
func isLongRun(v string) bool {
	l := lex.CountChars(v)
	return len(v) >= 20 && (l.Lower == min(len(v), lex.StatsLimit) || l.Upper == min(len(v), lex.StatsLimit))
}

// tokenEnd returns the end of the token68 (RFC 9110) at i. Some servers issue tokens with
// equals signs or percent escapes inside, so those count too. A full stop at the end
// belongs to the sentence.
func tokenEnd(s string, i int) int {
	to := lex.Token68.Run(s, i, rule.MaxTail)
	for to > i && goesOn(s, i, to) {
		to = lex.Token68.Run(s, inner.Run(s, to, 3), rule.MaxTail)
	}
	for to > i && s[to-1] == '.' {
		to--
	}
	return lex.Classes['e'].Run(s, to, 3)
}

// goesOn reports whether the token i..to continues behind an equals or a percent sign:
// padding in its middle, or an escape that is not a blank.
func goesOn(s string, i, to int) bool {
	if to+1 >= len(s) || !inner[s[to]] || strings.HasPrefix(s[to:], "%20") {
		return false
	}
	return s[to] == '=' && s[to+1] == '=' || lex.Token68[s[to+1]] && lex.HasDigit(s[i:to])
}

// inner may appear inside a token, but neither begin nor end it.
var inner = lex.NewClass("=%")

// basicAuth finds the credentials behind the word Basic (RFC 7617), and decodes them: base64
// of printable text with a colon. "Basic information" is base64 too, but decodes to none.
func basicAuth() rule.Rule {
	return rule.Rule{
		ID: "basic-auth", Specificity: rule.ByContext,
		Keywords: []string{"basic"}, Fold: true, Match: matchBasic, MaxGap: 8,
		Hits:   []string{"Authorization: Basic dXNlcjpw{b20}", "-H 'authorization: basic YWRtaW46{b12}'"},
		Misses: []string{"basic authentication", "Basic information follows", "the basic Understanding"},
	}
}

func matchBasic(s string, at, end int) (int, int) {
	i := lex.SkipBlank(s, end, 3)
	to := lex.Classes['b'].Run(s, i, 1024)
	if i == end || to-i < 8 || !lex.CanStartToken(s, at) {
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
			return i, lex.Classes['e'].Run(s, to, 2)
		}
	}
	return 0, 0
}

// authHeader finds the credentials of an Authorization header with any other scheme or with
// none (RFC 9110, section 11), and of headers such as X-Api-Key and GitLab's PRIVATE-TOKEN.
// Sentences about the header once matched, and signatures of AWS, which are of no use for
// another request.
func authHeader() rule.Rule {
	return rule.Rule{
		ID: "auth-header", Specificity: rule.ByContext,
		Keywords: []string{"authorization", "x-auth-token", "api-key", "x-access-token", "private-token"},
		Fold:     true, Match: matchAuthHeader, Open: openHeader,
		Hits: []string{
			"Authorization: Token {k24}1",
			"authorization: {a24}",
			`"Authorization": "AWS4 {a20}"`,
			"X-Api-Key: {a20}",
			`-H "PRIVATE-TOKEN: {a20}2"`,
		},
		Misses: []string{
			"Authorization: Bearer $TOKEN",
			"authorization: required for this",
			"Authorization header is missing",
			"X-Api-Key: YOUR_API_KEY_GOES_HERE",
		},
	}
}

// matchAuthHeader matches the credentials behind the name that ends at end.
func matchAuthHeader(s string, _, end int) (int, int) {
	i, how := keyvalue.ReadOperator(s, end)
	if how != keyvalue.OpColon && how != keyvalue.OpTight && how != keyvalue.OpLoose {
		return 0, 0
	}
	if i < len(s) && lex.IsQuote(s[i]) {
		i++
	}
	i = skipScheme(s, i)
	if lex.HasFold(s, i, "aws4-hmac-") {
		return 0, 0 // a signature of one request, useless for the next
	}
	to := tokenEnd(s, i)
	if to > i && to < len(s) && (s[to] == '@' || s[to] == '=') {
		to = authBytes.Run(s, to, rule.MaxTail)
	}
	if !isHeaderCredential(s[i:to]) || keyvalue.Called(s, to) {
		return 0, 0
	}
	return i, to
}

// minHeaderCredential is the least length of credentials in a header, in bytes. Words
// of a sentence such as "required" are shorter.
const minHeaderCredential = 12

// skipScheme returns where the credentials start behind the name of a scheme at i, such
// as Token or AWS4, or i where there is none. A scheme is one word without digits;
// credentials long enough to be some must follow it.
func skipScheme(s string, i int) int {
	j := lex.WordChars.Run(s, i, 20)
	if j >= len(s) || s[j] != ' ' || j-i < 3 || lex.HasDigit(s[i:j]) && !lex.HasFold(s, i, "aws4") {
		return i
	}
	if k := j + 1; tokenEnd(s, k)-k >= minHeaderCredential {
		return k
	}
	return i
}

// isHeaderCredential reports whether the value of a header looks generated and is no
// stand-in such as YOUR_API_KEY_GOES_HERE.
func isHeaderCredential(v string) bool {
	return len(v) >= minHeaderCredential && (lex.HasDigit(v) || lex.Scrambled(v) || isLongRun(v)) &&
		!lex.Placeholder(v)
}

// authBytes also appear in the credentials that some servers issue.
var authBytes = lex.NewClass("A-Za-z0-9._~+/@=-")

// openHeader reports whether more text could bring the value: a scheme and a space may
// appear between the colon and the value.
func openHeader(s string, _, end int) bool {
	i, how := keyvalue.ReadOperator(s, end)
	if how == keyvalue.OpNone {
		return keyvalue.Undecided(s, end)
	}
	return len(s) < i+64
}

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
