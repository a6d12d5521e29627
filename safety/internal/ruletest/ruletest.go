// Package ruletest fills in, for tests, the templates that prove the rules.
//
// A rule holds its hits as templates such as ghp_{a36}, so that nothing in the repository
// looks like a live credential. [Fill] replaces each {a36} with 36 random characters of
// the class, and {} with nothing, which keeps the label of a private key from standing in
// one piece. The same template and seed always give the same text. [Hit] does so for a
// rule's hit, [Seeds] lists the hits and misses of many rules for fuzzing, and [Leaked]
// reports whether a masked text still shows part of a secret.
package ruletest

import (
	"math/rand/v2"
	"strings"

	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// Fill returns the template with its runs filled in: {a12} becomes 12 letters and digits,
// as in a format, and {} nothing. Braces that hold no run, as in ${PW}, stay. A run with a
// range of lengths gets the shortest. The seed chooses the characters.
func Fill(template string, seed uint64) string {
	rng := rand.New(rand.NewPCG(seed, 7))
	var b strings.Builder
	for template != "" {
		i := strings.IndexByte(template, '{')
		if i < 0 {
			break
		}
		b.WriteString(template[:i])
		end := strings.IndexByte(template[i:], '}') + i
		spec := template[i+1 : max(end, i+1)]
		if end <= i || spec != "" && (lex.Classes[spec[0]] == nil || len(spec) < 2 || !lex.Digits[spec[1]]) {
			b.WriteByte('{')
			template = template[i+1:]
			continue
		}
		template = template[end+1:]
		if spec != "" {
			parts, _ := rule.ParseParts("{" + spec + "}")
			b.WriteString(generate(rng, parts[0].Set, parts[0].Min))
		}
	}
	return b.String() + template
}

// generate returns n bytes of a class, with a digit and both cases among them if the
// class has them and n is at least 4. It draws until the signs are not at the ends.
func generate(rng *rand.Rand, set *lex.Class, n int) string {
	var members []byte
	for c := range 256 {
		if set[c] {
			members = append(members, byte(c))
		}
	}
	for {
		out := make([]byte, n)
		for i := range out {
			out[i] = members[rng.IntN(len(members))]
		}
		if !(set != lex.Classes['e'] && hasSignAtEnd(out)) && isMixed(string(out), set) {
			return string(out)
		}
	}
}

// hasSignAtEnd reports whether a value begins with a hyphen or a full stop, or ends with
// a sign that the text around a token could claim.
func hasSignAtEnd(out []byte) bool {
	if len(out) == 0 {
		return false
	}
	return strings.IndexByte("-.", out[0]) >= 0 || strings.IndexByte("-._=", out[len(out)-1]) >= 0
}

// isMixed reports whether a value of four bytes or more has each kind of character that
// its class has: digits, lower case, upper case.
func isMixed(v string, set *lex.Class) bool {
	chars := lex.CountChars(v)
	return len(v) < 4 ||
		(chars.Digit > 0 || !set['5']) && (chars.Lower > 0 || !set['b']) && (chars.Upper > 0 || !set['B'])
}

// Hit fills one of a rule's hits and returns a text that the rule must find. The marks
// < and > around a keyword, which formats use, are left out.
func Hit(r *rule.Rule, template string, seed uint64) string {
	if r.Specificity == rule.ByShape {
		template = strings.NewReplacer("<", "", ">", "").Replace(template)
	}
	return Fill(template, seed)
}

// EachKeyword calls visit with the bounds of each keyword in text at which the detector
// would ask the rule, in order: the keyword has the context that the rule demands.
func EachKeyword(r *rule.Rule, text string, visit func(at, end int)) {
	for at := range len(text) {
		for _, keyword := range r.Keywords {
			end := at + len(keyword)
			found := strings.HasPrefix(text[at:], keyword) || r.Fold && lex.HasFold(text, at, keyword)
			if found && r.Fits(text, at, end) {
				visit(at, end)
			}
		}
	}
}

// Matches returns what a rule's own matcher finds in text, in order, without the
// detector.
func Matches(r *rule.Rule, text string) (found []string) {
	EachKeyword(r, text, func(at, end int) {
		if from, to := r.Match(text, at, end); to > from {
			found = append(found, text[from:to])
		}
	})
	return found
}

// Leaked reports whether out holds any n consecutive bytes of secret.
func Leaked(out, secret string, n int) bool {
	for i := 0; i+n <= len(secret); i++ {
		if strings.Contains(out, secret[i:i+n]) {
			return true
		}
	}
	return false
}

// Seeds returns the hits and misses of the rules as inputs for fuzzing. Each hit comes
// alone, and twice in a text with an invisible character and another script; a few texts
// that once broke the detector follow.
func Seeds(rules []rule.Rule) []string {
	var all []string
	for _, r := range rules {
		for k, h := range r.Hits {
			all = append(all, Hit(&r, h, uint64(k)), "x\u200b"+Hit(&r, h, uint64(k))+"。"+Hit(&r, h, 9))
		}
		all = append(all, r.Misses...)
	}
	return append(
		all,
		strings.Repeat("long ", 400),
		"a\r\nb\xff\x00",
		"password=password=password= x",
		`{"token":"a b 1"}`,
	)
}
