package command

import (
	"crypto/rand"
	"encoding/base64"
	"strings"
)

// canary is a made-up secret and a text that contains it. text is what is sent; secret is
// the part that must not come back, such as the password within a database's address.
type canary struct{ kind, text, secret string }

// canaries returns one secret of each kind that a server has to mask. They are random
// on every call, so that a server cannot know them from a list, and open nothing. The
// prefixes are split in this source, so that scanners of repositories do not report it.
func canaries() []canary {
	token := func(n int) string {
		var b strings.Builder
		for b.Len() < n {
			b.WriteString(rand.Text())
		}
		return b.String()[:n]
	}
	lower := func(n int) string { return strings.ToLower(token(n)) }
	segment := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	dashes := strings.Repeat("-", 5)
	whole := func(kind, s string) canary { return canary{kind, s, s} }
	in := func(kind, before, after string) canary {
		secret := lower(10) + token(8) + "7"
		return canary{kind, before + secret + after, secret}
	}
	body := token(64)
	return []canary{
		whole("GitHub token", "ghp"+"_"+token(18)+lower(18)),
		whole("AWS access key", "AKIA"+token(16)),
		whole("Slack token", "xox"+"b-"+"123456789012-"+"123456789012-"+lower(12)+token(12)),
		whole("Stripe key", "sk"+"_live_"+lower(12)+token(12)),
		whole("JSON web token", segment(`{"alg":"HS256","typ":"JWT"}`)+"."+segment(`{"sub":"`+lower(8)+`"}`)+"."+
			token(20)+lower(23)),
		in("database password", "postgres://app:", "@db.internal/app"),
		in("password in words", "password=", ""),
		in("bearer token", "Authorization: Bearer ", ""),
		{"private key", dashes + "BEGIN RSA PRIVATE " + "KEY" + dashes + "\n" + body + "\n" + dashes +
			"END RSA PRIVATE " + "KEY" + dashes, body},
	}
}

// leaks reports whether text contains eight consecutive bytes of the secret. A shorter
// part, such as the first characters of a key, may be shown.
func (c canary) leaks(text string) bool {
	for i := 0; i+8 <= len(c.secret); i++ {
		if strings.Contains(text, c.secret[i:i+8]) {
			return true
		}
	}
	return false
}
