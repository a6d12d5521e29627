package safety

// minEncoded is the shortest run that can hide a credential: 16 bytes in
// base64, 12 in hex.
const minEncoded = 24

// maxEncoded bounds how much of one run is decoded.
const maxEncoded = 64 << 10

var encoding = newClass("A-Za-z0-9+/_-")

// nextRun finds the next run of base64 characters of at least minEncoded from i
// on. It reads each stretch of that length from its end: what is no such
// character there rules out all before it.
func nextRun(s string, i int) (from, to int) {
	for i+minEncoded <= len(s) {
		from = encoding.back(s, i+minEncoded, minEncoded)
		if from == i {
			to = encoding.run(s, i+minEncoded, len(s))
			return from, wrapped(s, from, to)
		}
		i = from
	}
	return 0, 0
}

// wrapped follows a run over line ends, as in mail: full lines of a length that
// decodes on its own, each behind what quotes or indents it.
func wrapped(s string, from, to int) int {
	width := to - from
	for width >= minEncoded && width%4 == 0 {
		line := nextLine(s, to)
		if line < 0 {
			break
		}
		end := encoding.run(s, line, width)
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

// nextLine is where the text of the next line starts, behind what quotes or
// indents it, if a line ends at i; else -1.
func nextLine(s string, i int) int {
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

// lead is what stands before each line of what is quoted, commented or indented;
// maxLead is how much of it there may be.
var lead = newClass(" \t>#|*;%\xe2\x94\x82")

const maxLead = 16

// lastLine reports whether a shorter line is the last one of something encoded and
// no word.
func lastLine(s string, from, to int) bool {
	if to < len(s) && s[to] == '=' {
		return true
	}
	if to < len(s) && s[to] == ' ' {
		l := look(s[from:to])
		return to-from >= 16 && l.upper > 1 && l.lower > 1 && l.digit > 1
	}
	return to-from > 12 || classes['z'].run(s, from, to-from) < to
}

// sextets are the values of base64's characters, of both alphabets; nibbles are
// those of hex digits. Anything else is 0xff.
var sextets, nibbles = func() (six, four [256]uint8) {
	for i := range six {
		six[i], four[i] = 0xff, 0xff
	}
	for i := range uint8(26) {
		six['A'+i], six['a'+i] = i, 26+i
	}
	for i := range uint8(10) {
		six['0'+i], four['0'+i] = 52+i, i
	}
	for i := range uint8(6) {
		four['A'+i], four['a'+i] = 10+i, 10+i
	}
	six['+'], six['-'], six['/'], six['_'] = 62, 62, 63, 63
	return six, four
}()

// fromBase64 decodes a run into buf, or gives nil as soon as what comes out is
// not text. Line ends are skipped.
func fromBase64(run string, buf []byte) []byte {
	out, odd, bits, n := buf[:0], 0, uint32(0), 0
	for i := 0; i < len(run); i++ {
		v := sextets[run[i]]
		if v == 0xff {
			continue
		}
		bits = bits<<6 | uint32(v)
		if n++; n < 4 {
			continue
		}
		x, y, z := byte(bits>>16), byte(bits>>8), byte(bits)
		out = append(out, x, y, z)
		n, bits = 0, 0
		if odd += int(oddBytes[x]) + int(oddBytes[y]) + int(oddBytes[z]); odd > 2+len(out)/16 {
			return nil
		}
	}
	switch n {
	case 2:
		out = append(out, byte(bits>>4))
	case 3:
		out = append(out, byte(bits>>10), byte(bits>>2))
	}
	return out
}

// fromWide decodes a run whose text is in UTF-16, as PowerShell's encoded commands
// are, or gives nil where it is none.
func fromWide(run string, buf []byte) []byte {
	if len(run) < 2*minEncoded {
		return nil
	}
	head := [3]byte{sextets[run[0]]<<2 | sextets[run[1]]>>4, sextets[run[1]]<<4 | sextets[run[2]]>>2, sextets[run[2]]<<6 | sextets[run[3]]}
	if marked := head[0] == 0xff && head[1] == 0xfe; !marked && (head[0] == 0) == (head[1] == 0) {
		return nil
	}
	out, bits, n, odd := buf[:0], uint32(0), 0, 0
	for i := 0; i < len(run) && odd < 4; i++ {
		v := sextets[run[i]]
		if v == 0xff {
			continue
		}
		bits, n = bits<<6|uint32(v), n+6
		if n < 8 {
			continue
		}
		n -= 8
		switch b := byte(bits >> n); {
		case textual(b):
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

// fromHex decodes a run into buf, or gives nil if it is not hex or not text. Line
// ends are skipped, with what stands before the next line.
func fromHex(run string, buf []byte) []byte {
	out, odd := buf[:0], 0
	for i := 0; i+1 < len(run); i += 2 {
		if next := nextLine(run, i); next >= 0 {
			if i = next; i+1 >= len(run) {
				break
			}
		}
		high, low := nibbles[run[i]], nibbles[run[i+1]]
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
		if !textual(byte(b)) {
			t[b] = 1
		}
	}
	return t
}()

func textual(b byte) bool { return b >= 0x20 && b < 0x7f || b == '\n' || b == '\t' || b == '\r' }
