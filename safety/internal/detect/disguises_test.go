package detect

import (
	"bytes"
	"compress/zlib"
	"encoding/base32"
	"encoding/base64"
	"strings"
	"testing"

	"candor/safety/internal/lex"
	"candor/safety/internal/ruletest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestATokenIsFoundLetterByLetterSplitAndCompressed(t *testing.T) {
	d := New(allRules())
	token := ruletest.Fill("ghp_{a36}", 4)
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write([]byte("the key is " + token))
	require.NoError(t, w.Close())
	for name, hidden := range map[string]string{
		"letters apart": strings.Join(strings.Split(token, ""), " "),
		"emphasis":      token[:2] + "**" + token[2:20] + "**" + token[20:],
		"base32":        base32.StdEncoding.EncodeToString([]byte(token)),
		"zlib":          base64.StdEncoding.EncodeToString(b.Bytes()),
	} {
		found := d.Inspect("see ("+hidden+") there", nil)
		require.NotEmpty(t, found, name)
		assert.Contains(t, found, lex.Span{From: 5, To: 5 + len(hidden), Rule: found[0].Rule}, name)
	}
	apart := strings.Join(strings.Split("a"+token, ""), " ")
	assert.NotEmpty(t, d.Inspect(apart, nil), "behind a word of one letter")
	assert.Empty(t, d.Inspect(strings.Join(strings.Split("in my opinion that is so", ""), " "), nil))
	assert.Zero(t, d.Horizon("g h p _ "), "what is apart is kept until it ends")
}
