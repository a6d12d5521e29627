package lex

import (
	"math/bits"
	"strings"
)

// LooksGenerated is random, or letters that change case too often for words.
func LooksGenerated(v string) bool { return Random(v) || CaseChanges(v)*3 >= len(v) }

// NotWords is drawn by a machine, or one run of letters that is no word.
func NotWords(v string) bool {
	if LooksGenerated(v) {
		return true
	}
	words, _, _ := WordsIn(v)
	return words == 0
}

// LooksGeneratedInBothCases is random with letters of both cases, as no class of a page is.
func LooksGeneratedInBothCases(v string) bool { return Random(v) && MixedCase(v) }

// Scrambled is letters that change case at nearly every other place, as those of
// no name do.
func Scrambled(v string) bool { return len(v) >= 10 && CaseChanges(v)*5 >= (len(v)-1)*2 }

// CaseChanges is how often letters change case.
func CaseChanges(v string) int {
	n := 0
	for i := 1; i < len(v); i++ {
		if IsLetter(v[i]) && IsLetter(v[i-1]) && IsUpper(v[i]) != IsUpper(v[i-1]) {
			n++
		}
	}
	return n
}

// MixedCase reports whether s has at least two small letters and two capitals.
func MixedCase(s string) bool {
	l := CountChars(s)
	return l.Upper >= 2 && l.Lower >= 2
}

// CharStats tells what kinds of bytes a value is made of.
type CharStats struct {
	Lower, Upper, Digit, Other, Distinct int
	Hex                                  bool
}

// StatsLimit is how much of a value tells what it looks like.
const StatsLimit = 128

// lanes count the kinds of bytes, 16 bits each: lower case, upper case, digits,
// others. notHex marks what a digest does not hold.
var lanes, notHex = func() (lanes [256]uint64, notHex [256]uint8) {
	for b := range lanes {
		c := byte(b)
		switch {
		case c-'a' < 26:
			lanes[b] = 1
		case c-'A' < 26:
			lanes[b] = 1 << 16
		case c-'0' < 10:
			lanes[b] = 1 << 32
		default:
			lanes[b] = 1 << 48
		}
		if !Classes['x'][c] && c != '-' {
			notHex[b] = 1
		}
	}
	return lanes, notHex
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
		Lower: int(sum & 0xffff), Upper: int(sum >> 16 & 0xffff), Digit: int(sum >> 32 & 0xffff), Other: int(sum >> 48), Hex: odd == 0,
		Distinct: bits.OnesCount64(low) + bits.OnesCount64(mid) + bits.OnesCount64(high[0]) + bits.OnesCount64(high[1]),
	}
}

// HasDigit reports whether a digit stands in what tells how a value looks.
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

// DigitMask has the top bit of those of eight bytes that are digits. Less 0x30, a digit
// is below ten; what is below ten does not reach the top bit when 0x76 is added, and no
// byte carries into the next one.
func DigitMask(x uint64) uint64 {
	x ^= Ones * 0x30
	return ^(x&^HighBits + Ones*0x76 | x) & HighBits
}

// Random reports whether a value looks drawn by a machine: long, of several
// kinds of bytes, and not a digest, which is hex or a UUID.
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

// WordsIn counts the words a text is made of, digits apart, 0 where it is made of
// more than words, and tells whether hyphens or slashes join them.
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

// pronounced reports whether a word has the vowels and the clusters of one that
// can be said; what a machine drew seldom has.
func pronounced(word string) bool { return len(word) <= 16 && Pronounceable(word) }

// Pronounceable is pronounced for words of any length, also several run together.
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
