package lex

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCaseFunctionsAgreeWithPackageBytesOnASCII(t *testing.T) {
	for b := range byte(0x80) {
		one := []byte{b}
		require.Equal(t, bytes.ToLower(one)[0], ToLower(b))
		require.Equal(t, bytes.ToUpper(one)[0], ToUpper(b))
		require.Equal(t, ToUpper(b) != ToLower(b), IsLetter(b), "%q", b)
		require.Equal(t, ToLower(b) != b, IsUpper(b), "%q", b)
	}
	for b := 0x80; b < 256; b++ {
		require.Equal(t, byte(b), ToLower(byte(b)))
		require.Equal(t, byte(b), ToUpper(byte(b)))
		require.False(t, IsLetter(byte(b)) || IsUpper(byte(b)) || IsText(byte(b)) || IsQuote(byte(b)), "%#x", b)
	}
}

func TestDigitTablesAgreeWithTheStandardEncodings(t *testing.T) {
	for b := range 256 {
		digit := []byte{byte(b)}
		want := byte(0xff)
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			if out, err := enc.AppendDecode(nil, append([]byte("AAA"), digit...)); err == nil && len(out) == 3 {
				want = out[2]
			}
		}
		require.Equal(t, want, Sextets[b], "%q", b)
		want = 0xff
		if out, err := hex.AppendDecode(nil, append([]byte("0"), digit...)); err == nil {
			want = out[0]
		}
		require.Equal(t, want, Nibbles[b], "%q", b)
	}
}

func TestHexTextAcceptsEncodedTextOnly(t *testing.T) {
	for digits, want := range map[string]bool{
		"20": true, "7e": true, "0A": true, "0d": true, "09": true, "7f": false, "1f": false, "80": false, "00": false,
	} {
		assert.Equal(t, want, HexText(digits), digits)
	}
}

func TestHexNumberReadsExactlyTheDigitsAskedFor(t *testing.T) {
	for _, c := range []struct {
		digits string
		n      int
		want   rune
		ok     bool
	}{
		{"3D", 2, '=', true},
		{"00e9", 4, '\u00e9', true},
		{"1F600", 5, '\U0001f600', true},
		{"ffffffff", 8, 0x7fffffff, true}, // the sign bit is dropped
		{"3", 2, 0, false},
		{"3G", 2, 0, false},
		{"@1", 2, 0, false},
		{"", 0, 0, false},
		{"123456789", 9, 0, false},
	} {
		r, ok := HexNumber("%"+c.digits, 1, c.n)
		assert.Equal(t, c.ok, ok, c.digits)
		assert.Equal(t, c.want, r, c.digits)
	}
}

func TestFoldingComparisonsIgnoreASCIICaseOnly(t *testing.T) {
	assert.True(t, HasFold("a ToKeN", 2, "token"))
	assert.False(t, HasFold("a ToKeN", 1, "token"))
	assert.False(t, HasFold("a toke", 2, "token"), "the text ends too early")
	assert.False(t, HasFold("token", -1, "token"))
	assert.True(t, EqualFold("TOKEN", "token"))
	assert.False(t, EqualFold("tokens", "token"))
	assert.False(t, EqualFold("to\u212aen", "token"), "the Kelvin sign is not a k")
	assert.True(t, ContainsFold("my tTOKEN", "token"))
	assert.False(t, ContainsFold("my toke", "token"))
}

func TestMasksMarkLettersAndDigitsInEveryByte(t *testing.T) {
	for b := range 256 {
		for _, filler := range []byte{0, 'a', '0', 0x80, 0xff} {
			for i := range 8 {
				word := bytes.Repeat([]byte{filler}, 8)
				word[i] = byte(b)
				w := Load8(string(word), 0)
				var letters, digits uint64
				for k, c := range word {
					if IsLetter(c) {
						letters |= 0x80 << (8 * k)
					}
					if Digits[c] {
						digits |= 0x80 << (8 * k)
					}
				}
				require.Equal(t, letters, LetterMask(w), "%q", word)
				require.Equal(t, digits, DigitMask(w), "%q", word)
				require.Equal(t, digits != 0, AnyDigit(w), "%q", word)
				require.Equal(t, Classes['z'].Run(string(word), 0, 8), LeadingLetters(w), "%q", word)
			}
		}
	}
}
