package decode

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"strings"

	"candor/safety/internal/lex"
)

// MaxInflated bounds the output of one compressed run, in bytes.
const MaxInflated = 256 << 10

// gzipMagic is how the header of gzip begins in base64.
const gzipMagic = "H4sI"

// maxBefore is within how many characters of a run the header of gzip ends.
const maxBefore = 128

// NextCompressed returns where, from i on, a run of base64 may hold the header of gzip or zlib,
// or -1. A path or a word may precede that of gzip; that of zlib, which is short, is within the
// first four characters.
func NextCompressed(run string, i int) int {
	for k := i; k < min(4, len(run)); k++ {
		if hasZlibHeader(run[k:]) {
			return k
		}
	}
	if i < maxBefore {
		if k := strings.Index(run[i:min(len(run), maxBefore)], gzipMagic); k >= 0 {
			return i + k
		}
	}
	return -1
}

// Inflated returns what a run of base64 that begins with the header of gzip or zlib holds, but
// no more than limit bytes of it. Damaged or truncated data is decoded as far as it goes.
func Inflated(run string, limit int) []byte {
	in := bytes.NewReader(fromSextets(run))
	var r io.Reader
	var err error
	if strings.HasPrefix(run, gzipMagic) {
		r, err = gzip.NewReader(in)
	} else {
		r, err = zlib.NewReader(in)
	}
	if err != nil {
		return nil
	}
	out, _ := io.ReadAll(io.LimitReader(r, int64(min(limit, MaxInflated)))) // what precedes an error counts
	return out
}

// hasZlibHeader reports whether a run of base64 begins with the two bytes of zlib's header:
// the method and window that every encoder writes, and flags that make the two a multiple of
// 31, without a preset dictionary.
func hasZlibHeader(run string) bool {
	if len(run) < MinEncoded || run[0] != 'e' {
		return false
	}
	y, z := lex.Sextets[run[1]], lex.Sextets[run[2]]
	flags := y<<4 | z>>2
	return y>>4 == 0 && z != 0xff && flags&0x20 == 0 && (0x78<<8|int(flags))%31 == 0
}

// fromSextets decodes a run of base64 to bytes of any kind, skipping what is not in its
// alphabets.
func fromSextets(run string) []byte {
	out, bits, n := make([]byte, 0, len(run)*3/4), uint32(0), 0
	for i := 0; i < len(run); i++ {
		v := lex.Sextets[run[i]]
		if v == 0xff {
			continue
		}
		if bits, n = bits<<6|uint32(v), n+6; n >= 8 {
			n -= 8
			out = append(out, byte(bits>>n))
		}
	}
	return out
}
