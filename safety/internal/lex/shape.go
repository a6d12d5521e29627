package lex

import (
	"math/bits"
	"strings"
)

// LooksGenerated reports whether v is random, or its letters change case more often
// than those of words.
func LooksGenerated(v string) bool { return Random(v) || CaseChanges(v)*3 >= len(v) }

// NotWords reports whether v looks generated, or is not made of words that can be
// pronounced.
func NotWords(v string) bool {
	if LooksGenerated(v) {
		return true
	}
	words, _, _ := WordsIn(v)
	return words == 0
}

// LooksGeneratedInBothCases reports whether v is random and has letters of both cases.
// The class names of a web page, which are random, too, have one case.
func LooksGeneratedInBothCases(v string) bool { return Random(v) && MixedCase(v) }

// Scrambled reports whether the letters of v change case at nearly every other place,
// as in aBcDeFgHiJ. Those of names never do.
func Scrambled(v string) bool { return len(v) >= 10 && CaseChanges(v)*5 >= (len(v)-1)*2 }

// CaseChanges counts the places where two letters in a row differ in case.
func CaseChanges(v string) int {
	n := 0
	for i := 1; i < len(v); i++ {
		if IsLetter(v[i]) && IsLetter(v[i-1]) && IsUpper(v[i]) != IsUpper(v[i-1]) {
			n++
		}
	}
	return n
}

// MixedCase reports whether s has at least two letters of either case.
func MixedCase(s string) bool {
	l := CountChars(s)
	return l.Upper >= 2 && l.Lower >= 2
}

// CharStats counts the bytes of a value by kind: lower-case letters, upper-case
// letters, digits, and all others. Distinct counts the different bytes among them; Hex
// says that all are hex digits or hyphens.
type CharStats struct {
	Lower, Upper, Digit, Other, Distinct int
	Hex                                  bool
}

// StatsLimit is how many bytes of a value are counted: more change no verdict.
const StatsLimit = 128

// lanes adds one to the count of a byte's kind, in 16 bits each: lower case, upper
// case, digits, others. notHex is 1 for the bytes that no digest holds.
var lanes, notHex = func() (count [256]uint64, odd [256]uint8) {
	for b := range count {
		c := byte(b)
		switch {
		case c-'a' < 26:
			count[b] = 1
		case c-'A' < 26:
			count[b] = 1 << 16
		case c-'0' < 10:
			count[b] = 1 << 32
		default:
			count[b] = 1 << 48
		}
		if !Classes['x'][c] && c != '-' {
			odd[b] = 1
		}
	}
	return count, odd
}()

// CountChars counts the bytes of v by kind, up to StatsLimit of them.
func CountChars(v string) CharStats {
	v = v[:min(len(v), StatsLimit)]
	var sum, low, mid uint64
	var high [2]uint64 // the bytes above ASCII are rare
	var odd uint8
	for i := 0; i < len(v); i++ {
		b := v[i]
		sum += lanes[b]
		odd |= notHex[b]
		switch bit := uint64(1) << (b & 63); b >> 6 {
		case 0:
			low |= bit
		case 1:
			mid |= bit
		default:
			high[b>>6&1] |= bit
		}
	}
	return CharStats{
		Lower: int(sum & 0xffff), Upper: int(sum >> 16 & 0xffff), Digit: int(sum >> 32 & 0xffff), Other: int(sum >> 48),
		Hex:      odd == 0,
		Distinct: bits.OnesCount64(low) + bits.OnesCount64(mid) + bits.OnesCount64(high[0]) + bits.OnesCount64(high[1]),
	}
}

// HasDigit reports whether one of the first [StatsLimit] bytes of v is a digit. It reads
// eight bytes at a time.
func HasDigit(v string) bool {
	v = v[:min(len(v), StatsLimit)]
	i := 0
	for ; i+8 <= len(v); i += 8 {
		if AnyDigit(Load8(v, i)) {
			return true
		}
	}
	for ; i < len(v); i++ {
		if Digits[v[i]] {
			return true
		}
	}
	return false
}

// AnyDigit reports whether any of eight bytes is a digit.
func AnyDigit(x uint64) bool { return DigitMask(x) != 0 }

// DigitMask sets the top bit of each of eight bytes that is a digit. XOR with 0x30 maps
// the digits to 0 to 9; adding 0x76 to any larger number below 0x80 sets the top bit,
// and no byte carries into the next one.
func DigitMask(x uint64) uint64 {
	x ^= Ones * 0x30
	return ^(x&^HighBits + Ones*0x76 | x) & HighBits
}

// Random reports whether v looks generated: at least 16 bytes of several kinds, many of
// them different, with a digit and few signs. A digest or a UUID, all hex, is not random.
func Random(v string) bool {
	if len(v) < 16 || !HasDigit(v) {
		return false
	}
	l := CountChars(v)
	kinds := 0
	for _, n := range [...]int{l.Lower, l.Upper, l.Digit} {
		if n > 0 {
			kinds++
		}
	}
	return !l.Hex && kinds >= 2 && l.Distinct >= 9 && l.Other*3 < len(v)
}

// WordsIn counts the words of a name or a path, split at signs, digits and changes of
// case, and reports whether hyphens or slashes join them. It returns 0 if any part
// cannot be pronounced or the words are too short on average, as in a generated value.
func WordsIn(text string) (n int, hyphen, slash bool) {
	letters := 0
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '-':
			hyphen = true
			i++
			continue
		case c == '/':
			slash = true
			i++
			continue
		case c == '_' || c == '.' || Digits[c]:
			i++
			continue
		case !IsLetter(c):
			return 0, false, false
		}
		run := Classes['z'].Run(text, i, len(text))
		to := i + 1
		for to < run && !WordBreak(text, to, run) {
			to++
		}
		if !pronounced(text[i:to]) {
			return 0, false, false
		}
		letters += to - i
		n, i = n+1, to
	}
	if letters < 3*n || letters < 4*n && !slash {
		return 0, false, false
	}
	return n, hyphen, slash
}

// pronounced reports whether a word of at most 16 letters can be pronounced.
func pronounced(word string) bool { return len(word) <= 16 && Pronounceable(word) }

// Pronounceable reports whether a word of any length, or several run together, can be
// pronounced: one letter in six is a vowel, and no more than four consonants follow each
// other. Generated values seldom can.
func Pronounceable(word string) bool {
	vowels, cluster := 0, 0
	for i := range len(word) {
		if strings.IndexByte("aeiouy", ToLower(word[i])) >= 0 {
			vowels++
			cluster = 0
		} else if cluster++; cluster > 4 {
			return false
		}
	}
	return vowels*6 >= len(word) || len(word) < 4
}
