package safety_test

import (
	"strings"
	"testing"

	"candor/safety"
)

// BenchmarkMask times texts of the kinds that agents and tools write.
func BenchmarkMask(b *testing.B) {
	l := safety.NewLayer()
	prose := "I need to check why the request to the billing API fails, so I will read internal/auth/token.go first. " +
		"The token is loaded in NewClient and the key comes from the configuration; I compare max_tokens with " +
		"config.yaml.\n"
	code := "func (c *Client) Do(req *http.Request) (*http.Response, error) {\n\tif c.key == \"\" {\n\t\treturn " +
		"nil, errNoKey\n\t}\n" +
		"\treq.Header.Set(\"X-Request-Id\", newID())\n\treturn c.http.Do(req)\n}\n"
	secret := "The file sets GITHUB_TOKEN=" + fill("ghp_{a36}", 1) + " and password: " + fill("{a14}7", 2) + ". "
	named := strings.Repeat("password secret token api_key authorization bearer ", 80)
	for _, c := range []struct{ name, text string }{
		{"prose of 220 bytes", prose},
		{"prose of 13 KB", strings.Repeat(prose, 60)},
		{"code of 13 KB", strings.Repeat(code, 65)},
		{"two secrets in 330 bytes", secret + prose},
		{"secrets in 12 KB of prose", strings.Repeat(prose+secret, 36)},
		{"names without values", named},
		{"escapes", strings.Repeat("a%20b%3Dc \\u0041 &amp; ", 150)},
		{"base64", strings.Repeat("YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXo", 60)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				l.Mask(c.text)
			}
		})
	}
}
