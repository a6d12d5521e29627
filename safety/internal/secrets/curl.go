package secrets

import (
	"strings"

	"candor/safety/internal/keyvalue"
	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

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
