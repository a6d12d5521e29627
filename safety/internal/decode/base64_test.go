package decode

import (
	"encoding/base64"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// drawnFrom is n bytes of an alphabet.
func drawnFrom(rng *rand.Rand, alphabet string, n int) string {
	var b strings.Builder
	for range n {
		b.WriteByte(alphabet[rng.IntN(len(alphabet))])
	}
	return b.String()
}

func TestDecodingGivesWhatWasEncodedOrNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	var buf [512]byte
	for n := 12; n < 200; n++ {
		text := drawnFrom(rng, "abcdefghij KLMNOP0123456789\n.,", n)
		require.Equal(t, text, string(FromHex(hex.EncodeToString([]byte(text)), buf[:0])))
		require.Equal(t, text, string(FromBase64(base64.RawStdEncoding.EncodeToString([]byte(text)), buf[:0])))
		require.Equal(t, text, string(FromBase64(base64.RawURLEncoding.EncodeToString([]byte(text)), buf[:0])))
	}
	const text = "The text that is hidden here."
	odd := base64.RawStdEncoding.EncodeToString([]byte("\x01\x02" + text))
	assert.Equal(t, "\x01\x02"+text, string(FromBase64(odd, buf[:0])), "a few other bytes may stand among text")
	lines := hex.EncodeToString([]byte(text[:14])) + "\n> " + hex.EncodeToString([]byte(text[14:]))
	assert.Equal(t, text, string(FromHex(lines, buf[:0])), "over quoted lines")
	assert.Nil(t, FromHex("not hex at all", buf[:0]))
	assert.Nil(t, FromHex(strings.Repeat("ff", 30), buf[:0]))
	assert.Nil(t, FromBase64(strings.Repeat("____", 30), buf[:0]))
}

func TestNextRunFindsEveryLongRun(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	for range 5000 {
		var b strings.Builder
		for range rng.IntN(8) {
			b.WriteString(strings.Repeat("a", 2+rng.IntN(28)))
			b.WriteString([]string{" ", ".", "\"", "é", ", "}[rng.IntN(5)])
		}
		s, i := b.String(), 0
		for from := range s {
			to := encoding.Run(s, from, len(s))
			if from < i || to-from < MinEncoded {
				continue
			}
			gotFrom, gotTo, _ := NextRun(s, i)
			require.Equal(t, [2]int{from, to}, [2]int{gotFrom, gotTo}, "%q", s)
			i = to
		}
		_, to, _ := NextRun(s, i)
		require.Zero(t, to, "%q from %d", s, i)
	}
}
