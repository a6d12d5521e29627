package oracle

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
)

// draw fills a template: %h40 is 40 hex digits, %u a UUID, %b88 base64 of 88 bytes, %a12
// letters and digits, %d5 digits other than 0, and %% a percent sign.
func draw(rng *rand.Rand, template string) string {
	var b strings.Builder
	for i := 0; i < len(template); i++ {
		if template[i] != '%' || i+1 >= len(template) {
			b.WriteByte(template[i])
			continue
		}
		kind, n := template[i+1], 0
		for i++; i+1 < len(template) && template[i+1]-'0' < 10; i++ {
			n = n*10 + int(template[i+1]-'0')
		}
		b.WriteString(random(rng, kind, n))
	}
	return b.String()
}

// random returns n random characters of a kind that draw knows.
func random(rng *rand.Rand, kind byte, n int) string {
	const hex, alnum = "0123456789abcdef", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	switch kind {
	case '%':
		return "%"
	case 'h':
		return pick(rng, hex, n)
	case 'a':
		return pick(rng, alnum, n)
	case 'd':
		return pick(rng, "123456789", n)
	case 'b':
		raw := make([]byte, n*3/4)
		for k := range raw {
			raw[k] = byte(rng.UintN(256))
		}
		return base64.StdEncoding.EncodeToString(raw)
	case 'u':
		parts := make([]string, 5)
		for k, length := range []int{8, 4, 4, 4, 12} {
			parts[k] = pick(rng, hex, length)
		}
		return strings.Join(parts, "-")
	}
	return ""
}

// pick returns n random characters of an alphabet of ASCII.
func pick(rng *rand.Rand, alphabet string, n int) string {
	out := make([]byte, n)
	for i := range out {
		out[i] = alphabet[rng.IntN(len(alphabet))]
	}
	return string(out)
}

// HardNegatives returns n fillings of each template that looks like a secret but is
// not.
func HardNegatives(n int) []string { return fillings(templates(negatives), n, rand.NewPCG(1, 2)) }

// fillings returns n rounds of all templates, filled from one generator.
func fillings(from []string, n int, seed rand.Source) []string {
	rng := rand.New(seed)
	var out []string
	for range n {
		for _, t := range from {
			out = append(out, draw(rng, t))
		}
	}
	return out
}

var (
	// openings, acts, objects and becauses are the parts of the sentences in CleanTexts.
	openings = []string{"I will", "Let me", "First I need to", "The next step is to", "To answer this I should",
		"Because the test failed, I will", "The user wants me to"}
	acts = []string{"read the file %s", "search the repository for %s", "run the tests in %s",
		"compare %s with the previous version", "open %s and check the token handling", "call the API at %s",
		"look up the author of %s", "list the keys in %s"}
	objects = []string{"internal/auth/token.go", "config/settings.yaml", "the sha256 digest sha256:%h64",
		"commit %h40", "package-lock.json (integrity sha512-%b88)", "request %u",
		"https://api.test/v1/users?page=2&limit=50", "~/.ssh/config", "docs/passwords.md", "the pull request 4312",
		"the function validatePassword(secret string) error"}
	becauses = []string{"to find out where the password is checked.", "so that the secret is not logged.",
		"because the key error comes from there.", "and then summarise it for the user: three points at most.",
		"since max_tokens was %d4 and token_count %d3.",
		"before changing anything; the author asked for a small diff.",
		"as the response had status 401 and no Authorization header."}
)

// CleanTexts returns n texts such as an agent writes, without any secret. Half of them
// end with a block of JSON that holds ids and digests.
func CleanTexts(n int) []string {
	rng := rand.New(rand.NewPCG(3, 4))
	one := func(from []string) string { return from[rng.IntN(len(from))] }
	var out []string
	for range n {
		var b strings.Builder
		for range 3 + rng.IntN(4) {
			fmt.Fprintf(&b, "%s %s %s ", one(openings), strings.Replace(one(acts), "%s", one(objects), 1),
				one(becauses))
		}
		if rng.IntN(2) == 0 {
			b.WriteString("\n```json\n{\"id\": \"%u\", \"sha\": \"%h40\", \"tokens\": %d4, \"cache_key\": " +
				"\"deps-%h32\"}\n```\n")
		}
		out = append(out, draw(rng, b.String()))
	}
	return out
}
