package secrets

import (
	"strings"

	"candor/safety/internal/keyvalue"
	"candor/safety/internal/lex"
	"candor/safety/internal/prefilter"
	"candor/safety/internal/rule"
)

// vaultLegacy is a token of one length behind a prefix that any code may hold.
func vaultLegacy() rule.Rule {
	return rule.TokenOf("vault-legacy-token", rule.Format{Exact: true, Spare: true}, scattered, []string{"s.{a24}"}).Except("s.ReadUint16LengthPrefixed(&x)")
}

// scattered is random without the looks of an identifier, whose digits stand
// together and whose letters make words.
func scattered(v string) bool {
	groups, word, longest := 0, 0, 0
	for i := range len(v) {
		if lex.Digits[v[i]] && (i == 0 || !lex.Digits[v[i-1]]) {
			groups++
		}
		if word++; v[i]-'a' >= 26 {
			word = 0
		}
		longest = max(longest, word)
	}
	return lex.Random(v) && (groups > 1 || longest < 5)
}

// facebookToken is an app's access token: digits, a bar, its secret. It has no
// literal, so it is filed under every digit-bar-letter there is.
func facebookToken() rule.Rule {
	f := rule.Format{Left: []rule.Part{{Set: lex.Digits, Min: 14, Max: 15}}, Right: []rule.Part{{Set: lex.WordChars, Min: 26, Max: 40}}, Exact: true}
	r := rule.Rule{
		ID: "facebook-access-token", Specificity: rule.ByShape, Context: prefilter.Context{Prev: lex.Digits, Far: lex.WordChars, Skip: 24}, Hits: []string{"{d15}|{k27}", "{d16}|{k27}"},
		Misses: []string{"a table 12|34 row", "1|a"},
		Match: func(s string, at, end int) (int, int) {
			from := f.Backward(s, at)
			to := f.Forward(s, end, f.Right)
			if from < 0 || to < 0 || !lex.CanStartToken(s, from) || !lex.Random(s[end:to]) {
				return 0, 0
			}
			return from, to
		},
	}
	for d := byte('0'); d <= '9'; d++ {
		r.Keywords = append(r.Keywords, rule.Spread(string([]byte{d, '|'}), lex.WordChars)...)
	}
	return r
}

// sidekiqSecret is the credential of a private gem server, in a variable's
// value; in a URL it is a password like any other.
func sidekiqSecret() rule.Rule {
	f := rule.Format{Right: mustParts("{x8}:{x8}"), Exact: true}
	return rule.Rule{
		ID: "sidekiq-secret", Specificity: rule.ByContext, Fold: true, Keywords: []string{"__contribsys__com"}, MaxGap: 120,
		Hits:   []string{"BUNDLE_ENTERPRISE__CONTRIBSYS__COM={x8}:{x8}", "BUNDLE_GEMS__CONTRIBSYS__COM: \"{x8}:{x8}\""},
		Misses: []string{"BUNDLE_GEMS__CONTRIBSYS__COM is not set"},
		Match: func(s string, at, end int) (int, int) {
			n := beside(s, at, end, []rule.Format{f})
			return n.from, n.to
		},
	}
}

// curlUser is what curl's -u and --user carry, the user with the password.
func curlUser() rule.Rule {
	return rule.Rule{
		ID: "curl-auth-user", Specificity: rule.ByContext, Keywords: []string{" -u ", " -u'", " -u\"", "--user ", "--user=", "--proxy-user ", "-u\t"}, Match: findCurlUser, MaxGap: 420,
		Hits: []string{`curl -u elastic:{a10}1 https://x.test`, `curl -s --user 'api:{a12}' https://x.test`, `curl -u ":{a12}" https://x.test`, `curl --user bob:'{a16}' -iX PATCH`, `curl -u {a16}: https://x.test`},
		Misses: []string{`curl -u "${user}:${pass}"`, `curl -u "${USER:-${DEFAULT}}:${KEY:-${OTHER}}"`, `curl -u <user:password> https://x.test`, `curl --user "username:password"`, `docker run -u 1000:1000 x`,
			`curl -u "$USER:$PASS"`, `useradd -u 5`, `curl -u bob https://x.test`},
	}
}

// maxCurlUser bounds a user's name, which may be a key.
const maxCurlUser = 200

func findCurlUser(s string, at, end int) (int, int) {
	i := lex.SkipBlank(s, end, 3)
	if i < len(s) && (s[i] == '"' || s[i] == '\'') {
		i++
	}
	if strings.HasPrefix(s[min(i, len(s)):], lex.MarkerPrefix) {
		return 0, 0
	}
	colon := i
	for colon < len(s) && colon < i+maxCurlUser && !userEnd[s[colon]] || colon < len(s) && s[colon] == '@' {
		colon++
	}
	for colon < len(s) && (s[colon] == '"' || s[colon] == '\'') && colon+1 < len(s) && s[colon+1] == ':' {
		colon++
	}
	if colon >= len(s) || s[colon] != ':' || !strings.Contains(s[max(0, at-400):at], "curl") {
		return 0, 0
	}
	if open := strings.LastIndex(s[i:colon], "${"); open >= 0 && strings.IndexByte(s[i+open:colon], '}') < 0 {
		return 0, 0 // the colon is a variable's
	}
	from := colon + 1
	for from < len(s) && lex.IsQuote(s[from]) {
		from++
	}
	to := from
	for to < len(s) && to < from+200 && !keyvalue.BareStops[s[to]] || to < len(s) && s[to] == '}' {
		to++
	}
	to = lex.RuneStart(s, to)
	if key := s[i:colon]; to == from && colon-i >= 8 && (lex.HasDigit(key) || lex.Scrambled(key)) && !lex.Placeholder(key) {
		return i, colon // the key is the user, and the password is empty
	}
	pw := s[from:to]
	if lex.Digits.Run(pw, 0, len(pw)) == len(pw) && lex.Digits.Run(s, i, 64) == colon {
		return 0, 0 // the numbers of a user and a group
	}
	if to-from < 4 || lex.Placeholder(pw) || lex.Benign.Has(pw) || strings.Contains(s[i:colon], "{{") {
		return 0, 0
	}
	return i, to
}
