package secrets

import (
	"strings"

	"candor/safety/internal/decode"
	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// jwkPart finds the private parts of a JSON Web Key (RFC 7517; RFC 7518, section 6), which
// are base64 in members of one or two letters. The object must also have the member kty:
// any object with a member called d or k once matched.
func jwkPart() rule.Rule {
	return rule.Rule{
		ID: "jwk-private-part", Specificity: rule.ByContext, Match: matchJWK, Open: openJWK,
		Keywords: []string{`"d":`, `"p":`, `"q":`, `"dp":`, `"dq":`, `"qi":`, `"k":`},
		Hits: []string{
			`{"kty":"EC","crv":"P-256","d":"{k43}","x":"{k43}"}`,
			`{"d":"{k43}","kty":"OKP"}`,
			`{"kty": "oct", "k": "{k43}"}`,
		},
		Misses: []string{`{"d":"3f2a91c8d07be4456a1290cc8de77f0b1a2c3d4e"}`, `{"k":"v","kty":"RSA"}`},
	}
}

// jwkLookahead is the greatest distance, in bytes, of the member kty before or after a
// part.
const jwkLookahead = 1200

// jwkValue returns the bounds of the string behind a member's name, or zeros.
func jwkValue(s string, end int) (int, int) {
	i := lex.SkipBlank(s, end, 3)
	if i >= len(s) || s[i] != '"' {
		return 0, 0
	}
	return i + 1, lex.WordChars.Run(s, i+1, decode.MaxToken)
}

// matchJWK matches a random value whose object has a kty.
func matchJWK(s string, at, end int) (int, int) {
	from, to := jwkValue(s, end)
	if to-from < 20 || !lex.Random(s[from:to]) {
		return 0, 0
	}
	before, after := s[max(0, at-jwkLookahead):at], s[to:min(len(s), to+jwkLookahead)]
	if i := strings.LastIndexByte(before, '{'); i >= 0 {
		before = before[i:]
	}
	after, _, _ = strings.Cut(after, "}")
	if strings.Contains(before, `"kty"`) || strings.Contains(after, `"kty"`) {
		return from, to
	}
	return 0, 0
}

// openJWK reports whether more text could complete the value, or bring the kty behind it.
func openJWK(s string, _, end int) bool {
	from, to := jwkValue(s, end)
	if to == len(s) {
		return true
	}
	return to-from >= 20 && len(s)-to < jwkLookahead && strings.IndexByte(s[to:], '}') < 0
}
