package decode

import "candor/safety/internal/lex"

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
