package decode

import (
	"strings"

	"candor/safety/internal/lex"
)

// MinSpelled is how many numbers in a row may hide a credential. A shorter row is a date, an
// address, a list of ports.
const MinSpelled = 12

// probeStep is the distance between the offsets at which NextSeries looks for numbers. A
// series of MinSpelled numbers is longer, so it holds one of the offsets and the eight
// bytes behind it, and text without numbers costs one load of eight bytes per step.
const probeStep = 32

// Series is a text spelled as numbers with the same sign between any two:
//
//	70 61 73 73            bytes in hex, with or without 0x
//	7061 7373              pairs of them
//	[112, 97, 115, 115]    bytes in decimal, as source code lists them
//	160 141 163 163        bytes in octal
type Series struct {
	From, To int
	tokens   int
	Lens     [5]int // how many tokens have so many digits
	Decimal  bool   // all are decimal digits
}

// NextSeries finds the next series from i on that is long enough to hide a credential.
// The readers below decode it; several may be able to read the same series.
func NextSeries(s string, i int) (sr Series, ok bool) {
	for low := i; i+probeStep+8 <= len(s); i += probeStep {
		if w := lex.Load8(s, i); lex.DigitMask(w) == 0 || lex.DigitMask(w)|lex.LetterMask(w) == lex.HighBits {
			continue // no number, or one too long
		}
		at := twoTokens(s, i, i+8)
		if at < 0 {
			continue
		}
		sr = readSeries(s, seriesStart(s, at, max(low, at-3*probeStep)))
		if sr.To <= at {
			sr = readSeries(s, max(low, lex.Alnum.Back(s, at, 12)))
		}
		if sr.tokens >= MinSpelled || sr.tokens >= MinSpelled/2 && sr.Lens[4] >= sr.tokens-1 {
			return sr, true
		}
		i = max(i, sr.To-probeStep)
	}
	return Series{}, false
}

// twoTokens returns the index, between i and end, of a number that is followed by
// another one, or -1. The numbers of escapes (%41, \x41, &#65;) do not count, since
// they are decoded as escapes.
func twoTokens(s string, i, end int) int {
	for ; i < end; i++ {
		if !lex.Digits[s[i]] {
			continue
		}
		start, run := lex.Alnum.Back(s, i, 6), lex.Alnum.Run(s, i, 9)
		if run-start > 8 { // too long for a number
			i = run - 1
			continue
		}
		_, to, ok := spelledToken(s, start)
		if ok && (start == 0 || strings.IndexByte(`%\#`, s[start-1]) < 0) {
			if _, next, more := gapAfter(s, to); more {
				if _, _, ok = spelledToken(s, next); ok {
					return i
				}
			}
		}
		i = max(i, to-1)
	}
	return -1
}

// gapAfter returns the sign between a number that ends at i and the next one, and where
// that one starts. A gap is a few signs, or a line end and the signs at the start of
// the next line.
func gapAfter(s string, i int) (sign string, next int, ok bool) {
	j := i
	for j < len(s) && j < i+7 && !lex.Alnum[s[j]] && s[j] != '\n' {
		j++
	}
	if j < len(s) && (s[j] == '\n' || s[j] == '\r') {
		sign = s[i:j]
		for j < len(s) && j < i+32 && !lex.Alnum[s[j]] {
			j++
		}
	} else {
		sign = s[i:j]
	}
	return strings.Trim(sign, " \r\t"), j, j > i && j < len(s)
}

// readSeries reads the series that starts at i.
func readSeries(s string, i int) Series {
	sr := Series{From: i, To: i, Decimal: true}
	sign := ""
	for i < len(s) {
		from, to, ok := spelledToken(s, i)
		if !ok {
			break
		}
		sr.add(s[from:to], to)
		between, next, ok := gapAfter(s, to)
		if sr.tokens == 1 {
			sign = between
		}
		if !ok || !sr.mayContinue(sign, between) {
			break
		}
		i = next
	}
	return sr
}

// add adds the number v, which ends at index to, to the counts of the series.
func (sr *Series) add(v string, to int) {
	_, all := decimal(v)
	sr.tokens, sr.To, sr.Decimal = sr.tokens+1, to, sr.Decimal && all
	sr.Lens[len(v)]++
}

// mayContinue reports whether between separates numbers of the series, whose first two
// numbers sign separates. Numbers behind a percent sign or a backslash are escapes, which are decoded
// as such.
func (sr *Series) mayContinue(sign, between string) bool {
	if sr.tokens == 1 {
		return sign != "%" && sign != `\`
	}
	return between == sign
}

// seriesStart moves i back to the start of the series that the number at i is part of, but not
// before low.
func seriesStart(s string, i, low int) int {
	i = max(low, lex.Alnum.Back(s, i, 12))
	for i > low {
		end := i
		for end > 0 && end > i-32 && !lex.Alnum[s[end-1]] {
			end--
		}
		if end == 0 || end == i {
			return i
		}
		start := lex.Alnum.Back(s, end, 12)
		if _, to, ok := spelledToken(s, start); !ok || to != end || start < low {
			return i
		}
		i = start
	}
	return i
}

// SpelledStart moves h back to the start of a series or of a dump that ends there and may go on. A
// stream keeps it back until it is whole.
func SpelledStart(s string, h int) int {
	h = dumpStart(s, h)
	end := h
	for end > 0 && end > h-32 && !lex.Alnum[s[end-1]] {
		end--
	}
	start := lex.Alnum.Back(s, end, 12)
	if end == 0 || start == end {
		return h
	}
	if _, to, ok := spelledToken(s, start); !ok || to != end {
		return h
	}
	return seriesStart(s, start, 0)
}

// spelledToken reads the number at i. It returns the bounds of its digits, without a
// leading 0x, and whether the number may encode one or two bytes of text. Numbers of
// two digits may be hex or decimal, those of three decimal or octal, those of four two
// bytes in hex.
func spelledToken(s string, i int) (from, to int, ok bool) {
	to = lex.Alnum.Run(s, i, 12)
	from = i
	if to-i > 2 && s[i] == '0' && lex.ToLower(s[i+1]) == 'x' {
		from += 2
	}
	n := to - from
	if n < 2 || n > 4 || lex.Classes['x'].Run(s, from, n) < to {
		return from, to, false
	}
	switch v := s[from:to]; {
	case n == 4:
		return from, to, lex.HexText(v[:2]) && lex.HexText(v[2:])
	case n == 2 && lex.HexText(v):
		return from, to, true
	default:
		d, all := decimal(v)
		return from, to, all && (lex.IsText(byte(d)) && d < 0x7f || n == 3 && octalText(v))
	}
}

// decimal reads a number whose digits are all decimal.
func decimal(v string) (n int, ok bool) {
	for i := range len(v) {
		if !lex.Digits[v[i]] {
			return 0, false
		}
		n = n*10 + int(v[i]-'0')
	}
	return n, true
}

// octalText reports whether three octal digits encode a byte of text.
func octalText(v string) bool {
	return v[0] <= '1' && v[1] <= '7' && v[2] <= '7' && lex.IsText((v[0]-'0')<<6|(v[1]-'0')<<3|(v[2]-'0'))
}

// Bytes appends to buf the bytes that the series spells. It calls read for each number;
// if read returns nil, because it cannot read the number, Bytes returns nil as well.
func (sr *Series) Bytes(s string, buf []byte, read func(v string, out []byte) []byte) []byte {
	out := buf[:0]
	for i := sr.From; i < sr.To; {
		from, to, ok := spelledToken(s, i)
		if !ok {
			break
		}
		out = read(s[from:to], out)
		_, next, ok := gapAfter(s, to)
		if !ok || out == nil {
			break
		}
		i = next
	}
	return out
}

// ReadHex appends the bytes that pairs of hex digits encode, or returns nil for an odd
// number of digits.
func ReadHex(v string, out []byte) []byte {
	for ; len(v) >= 2; v = v[2:] {
		out = append(out, lex.Nibbles[v[0]]<<4|lex.Nibbles[v[1]])
	}
	if len(v) > 0 {
		return nil
	}
	return out
}

// ReadDecimal appends the byte that a decimal number encodes, or returns nil for a
// number above 255.
func ReadDecimal(v string, out []byte) []byte {
	n, ok := decimal(v)
	if !ok || n > 255 {
		return nil
	}
	return append(out, byte(n))
}

// ReadOctal appends the byte that three octal digits encode, or returns nil.
func ReadOctal(v string, out []byte) []byte {
	if len(v) != 3 || !octalText(v) {
		return nil
	}
	return append(out, (v[0]-'0')<<6|(v[1]-'0')<<3|(v[2]-'0'))
}
