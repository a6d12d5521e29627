package secrets

import (
	"encoding/base64"
	"strings"

	"candor/safety/internal/keyvalue"
	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// bearer is what follows the word Bearer, in a header or in prose.
func bearer() rule.Rule {
	return rule.Rule{
		ID: "bearer-token", Specificity: rule.ByContext, Keywords: []string{"bearer"}, Fold: true, Match: findBearer, MaxGap: 8,
		Hits:   []string{"Authorization: Bearer {a30}", "sent Bearer {k24}9 with it", "bearer: {a24}7"},
		Misses: []string{"Bearer token-authentication-scheme", "the bearer of this letter", "Bearer $TOKEN", "Bearer [REDACTED:bearer-token]"},
	}
}

func findBearer(s string, at, end int) (int, int) {
	i := end
	for i < len(s) && i < end+4 && strings.IndexByte(" \t:=", s[i]) >= 0 {
		i++
	}
	if i == end || !lex.CanStartToken(s, at) {
		return 0, 0
	}
	to := tokenEnd(s, i)
	l := lex.CountChars(s[i:to])
	if to-i < 16 || lex.Placeholder(s[i:to]) || l.Digit == 0 && !lex.Scrambled(s[i:to]) && (l.Upper == 0 || l.Lower == 0 || keyvalue.NameLike(s[i:to])) {
		return 0, 0
	}
	return i, to
}

// tokenEnd is the end of a token68, or of what some servers take for one: with
// equals signs inside. A full stop at its end is the sentence's.
func tokenEnd(s string, i int) int {
	to := lex.Token68.Run(s, i, rule.MaxTail)
	for to > i && to+1 < len(s) && (s[to] == '=' && s[to+1] == '=' || inner[s[to]] && lex.Token68[s[to+1]] && lex.HasDigit(s[i:to])) && !strings.HasPrefix(s[to:], "%20") {
		to = lex.Token68.Run(s, inner.Run(s, to, 3), rule.MaxTail)
	}
	for to > i && s[to-1] == '.' {
		to--
	}
	return lex.Classes['e'].Run(s, to, 3)
}

// inner may stand inside a token, but neither begin nor end it.
var inner = lex.NewClass("=%")

// basicAuth is base64 of user:password behind the word Basic.
func basicAuth() rule.Rule {
	return rule.Rule{
		ID: "basic-auth", Specificity: rule.ByContext, Keywords: []string{"basic"}, Fold: true, Match: findBasic, MaxGap: 8,
		Hits:   []string{"Authorization: Basic dXNlcjpw{b20}", "-H 'authorization: basic YWRtaW46{b12}'"},
		Misses: []string{"basic authentication", "Basic information follows", "the basic Understanding"},
	}
}

func findBasic(s string, at, end int) (int, int) {
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

// authHeader is an Authorization header of any other scheme, or of none, and
// headers such as X-Api-Key.
func authHeader() rule.Rule {
	return rule.Rule{
		ID: "auth-header", Specificity: rule.ByContext, Keywords: []string{"authorization", "x-auth-token", "api-key", "x-access-token", "private-token"},
		Fold: true, Match: findAuthHeader, Open: openHeader,
		Hits:   []string{"Authorization: Token {k24}1", "authorization: {a24}", `"Authorization": "AWS4 {a20}"`, "X-Api-Key: {a20}", `-H "PRIVATE-TOKEN: {a20}2"`},
		Misses: []string{"Authorization: Bearer $TOKEN", "authorization: required for this", "Authorization header is missing", "X-Api-Key: YOUR_API_KEY_GOES_HERE"},
	}
}

func findAuthHeader(s string, _, end int) (int, int) {
	i, how := keyvalue.ReadOperator(s, end)
	if how != keyvalue.OpColon && how != keyvalue.OpTight && how != keyvalue.OpLoose {
		return 0, 0
	}
	if i < len(s) && lex.IsQuote(s[i]) {
		i++
	}
	if j := lex.WordChars.Run(s, i, 20); j < len(s) && s[j] == ' ' && j-i >= 3 && (!lex.HasDigit(s[i:j]) || lex.HasFold(s, i, "aws4")) {
		if k := j + 1; tokenEnd(s, k)-k >= 12 {
			i = k
		}
	}
	if lex.HasFold(s, i, "aws4-hmac-") {
		return 0, 0 // a signature, of use only once
	}
	to := tokenEnd(s, i)
	if to > i && to < len(s) && (s[to] == '@' || s[to] == '=') {
		to = authBytes.Run(s, to, rule.MaxTail)
	}
	if v := s[i:to]; len(v) < 12 || !lex.HasDigit(v) && !lex.Scrambled(v) || lex.Placeholder(v) || keyvalue.Called(s, to) {
		return 0, 0
	}
	return i, to
}

// authBytes also stand in what some servers take.
var authBytes = lex.NewClass("A-Za-z0-9._~+/@=-")

// openHeader: a scheme and a space may stand between the colon and the value.
func openHeader(s string, _, end int) bool {
	i, how := keyvalue.ReadOperator(s, end)
	if how == keyvalue.OpNone {
		return keyvalue.Undecided(s, end)
	}
	return len(s) < i+64
}

// cookie is what a Cookie or Set-Cookie header carries.
func cookie() rule.Rule {
	return rule.Rule{
		ID: "cookie", Specificity: rule.ByContext, Keywords: []string{"cookie"}, Fold: true, Match: findCookie, Open: openCookie,
		Hits:   []string{"Cookie: sid={a24}; theme=dark", "Set-Cookie: session={a30}; Path=/; HttpOnly", `-H 'Cookie: a={a12}'`},
		Misses: []string{"the cookie: it expires", "Cookie: theme=dark", "cookies: enabled=true", "a cookie jar"},
	}
}

func findCookie(s string, at, end int) (int, int) {
	i := lex.SkipBlank(s, end, 2)
	if i >= len(s) || s[i] != ':' {
		return 0, 0
	}
	i = lex.SkipBlank(s, i+1, 3)
	setting := at >= 4 && lex.HasFold(s, at-4, "set-")
	from, to := 0, i
	for n := 0; n < 32; n++ {
		eq := lex.WordChars.Run(s, to, 64)
		if eq == to || eq >= len(s) || s[eq] != '=' {
			break
		}
		end := cookieEnd(s, eq+1)
		if v := s[eq+1 : end]; from == 0 && len(v) >= 8 && lex.CountChars(v).Digit > 0 && !lex.Placeholder(v) {
			from = eq + 1
		}
		to = end
		if setting || end >= len(s) || s[end] != ';' {
			break
		}
		to = lex.SkipBlank(s, end+1, 3)
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
