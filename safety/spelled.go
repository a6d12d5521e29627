package safety

import "strings"

// minSpelled is how many numbers in a row may hide a credential.
const minSpelled = 12

// probeStep is how far apart the places are that are asked whether numbers stand
// there: a series that counts holds one of them and the eight bytes behind it.
const probeStep = 32

// series is a text spelled as numbers with the same sign between any two: bytes in
// hex, pairs of them, decimals, the lines of a dump.
type series struct {
	from, to int
	tokens   int
	lens     [5]int // how many tokens have so many digits
	decimal  bool   // all are decimal digits
	dump     bool   // lines have an offset and a column of text
}

// nextSeries finds the next series from i on.
func nextSeries(s string, i int) (sr series, ok bool) {
	for low := i; i+probeStep+8 <= len(s); i += probeStep {
		if w := eight(s, i); digitTops(w) == 0 || digitTops(w)|letterTops(w) == tops {
			continue // no number, or one too long
		}
		at := twoTokens(s, i, i+8)
		if at < 0 {
			continue
		}
		sr = readSeries(s, seriesStart(s, at, max(low, at-3*probeStep)))
		if sr.to <= at {
			sr = readSeries(s, max(low, alnum.back(s, at, 12)))
		}
		if sr.tokens >= minSpelled || sr.tokens >= minSpelled/2 && sr.lens[4] >= sr.tokens-1 {
			return sr, true
		}
		i = max(i, sr.to-probeStep)
	}
	return series{}, false
}

// twoTokens is where between i and end a number stands that another one follows, or
// -1. The numbers of escapes do not count, which are read as such.
func twoTokens(s string, i, end int) int {
	for ; i < end; i++ {
		if !digits[s[i]] {
			continue
		}
		start, run := alnum.back(s, i, 6), alnum.run(s, i, 9)
		if run-start > 8 { // too long for a number
			i = run - 1
			continue
		}
		_, to, ok := spelledToken(s, start)
		if ok && (start == 0 || strings.IndexByte(`%\#`, s[start-1]) < 0) {
			if _, next, more := between(s, to); more {
				if _, _, ok = spelledToken(s, next); ok {
					return i
				}
			}
		}
		i = max(i, to-1)
	}
	return -1
}

// spelledToken reads the number at i: its digits, behind 0x or the like, and whether
// it may be a byte or two of text.
func spelledToken(s string, i int) (from, to int, ok bool) {
	to = alnum.run(s, i, 12)
	from = i
	if to-i > 2 && s[i] == '0' && lower(s[i+1]) == 'x' {
		from += 2
	}
	n := to - from
	if n < 2 || n > 4 || classes['x'].run(s, from, n) < to {
		return from, to, false
	}
	switch v := s[from:to]; {
	case n == 4:
		return from, to, hexText(v[:2]) && hexText(v[2:])
	case n == 2 && hexText(v):
		return from, to, true
	default:
		d, all := decimal(v)
		return from, to, all && (textual(byte(d)) && d < 0x7f || n == 3 && octalText(v))
	}
}

func hexText(v string) bool {
	return textual(nibbles[v[0]]<<4 | nibbles[v[1]])
}

func decimal(v string) (n int, ok bool) {
	for i := range len(v) {
		if !digits[v[i]] {
			return 0, false
		}
		n = n*10 + int(v[i]-'0')
	}
	return n, true
}

func octalText(v string) bool {
	return v[0] <= '1' && v[1] <= '7' && v[2] <= '7' && textual((v[0]-'0')<<6|(v[1]-'0')<<3|(v[2]-'0'))
}

// between is where the next number starts behind one that ends at i: a few signs
// stand between, or a line end with what leads the next line.
func between(s string, i int) (sign string, next int, ok bool) {
	j := i
	for j < len(s) && j < i+7 && !alnum[s[j]] && s[j] != '\n' {
		j++
	}
	if j < len(s) && (s[j] == '\n' || s[j] == '\r') {
		sign = s[i:j]
		for j < len(s) && j < i+32 && !alnum[s[j]] {
			j++
		}
	} else {
		sign = s[i:j]
	}
	return strings.Trim(sign, " \r\t"), j, j > i && j < len(s)
}

// readSeries reads the series that starts at i.
func readSeries(s string, i int) series {
	sr := series{from: i, to: i, decimal: true}
	sign := ""
	for i < len(s) {
		from, to, ok := spelledToken(s, i)
		if !ok {
			next := dumpLine(s, sr.to)
			if next <= i || sr.tokens == 0 || !sr.dump && offsetEnd(s, strings.LastIndexByte(s[:sr.from], '\n')+1) < 0 {
				break
			}
			sr.dump, i = true, next
			continue
		}
		_, all := decimal(s[from:to])
		sr.tokens, sr.to, sr.decimal = sr.tokens+1, to, sr.decimal && all
		sr.lens[to-from]++
		between, next, ok := between(s, to)
		if !ok || sr.tokens > 1 && between != sign && between != "|" { // which opens a column of text
			break
		}
		if sr.tokens == 1 {
			if sign = between; sign == "%" || sign == `\` {
				break // escapes, which are read as such
			}
		}
		i = next
	}
	if sr.dump {
		if k := strings.IndexByte(s[sr.to:min(len(s), sr.to+100)], '\n'); k >= 0 {
			sr.to += k
		} else if len(s)-sr.to < 100 {
			sr.to = len(s)
		}
	}
	return sr
}

// dumpLine is where the numbers of the next line of a dump start, -1 where no such
// line follows.
func dumpLine(s string, i int) int {
	k := strings.IndexByte(s[i:min(len(s), i+60)], '\n')
	if k < 1 {
		return -1
	}
	return offsetEnd(s, i+k+1)
}

// offsetEnd is where the numbers start on the line of a dump that starts at i, or -1.
func offsetEnd(s string, i int) int {
	to := classes['x'].run(s, i, 9)
	if to-i < 6 || to-i > 8 || to >= len(s) || s[to] != ':' && s[to] != ' ' {
		return -1
	}
	if s[to] == ':' {
		to++
	}
	return skipBlank(s, to, 4)
}

// seriesStart draws i back to where the series starts that a number at i is part of,
// not before low.
func seriesStart(s string, i, low int) int {
	i = max(low, alnum.back(s, i, 12))
	for i > low {
		end := i
		for end > 0 && end > i-32 && !alnum[s[end-1]] {
			end--
		}
		if end == 0 || end == i {
			return i
		}
		start := alnum.back(s, end, 12)
		if _, to, ok := spelledToken(s, start); !ok || to != end || start < low {
			return i
		}
		i = start
	}
	return i
}

// bytes are what a series spells, read in one way; nil if it cannot be read so.
func (sr *series) bytes(s string, buf []byte, read func(v string, out []byte) []byte) []byte {
	out, n := buf[:0], 0
	for i := sr.from; i < sr.to; {
		from, to, ok := spelledToken(s, i)
		if !ok {
			next := dumpLine(s, n)
			if next <= i || next > sr.to {
				break
			}
			i = next
			continue
		}
		out = read(s[from:to], out)
		_, next, ok := between(s, to)
		if n = to; !ok || out == nil {
			break
		}
		i = next
	}
	return out
}

func readHex(v string, out []byte) []byte {
	for ; len(v) >= 2; v = v[2:] {
		out = append(out, nibbles[v[0]]<<4|nibbles[v[1]])
	}
	if len(v) > 0 {
		return nil
	}
	return out
}

func readDecimal(v string, out []byte) []byte {
	n, ok := decimal(v)
	if !ok || n > 255 {
		return nil
	}
	return append(out, byte(n))
}

func readOctal(v string, out []byte) []byte {
	if len(v) != 3 || !octalText(v) {
		return nil
	}
	return append(out, (v[0]-'0')<<6|(v[1]-'0')<<3|(v[2]-'0'))
}

// spelled reports which rule matches what a series spells, in one of the ways it can
// be read.
func (p *probe) spelled(s string, sr *series, depth int) (rule int, ok bool) {
	var scratch [512]byte
	ways := [...]func(string, []byte) []byte{readHex, readDecimal, readOctal}
	for k, read := range ways {
		if k > 0 && !sr.decimal || k == 0 && sr.lens[3] > 0 {
			continue
		}
		if out := sr.bytes(s, scratch[:0], read); len(out) >= minSpelled {
			if rule, ok = p.decoded(out, depth); ok {
				return rule, ok
			}
		}
	}
	return 0, false
}

// spelledStart draws h back to the start of a series that ends there and may go on.
func spelledStart(s string, h int) int {
	line := strings.LastIndexByte(s[:h], '\n') + 1
	if to := classes['x'].run(s, line, 9); offsetEnd(s, line) >= 0 && h-line < 100 {
		if line == 0 {
			return 0
		}
		return min(line, spelledStart(s, line-1)) // a dump
	} else if to == len(s) && line > 0 && to-line <= 8 {
		return min(h, spelledStart(s, line-1)) // its next offset
	}
	end := h
	for end > 0 && end > h-32 && !alnum[s[end-1]] {
		end--
	}
	start := alnum.back(s, end, 12)
	if end == 0 || start == end {
		return h
	}
	if _, to, ok := spelledToken(s, start); !ok || to != end {
		return h
	}
	return seriesStart(s, start, 0)
}
