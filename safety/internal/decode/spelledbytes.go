package decode

import "candor/safety/internal/lex"

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
