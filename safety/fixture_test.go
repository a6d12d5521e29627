package safety

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// fill makes a text from a template: {a12} becomes 12 letters and digits, as in
// a format. Fixtures are made when the test runs, so that the repository holds
// nothing that looks like a live credential.
func fill(template string, seed uint64) string {
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
		if end <= i || spec != "" && (classes[spec[0]] == nil || len(spec) < 2 || !digits[spec[1]]) {
			b.WriteByte('{')
			template = template[i+1:]
			continue
		}
		template = template[end+1:]
		if spec != "" {
			p, _ := parseRun(spec)
			b.WriteString(drawn(rng, p.set, p.min))
		}
	}
	return b.String() + template
}

// drawn is n bytes of a class, with a digit and both cases among them where the
// class has them.
func drawn(rng *rand.Rand, set *class, n int) string {
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
		if n > 0 && (out[0] == '-' || out[0] == '.' || out[n-1] == '-' || out[n-1] == '.' || out[n-1] == '_' || out[n-1] == '=') && set != classes['e'] {
			continue
		}
		l := look(string(out))
		if n < 4 || (l.digit > 0 || !set['5']) && (l.lower > 0 || !set['b']) && (l.upper > 0 || !set['B']) {
			return string(out)
		}
	}
}

// hitOf is a rule's hit, filled in.
func hitOf(r *rule, template string, seed uint64) string {
	if r.tier == tierToken {
		template = strings.NewReplacer("<", "", ">", "").Replace(template)
	}
	return fill(template, seed)
}

// leaked is the longest part of secret, of at least n bytes, that stands in
// out.
func leaked(out, secret string, n int) bool {
	for i := 0; i+n <= len(secret); i++ {
		if strings.Contains(out, secret[i:i+n]) {
			return true
		}
	}
	return false
}

// eachRule runs f for every rule of the default layer.
func eachRule(t *testing.T, f func(t *testing.T, l *Layer, r *rule)) {
	l := NewLayer()
	for i := range l.detector.rules {
		r := &l.detector.rules[i]
		t.Run(r.id, func(t *testing.T) { f(t, l, r) })
	}
}
