package safety

import "strings"

// vaultLegacy is a token of one length behind a prefix that any code may hold.
func vaultLegacy() rule {
	return tokenOf("vault-legacy-token", format{exact: true, spare: true}, scattered, []string{"s.{a24}"}).but("s.ReadUint16LengthPrefixed(&x)")
}

// scattered is random without the looks of an identifier, whose digits stand
// together and whose letters make words.
func scattered(v string) bool {
	groups, word, longest := 0, 0, 0
	for i := range len(v) {
		if digits[v[i]] && (i == 0 || !digits[v[i-1]]) {
			groups++
		}
		if word++; v[i]-'a' >= 26 {
			word = 0
		}
		longest = max(longest, word)
	}
	return random(v) && (groups > 1 || longest < 5)
}

// facebookToken is an app's access token: digits, a bar, its secret. It has no
// literal, so it is filed under every digit-bar-letter there is.
func facebookToken() rule {
	f := format{left: []part{{set: digits, min: 14, max: 15}}, right: []part{{set: wordish, min: 26, max: 40}}, exact: true}
	r := rule{
		id: "facebook-access-token", tier: tierToken, besides: besides{prev: digits, far: wordish, skip: 24}, hits: []string{"{d15}|{k27}", "{d16}|{k27}"},
		misses: []string{"a table 12|34 row", "1|a"},
		find: func(s string, at, end int) (int, int) {
			from := f.backward(s, at)
			to := f.forward(s, end, f.right)
			if from < 0 || to < 0 || !freeOnLeft(s, from) || !random(s[end:to]) {
				return 0, 0
			}
			return from, to
		},
	}
	for d := byte('0'); d <= '9'; d++ {
		r.anchors = append(r.anchors, spread(string([]byte{d, '|'}), wordish)...)
	}
	return r
}

// sidekiqSecret is the credential of a private gem server, in a variable's
// value; in a URL it is a password like any other.
func sidekiqSecret() rule {
	f := format{right: mustParts("{x8}:{x8}"), exact: true}
	return rule{
		id: "sidekiq-secret", tier: tierContext, fold: true, anchors: []string{"__contribsys__com"}, reach: 120,
		hits:   []string{"BUNDLE_ENTERPRISE__CONTRIBSYS__COM={x8}:{x8}", "BUNDLE_GEMS__CONTRIBSYS__COM: \"{x8}:{x8}\""},
		misses: []string{"BUNDLE_GEMS__CONTRIBSYS__COM is not set"},
		find: func(s string, at, end int) (int, int) {
			n := beside(s, at, end, []format{f})
			return n.from, n.to
		},
	}
}

// curlUser is what curl's -u and --user carry, the user with the password.
func curlUser() rule {
	return rule{
		id: "curl-auth-user", tier: tierContext, anchors: []string{" -u ", " -u'", " -u\"", "--user ", "--user=", "--proxy-user ", "-u\t"}, find: findCurlUser, reach: 420,
		hits: []string{`curl -u elastic:{a10}1 https://x.test`, `curl -s --user 'api:{a12}' https://x.test`, `curl -u ":{a12}" https://x.test`, `curl --user bob:'{a16}' -iX PATCH`, `curl -u {a16}: https://x.test`},
		misses: []string{`curl -u "${user}:${pass}"`, `curl -u "${USER:-${DEFAULT}}:${KEY:-${OTHER}}"`, `curl -u <user:password> https://x.test`, `curl --user "username:password"`, `docker run -u 1000:1000 x`,
			`curl -u "$USER:$PASS"`, `useradd -u 5`, `curl -u bob https://x.test`},
	}
}

// maxCurlUser bounds a user's name, which may be a key.
const maxCurlUser = 200

func findCurlUser(s string, at, end int) (int, int) {
	i := skipBlank(s, end, 3)
	if i < len(s) && (s[i] == '"' || s[i] == '\'') {
		i++
	}
	if strings.HasPrefix(s[min(i, len(s)):], markerHead) {
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
	for from < len(s) && quote(s[from]) {
		from++
	}
	to := from
	for to < len(s) && to < from+200 && !bareStops[s[to]] || to < len(s) && s[to] == '}' {
		to++
	}
	to = runeStart(s, to)
	if key := s[i:colon]; to == from && colon-i >= 8 && (hasDigit(key) || scrambled(key)) && !placeholder(key) {
		return i, colon // the key is the user, and the password is empty
	}
	pw := s[from:to]
	if digits.run(pw, 0, len(pw)) == len(pw) && digits.run(s, i, 64) == colon {
		return 0, 0 // the numbers of a user and a group
	}
	if to-from < 4 || placeholder(pw) || benign.has(pw) || strings.Contains(s[i:colon], "{{") {
		return 0, 0
	}
	return i, to
}
