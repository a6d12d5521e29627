package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fixtures are what {{name}} in a case stands for. They are put together here, so
// that nothing in the repository looks like a credential.
func fixtures() map[string]string {
	dashes := strings.Repeat("-", 5)
	return map[string]string{
		"github_token": "ghp" + "_" + "q7Zt4Lw9Xc2Vb6Nm1Kj8Hg3Fd5Sa0Po4Iu7Y",
		"password":     "corr3ct" + "horse" + "9battery",
		"private_key":  dashes + "BEGIN RSA PRIVATE " + "KEY" + dashes + `\nMIIEowIBAAKCAQEAx4\nq9Zt4Lw9Xc2Vb6N\n` + dashes + "END RSA PRIVATE " + "KEY" + dashes,
	}
}

// fill reads a file and puts the fixtures in.
func fill(t *testing.T, file string) []byte {
	t.Helper()
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	text := string(raw)
	for name, value := range fixtures() {
		text = strings.ReplaceAll(text, "{{"+name+"}}", value)
	}
	return []byte(text)
}

// assertNoFixture fails when a secret came through, without printing it.
func assertNoFixture(t *testing.T, text string) {
	t.Helper()
	for name, value := range fixtures() {
		for _, part := range strings.Split(value, `\n`) {
			if strings.Contains(part, "PRIVATE") {
				continue
			}
			assert.False(t, strings.Contains(text, part), "%s came through", name)
		}
	}
}
