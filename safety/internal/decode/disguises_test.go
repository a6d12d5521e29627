package decode

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base32"
	"encoding/base64"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDecodesBase32(t *testing.T) {
	const text = "a sentence of text, long enough"
	enc := base32.StdEncoding.EncodeToString([]byte(text))
	run := strings.TrimRight(enc, "=")
	assert.Equal(t, text, string(FromBase32(run, nil)))
	assert.Equal(t, text, string(FromBase32(strings.ToLower(run), nil)))
	assert.Equal(t, text, string(FromBase32(run[:24]+"\r\n  "+run[24:], nil)), "over a line end")
	assert.Nil(t, FromBase32(run[:20]+strings.ToLower(run[20:]), nil), "letters of both cases")
	assert.Nil(t, FromBase32("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", nil), "no text")
	assert.Nil(t, FromBase32(run[:16], nil), "too short")
	assert.Equal(t, len(enc), Padded(enc, 0, len(run)))
	assert.Equal(t, 26, Padded("abcdefghijklmnopqrstuvWX====", 0, 24), "base64 has two signs of padding at most")
}

func TestInflatesWhatHasAHeader(t *testing.T) {
	text := strings.Repeat("a line that is repeated\n", 3000)
	var g, z bytes.Buffer
	gw, zw := gzip.NewWriter(&g), zlib.NewWriter(&z)
	for _, w := range []io.WriteCloser{gw, zw} {
		_, _ = io.WriteString(w, text)
		require.NoError(t, w.Close())
	}
	for name, raw := range map[string][]byte{"gzip": g.Bytes(), "zlib": z.Bytes()} {
		run := strings.TrimRight(base64.StdEncoding.EncodeToString(raw), "=")
		assert.Equal(t, 0, NextCompressed(run, 0), name)
		assert.Equal(t, 3, NextCompressed("x_y"+run, 0), name)
		assert.Equal(t, -1, NextCompressed(run, 1), name)
		assert.Equal(t, text, string(Inflated(run, 1<<20)), name)
		assert.Equal(t, text[:50], string(Inflated(run, 50)), "%s within a bound", name)
		assert.NotEmpty(t, Inflated(run[:len(run)*3/4], 1<<20), "%s, cut short", name)
		assert.Equal(t, text, string(Inflated(run[:30]+"\n"+run[30:], 1<<20)), "%s over a line end", name)
	}
	run := base64.StdEncoding.EncodeToString(g.Bytes())
	assert.Equal(t, 17, NextCompressed("a/path/in/a/store"+run, 0))
	assert.Nil(t, Inflated("H4sIbad", 100), "a damaged header")
}

func TestFindsCharactersApart(t *testing.T) {
	const word = "ghp_0123456789abcdef"
	for _, sign := range []string{" ", "\n", "\t"} {
		apart := strings.Join(strings.Split(word, ""), sign)
		for n := range 20 {
			text := strings.Repeat("x", n) + " (" + apart + ")\n- item"
			from, to, found := NextRun(text, 0)
			require.True(t, found)
			require.Equal(t, apart, text[from:to], "%q behind %d bytes", sign, n)
			v := Together(text, from, to)
			require.Equal(t, word, v.Text.String())
			require.Equal(t, from+2, v.Source(1))
		}
	}
	list := strings.Join(strings.Split(word, ""), "\n") + "\n- item"
	_, to, _ := NextRun(list, 0)
	assert.Equal(t, 2*len(word)-1, to, "a list's next item is no character apart")
	for _, text := range []string{"W A R N I N G", "a * b / c", "plain words of a sentence", "a b c"} {
		_, to, _ := NextRun(text, 0)
		assert.Zero(t, to, "%q", text)
	}
}

func TestCharactersApartAreKeptBackUntilTheyEnd(t *testing.T) {
	assert.Equal(t, 3, ApartStart("is g h p", 7))
	assert.Equal(t, 3, ApartStart("is g h p ", 9))
	assert.Equal(t, 9, ApartStart("is g h p there", 9), "a word ends them")
	assert.Equal(t, 4, ApartStart("some text", 4))
}

func TestFindsWordsThatMarksSplit(t *testing.T) {
	text := "see **bold** a*b and (gh**p_A1b2`C3d4*E5f6) or `x`s"
	v, next := NextMarked(text, 0)
	require.NotNil(t, v)
	assert.Equal(t, "ghp_A1b2C3d4E5f6", v.Text.String())
	assert.Equal(t, strings.Index(text, "gh**"), v.Source(0))
	v, _ = NextMarked(text, next)
	assert.Nil(t, v)
}

func TestASettingBehindEncodedTextIsNotPartOfIt(t *testing.T) {
	run := base64.StdEncoding.EncodeToString([]byte("a text of thirty bytes or so.."))
	for _, next := range []string{"\nPORT=8080", "\nABC=1", "\nDEBUG=\n"} {
		_, to, _ := NextRun("x "+run+next, 0)
		assert.Equal(t, 2+len(run), to, "%q", next)
	}
}
