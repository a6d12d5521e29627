package safety

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

// allBytes are the 256 bytes there are.
var allBytes = func() string {
	var b [256]byte
	for i := range b {
		b[i] = byte(i)
	}
	return string(b[:])
}()

// slowLook is look, a byte at a time.
func slowLook(v string) looks {
	v = v[:min(len(v), enough)]
	l := looks{hex: true}
	seen := map[byte]bool{}
	for _, b := range []byte(v) {
		seen[b] = true
		switch {
		case b >= 'a' && b <= 'z':
			l.lower++
		case b >= 'A' && b <= 'Z':
			l.upper++
		case b >= '0' && b <= '9':
			l.digit++
		default:
			l.other++
		}
		l.hex = l.hex && strings.IndexByte("0123456789abcdefABCDEF-", b) >= 0
	}
	l.distinct = len(seen)
	return l
}

func TestLookingAtAValueCountsItsBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, alphabet := range []string{allBytes, "abc", "0123456789abcdef-", "aA0", "\x80\xff\xbf\xc0", "ABCxyz129.+/="} {
		for n := range 200 {
			v := drawnFrom(rng, alphabet, n)
			require.Equal(t, slowLook(v), look(v), "%q", v)
			require.Equal(t, slowLook(v).digit > 0, hasDigit(v), "%q", v)
		}
	}
}

func TestADigitIsSeenWhereverItStands(t *testing.T) {
	for _, filler := range []byte{'a', ':', '/', 0, 0x7f, 0x80, 0xff, 0xb0, 0x70} {
		for n := range 20 {
			plain := strings.Repeat(string([]byte{filler}), n)
			assert.False(t, hasDigit(plain), "%#x", filler)
			for i := range n {
				for d := byte('0'); d <= '9'; d++ {
					require.True(t, hasDigit(plain[:i]+string([]byte{d})+plain[i+1:]), "%#x at %d", filler, i)
				}
			}
		}
	}
}

func TestAVocabularyKnowsItsWordsInAnyCaseAndNoOthers(t *testing.T) {
	v := set("pass password passphrase key a b64 sixteenletters16")
	for _, word := range []string{"pass", "PASS", "Password", "passPhrase", "KEY", "a", "A", "B64", "SixteenLetters16"} {
		assert.True(t, v.has(word), word)
	}
	for _, word := range []string{"", "b", "pas", "passw", "keys", "p\u0131ss", "passwore", "paszword", "passphrasf", "sixteenletters1", "seventeenletter17"} {
		assert.False(t, v.has(word), word)
	}
	assert.Panics(t, func() { set("seventeenletters7") })
	for _, word := range strings.Fields("password Secrets APIKEY cookie signature") {
		assert.NotZero(t, kindOf(word)&(isSecret|isWeak), word)
	}
}

func TestDecodingGivesWhatWasEncodedOrNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	var buf [512]byte
	for n := 12; n < 200; n++ {
		text := drawnFrom(rng, "abcdefghij KLMNOP0123456789\n.,", n)
		require.Equal(t, text, string(fromHex(hex.EncodeToString([]byte(text)), buf[:0])))
		require.Equal(t, text, string(fromBase64(base64.RawStdEncoding.EncodeToString([]byte(text)), buf[:0])))
		require.Equal(t, text, string(fromBase64(base64.RawURLEncoding.EncodeToString([]byte(text)), buf[:0])))
	}
	assert.Nil(t, fromHex("not hex at all", buf[:0]))
	assert.Nil(t, fromHex(strings.Repeat("ff", 30), buf[:0]))
	assert.Nil(t, fromBase64(strings.Repeat("____", 30), buf[:0]))
}

func TestATextIsASCIIWhereNoByteIsHigh(t *testing.T) {
	for n := range 100 {
		text := strings.Repeat("a", n)
		require.Equal(t, n, asciiEnd(text, 0))
		for i := range n {
			require.Equal(t, i, asciiEnd(text[:i]+"\x80"+text[i+1:], 0), "%d of %d", i, n)
		}
	}
}
