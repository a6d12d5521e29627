package decode

import (
	"math/bits"

	"candor/safety/internal/lex"
)

// MinEncoded is the length of the shortest run that can hide a credential: 16 bytes in base64,
// 12 in hex.
const MinEncoded = 24

// MaxEncoded bounds how much of one run is decoded, in bytes of the run.
const MaxEncoded = 64 << 10

var encoding = lex.NewClass("A-Za-z0-9+/_-")

// runStep is the distance between the offsets at which NextRun looks. A run of MinEncoded bytes
// contains one of them and the eight bytes behind it.
const runStep = 16

// NextRun finds the next run from i on of base64 characters, of at least MinEncoded, in the
// standard or the URL alphabet, or of at least MinApart characters that are apart. Eight bytes
// with a blank or a sign are in no run of base64, so prose costs few loads per step. NextRun
// returns to == 0 if there is neither.
func NextRun(s string, i int) (from, to int, apart bool) {
	for low := i; i+8 <= len(s); i += runStep {
		if signs := lex.SignMask(lex.Load8(s, i)); signs != 0 {
			if signs&(signs>>16) == 0 {
				continue // nearly always
			}
			if signs&evenSigns == evenSigns {
				from, to = apartAround(s, low, i)
			} else if signs&(evenSigns<<8) == evenSigns<<8 {
				from, to = apartAround(s, low, i+1)
			} else {
				continue
			}
			if to-from >= 2*MinApart-1 {
				return from, to, true
			}
			continue
		}
		if i-8 >= low && i+16 <= len(s) {
			before, behind := lex.SignMask(lex.Load8(s, i-8)), lex.SignMask(lex.Load8(s, i+8))
			if before != 0 && behind != 0 || isShort(s, i, low, before, behind) {
				continue // a run around these eight bytes is shorter than MinEncoded
			}
		}
		from, to = encoding.Back(s, i, i-low), encoding.Run(s, i, len(s))
		if to-from >= MinEncoded {
			return from, wrapped(s, from, to), false
		}
		i = max(i, to-runStep)
	}
	return 0, 0, false
}

// isShort reports whether the stretch around s[i:i+8] that has no blank and no sign is shorter than
// MinEncoded. It begins at low or later. before and behind mark the signs in the eight bytes on
// either side; one of them is 0.
func isShort(s string, i, low int, before, behind uint64) bool {
	switch {
	case behind == 0 && i+24 <= len(s):
		behind = lex.SignMask(lex.Load8(s, i+16))
	case before == 0 && i-16 >= low:
		before = lex.SignMask(lex.Load8(s, i-16))
	}
	return before != 0 && behind != 0 &&
		bits.LeadingZeros64(before)/8+bits.TrailingZeros64(behind)/8 < MinEncoded-16
}

// wrapped returns the end of a run that goes on over line ends, as in mail: full lines of one
// length that decodes on its own, each behind what quotes or indents it, and a shorter last line.
func wrapped(s string, from, to int) int {
	width := to - from
	for width >= MinEncoded && width%4 == 0 {
		line := NextLine(s, to)
		if line < 0 {
			break
		}
		end := encoding.Run(s, line, width)
		full := end-line == width
		if end == line || !full && !lastLine(s, line, end) || full && end < len(s) && encoding[s[end]] {
			break
		}
		to = end
		if !full {
			break
		}
	}
	return to
}

// NextLine returns where the text of the next line starts, behind what quotes or indents it, if
// a line ends at i; else -1.
func NextLine(s string, i int) int {
	if i < len(s) && s[i] == '\r' {
		i++
	}
	if i >= len(s) || s[i] != '\n' {
		return -1
	}
	i++
	for stop := min(len(s), i+maxLead); i < stop && lead[s[i]]; {
		i++
	}
	return i
}

// lead are the bytes that quote, comment or indent a line; at most maxLead of them appear there.
var lead = lex.NewClass(" \t>#|*;%\xe2\x94\x82")

const maxLead = 16

// lastLine reports whether a line shorter than those before it is the last one of an encoded text
// rather than a word: padding follows it, or it is long, or it holds more than letters.
func lastLine(s string, from, to int) bool {
	if pads := lex.Classes['e'].Run(s, to, 6); pads > to {
		return (pads-from)%4 == 0 && (pads == len(s) || !lex.Alnum[s[pads]]) // else NAME=value
	}
	if to < len(s) && s[to] == ' ' {
		l := lex.CountChars(s[from:to])
		return to-from >= 16 && l.Upper > 1 && l.Lower > 1 && l.Digit > 1
	}
	return to-from > 12 || lex.Classes['z'].Run(s, from, to-from) < to
}

// FromBase64 decodes a run into buf, skipping line ends. It returns nil as soon as the output is
// not text, which most identifiers show within a few bytes.
func FromBase64(run string, buf []byte) []byte {
	out, odd, acc, n := buf[:0], 0, uint32(0), 0
	for i := 0; i < len(run); {
		if n == 0 && i+4 <= len(run) { // nearly always
			a, b, c, d := lex.Sextets[run[i]], lex.Sextets[run[i+1]], lex.Sextets[run[i+2]], lex.Sextets[run[i+3]]
			if a|b|c|d != 0xff {
				x, y, z := a<<2|b>>4, b<<4|c>>2, c<<6|d
				out, i = append(out, x, y, z), i+4
				if odd += int(oddBytes[x]) + int(oddBytes[y]) + int(oddBytes[z]); odd > 2+len(out)/16 {
					return nil
				}
				continue
			}
		}
		v := lex.Sextets[run[i]]
		i++
		if v == 0xff {
			continue
		}
		acc = acc<<6 | uint32(v)
		if n++; n < 4 {
			continue
		}
		out = append(out, byte(acc>>16), byte(acc>>8), byte(acc))
		n, acc = 0, 0
	}
	switch n {
	case 2:
		out = append(out, byte(acc>>4))
	case 3:
		out = append(out, byte(acc>>10), byte(acc>>2))
	}
	return out
}

// FromWide decodes a run of base64 whose text is in UTF-16, such as the argument of
// PowerShell's -EncodedCommand. It returns nil if the run does not begin with a byte
// order mark or a character of ASCII, or is not text.
func FromWide(run string, buf []byte) []byte {
	if len(run) < 2*MinEncoded {
		return nil
	}
	head := [2]byte{
		lex.Sextets[run[0]]<<2 | lex.Sextets[run[1]]>>4,
		lex.Sextets[run[1]]<<4 | lex.Sextets[run[2]]>>2,
	}
	if hasMark := head[0] == 0xff && head[1] == 0xfe; !hasMark && (head[0] == 0) == (head[1] == 0) {
		return nil
	}
	out, acc, n, odd := buf[:0], uint32(0), 0, 0
	for i := 0; i < len(run) && odd < 4; i++ {
		v := lex.Sextets[run[i]]
		if v == 0xff {
			continue
		}
		acc, n = acc<<6|uint32(v), n+6
		if n < 8 {
			continue
		}
		n -= 8
		switch b := byte(acc >> n); {
		case lex.IsText(b):
			out = append(out, b)
		case b != 0:
			odd++
		}
	}
	if odd == 4 {
		return nil
	}
	return out
}

// FromHex decodes a run into buf. It skips line ends, and the quote marks or
// indentation at the start of the next line. It returns nil if the run is not hex or
// not text.
func FromHex(run string, buf []byte) []byte {
	out, odd := buf[:0], 0
	for i := 0; i+1 < len(run); i += 2 {
		if next := NextLine(run, i); next >= 0 {
			if i = next; i+1 >= len(run) {
				break
			}
		}
		high, low := lex.Nibbles[run[i]], lex.Nibbles[run[i+1]]
		if high|low == 0xff {
			return nil
		}
		b := high<<4 | low
		odd += int(oddBytes[b])
		if out = append(out, b); odd > 1+len(out)/16 {
			return nil
		}
	}
	return out
}

// oddBytes is 1 for bytes that text does not hold.
var oddBytes = func() (t [256]uint8) {
	for b := range t {
		if !lex.IsText(byte(b)) {
			t[b] = 1
		}
	}
	return t
}()

// EncodedLines returns the start of the lines of encoded text that end directly before h, the
// start of a line: full lines, and perhaps a shorter last one. It returns h if there are none. A
// stream keeps them back, since the next line may belong to them.
func EncodedLines(s string, h int) int {
	from := h
	for short := true; ; short = false {
		line := lineEnd(s, h)
		if line < 0 {
			return from
		}
		for k := 0; k < 2 && line > 0 && s[line-1] == '='; k++ {
			line--
			short = true
		}
		start := encoding.Back(s, line, MaxEncoded)
		if start == line {
			return from
		}
		h = start
		if full := line-start >= MinEncoded && (line-start)%4 == 0; full {
			from = start
		} else if !short {
			return from
		}
	}
}

// lineEnd returns the end of the line before the one that starts at h, quoted or indented as it
// may be, or -1.
func lineEnd(s string, h int) int {
	i := h
	for i > 0 && i > h-maxLead && lead[s[i-1]] {
		i--
	}
	if i == 0 || s[i-1] != '\n' {
		return -1
	}
	i--
	if i > 0 && s[i-1] == '\r' {
		i--
	}
	return i
}

// base32Values maps the characters of base32, in either case, to their values; 0xff is none.
var base32Values = func() (t [256]uint8) {
	for b := range t {
		switch c := byte(b); {
		case lex.IsLetter(c):
			t[b] = lex.ToLower(c) - 'a'
		case c >= '2' && c <= '7':
			t[b] = c - '2' + 26
		default:
			t[b] = 0xff
		}
	}
	return t
}()

// FromBase32 decodes a run of base32, as RFC 4648 defines it, into buf. It reads letters of
// either case, but not of both, and skips line ends. It returns nil if the run has other
// characters or its output is not text, which the run of another encoding shows within a few
// bytes.
func FromBase32(run string, buf []byte) []byte {
	if len(run) < MinEncoded {
		return nil
	}
	out, odd, bits, n := buf[:0], 0, uint32(0), 0
	var cases byte
	for i := 0; i < len(run); i++ {
		if next := NextLine(run, i); next >= 0 {
			if i = next; i >= len(run) {
				break
			}
		}
		v := base32Values[run[i]]
		if v < 26 {
			cases |= 1 << (run[i] >> 5 & 1)
		}
		if v == 0xff || cases == 3 {
			return nil
		}
		if bits, n = bits<<5|uint32(v), n+5; n < 8 {
			continue
		}
		n -= 8
		b := byte(bits >> n)
		odd += int(oddBytes[b])
		if out = append(out, b); odd > 1+len(out)/16 {
			return nil
		}
	}
	return out
}

// Padded returns the end of a run from..to with the padding that follows it: up to two signs
// behind base64, up to six behind base32, whose letters are of one case.
func Padded(s string, from, to int) int {
	limit := 2
	if upper, lower := base32Upper.Run(s, from, to-from), base32Lower.Run(s, from, to-from); max(upper, lower) == to {
		limit = 6
	}
	return lex.Classes['e'].Run(s, to, limit)
}

var base32Upper, base32Lower = lex.NewClass("A-Z2-7"), lex.NewClass("a-z2-7")
