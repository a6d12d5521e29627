package secrets

import (
	"encoding/base64"
	"strings"

	"candor/safety/internal/decode"
	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// jwtLike finds tokens of three parts separated by dots that look like a JSON Web Token
// whose header was cut or rewritten: the first two parts start with ey, as encoded JSON
// does, and look generated. File names such as eye_of_the_tiger_2x.eyes_of_… once matched.
func jwtLike() rule.Rule {
	f := rule.MustFormat("{k17-2000}<.ey>{j15+}")
	return rule.Rule{
		ID: "jwt-like", Specificity: rule.ByShape, Keywords: []string{".ey"},
		Hits: []string{"ey{a20}.ey{a30}.{a20}"},
		Misses: []string{
			"ey.ey",
			"money.eyes and more",
			"eye_of_the_tiger_2x.eyes_of_the_tiger_cub.txt",
			"the.eyewitness-account-of-the-thing",
		},
		Match: func(s string, at, _ int) (int, int) {
			from, to, ok := f.Match(s, at)
			if ok {
				to = lex.Classes['j'].Run(s, to, rule.MaxTail)
				for from+2 < at && !lex.IsLetter(s[from]) { // signs of markup
					from++
				}
			}
			if !ok || s[from:from+2] != "ey" || to >= len(s) || s[to] != '.' {
				return 0, 0
			}
			if !looksGeneratedPart(s[from:at]) || !looksGeneratedPart(s[at+1:to]) {
				return 0, 0
			}
			to = partEnd(s, to+1)
			return from, lex.Classes['e'].Run(s, to, 2)
		},
	}
}

// partEnd returns the end of the part of a token that starts at i. JSON may escape its slashes;
// the escape of a line end or a tab is the end of it.
func partEnd(s string, i int) int {
	to := lex.Classes['j'].Run(s, i, rule.MaxTail)
	for k := i; k+1 < to; k++ {
		if s[k] == '\\' && strings.IndexByte("nrt", s[k+1]) >= 0 {
			return k
		}
	}
	return to
}

// looksGeneratedPart reports whether a part of a token mixes its cases or looks random, as
// words do not.
func looksGeneratedPart(s string) bool { return lex.MixedCase(s) || lex.Random(s) }

// jwt finds JSON Web Tokens (RFC 7519) by decoding their header, which must be a JSON
// object that names an algorithm, a key or a type (RFC 7515). The signature may be missing,
// cut or empty. Base64 of other JSON, such as a page's title, once matched.
func jwt() rule.Rule {
	return rule.Rule{
		ID: "jwt", Specificity: rule.ByShape, Match: matchJWT,
		Keywords: []string{"eyJ", "ewog", "eyAi", "eyAg", "ew0K", "ewoJ", "ewoi"},
		Hits: []string{
			"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ{k40}.{k43}", "eyJhbGciOiJub25lIn0.eyJ{k40}.",
			"ew0KICJhbGciOiJIUzI1NiIsDQogInR5cCI6IkpXVCJ9.ew0K{k40}.{k43}", // with line ends behind the brace
			"ewoJImFsZyI6ICJIUzI1NiIKfQ.eyJ{k40}.{k43}",
		},
		Misses: []string{"eyJhbGciOiJIUzI1NiJ9", "eyJust.words.here", "eyJ0aXRsZSI6IngifQ.notatoken.atall"},
	}
}

// maxJWTHeader bounds the encoded header, so that it is decoded on the stack.
const maxJWTHeader = 2048

// matchJWT matches the token whose header starts at index at.
func matchJWT(s string, at, end int) (int, int) {
	if isInsideWord(s, at) && !startsInsideWord(s, at) {
		return 0, 0
	}
	dot := lex.WordChars.Run(s, at, maxJWTHeader)
	if dot-at < 12 || dot >= len(s) || s[dot] != '.' {
		return 0, 0
	}
	body := lex.WordChars.Run(s, dot+1, rule.MaxTail)
	if body-dot-1 < 4 || !joseHeader(s[at:dot]) {
		return 0, 0
	}
	to := body
	for n := 0; n < 3 && to < len(s) && s[to] == '.'; n++ {
		to = lex.WordChars.Run(s, to+1, rule.MaxTail)
	}
	for to > body && s[to-1] == '.' {
		to--
	}
	return at, to
}

// isInsideWord reports whether the byte before i makes what starts there part of a
// longer word, a hyphen or an underscore included.
func isInsideWord(s string, i int) bool {
	if i == 0 || !lex.WordChars[s[i-1]] {
		return false
	}
	return s[i-1] == '-' || s[i-1] == '_' || !lex.CanStartToken(s, i)
}

// startsInsideWord reports whether a header starts at i though a word precedes it: it must
// open with one of the names in headerNames, and end within 512 bytes.
func startsInsideWord(s string, i int) bool {
	head := s[i:min(len(s), i+512)]
	if len(head) < 10 || strings.IndexByte(head, '.') < 0 {
		return false
	}
	for _, name := range headerNames {
		if head[3:9] == name {
			return true
		}
	}
	return false
}

// headerNames are alg":, typ":, kid":, enc":, zip":, cty":, jku":, jwk":, x5t":
// and x5c": as they look behind eyJ.
var headerNames = [...]string{
	"hbGciO",
	"0eXAiO",
	"raWQiO",
	"lbmMiO",
	"6aXAiO",
	"jdHkiO",
	"qa3UiO",
	"qd2siO",
	"4NXQiO",
	"4NWMiO",
}

// joseHeader reports whether a segment decodes to a JSON object that names an
// algorithm. It decodes on the stack.
func joseHeader(seg string) bool {
	var src [maxJWTHeader]byte
	var dst [maxJWTHeader]byte
	n := copy(src[:], seg)
	n, _ = base64.RawURLEncoding.Decode(dst[:], src[:n-(n%4)%4%2])
	head := dst[:n]
	return n > 2 && head[0] == '{' &&
		(hasKey(head, "alg") || hasKey(head, "enc") || hasKey(head, "kid") || hasKey(head, "typ"))
}

// hasKey reports whether the JSON text head holds key between quotes.
func hasKey(head []byte, key string) bool {
	for i := 1; i+len(key)+1 < len(head); i++ {
		if head[i-1] == '"' && string(head[i:i+len(key)]) == key && head[i+len(key)] == '"' {
			return true
		}
	}
	return false
}

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
