package safety

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The dashes behind the label of one key may begin the label of the next. Once, a stream had
// shown the first label by then, and showed the second key as well.
func TestAStreamMasksAKeyWhoseLabelBeginsInTheLastOne(t *testing.T) {
	const rest = "12QxyzTRSv89AB7CXab 0178ABCX29qrsTUVwxyz0123"
	body := "MIIEvQIBADANBgkqh89ABCDkiG9w0BAQ" + "EFAASCBKcwggSjAgEAAoIBAQ"
	text := strings.Repeat("QxyzTRSv89AB7CXabP", 4) + "\n" + strings.Repeat("abP29qrsTUVwxyz0123", 4) +
		"\n-----END RSA PRIVATE " + "KEY------BEGIN PRIVATE " + "KEY-----\n" + body + "\n" + rest
	l := plainLayer()
	whole, _ := l.Mask(text)
	assert.NotContains(t, whole.s, body)
	for size := 1; size < len(text); size += 3 {
		for _, s := range []*Stream{l.Stream().eager(), l.Stream()} {
			joined, _, _ := written(s, text, size)
			assert.Equal(t, whole.s, joined, "pieces of %d", size)
		}
	}
}
