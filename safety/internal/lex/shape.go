package lex

import (
	"math/bits"
)

// LooksGenerated reports whether v looks like the output of a generator: it is
// [Random], or its letters change case more often than those of words.
func LooksGenerated(v string) bool { return Random(v) || CaseChanges(v)*3 >= len(v) }

// NotWords reports whether v looks generated or is not made of pronounceable words.
func NotWords(v string) bool {
	if LooksGenerated(v) {
		return true
	}
	words, _, _ := WordsIn(v)
	return words == 0
}

// LooksGeneratedInBothCases reports whether v is [Random] and has letters of both
// cases. Identifiers of web pages, such as CSS class names, may be random but have
// few capitals.
func LooksGeneratedInBothCases(v string) bool { return Random(v) && MixedCase(v) }

// Scrambled reports whether v has at least ten bytes and the case of its letters
// changes at two of five places or more. No name does that, camelCase ones included.
func Scrambled(v string) bool { return len(v) >= 10 && CaseChanges(v)*5 >= (len(v)-1)*2 }

// Interleaved reports whether the digits of v appear in several places, or no run of lower-case
// letters in it is as long as word. An identifier has its digits together, and words in it.
func Interleaved(v string, word int) bool {
	groups, run, longest := 0, 0, 0
	for i := range len(v) {
		if Digits[v[i]] && (i == 0 || !Digits[v[i-1]]) {
			groups++
		}
		if run++; v[i]-'a' >= 26 {
			run = 0
		}
		longest = max(longest, run)
	}
	return groups > 1 || longest < word
}

// CaseChanges returns how many adjacent pairs of letters in v differ in case.
func CaseChanges(v string) int {
	n := 0
	for ; len(v) >= 8; v = v[7:] { // the last byte of a word is the first of the next
		w := Load8(v, 0)
		letters, small := LetterMask(w), w<<2 // the high bit of a small letter is set
		n += bits.OnesCount64(letters & (letters >> 8) & (small ^ small>>8))
	}
	for i := 1; i < len(v); i++ {
		if IsLetter(v[i]) && IsLetter(v[i-1]) && IsUpper(v[i]) != IsUpper(v[i-1]) {
			n++
		}
	}
	return n
}

// MixedCase reports whether s has at least two lower-case and two upper-case letters.
func MixedCase(s string) bool {
	stats := CountChars(s)
	return stats.Upper >= 2 && stats.Lower >= 2
}

// CharStats counts the bytes of a value by kind. It covers the first StatsLimit
// bytes only.
type CharStats struct {
	Lower, Upper, Digit, Other int  // Other includes every byte of a non-ASCII character
	Distinct                   int  // number of different byte values
	Hex                        bool // only hex digits and hyphens, as in a digest or a UUID
}

// StatsLimit is the number of bytes at the start of a value that [CountChars] and
// [HasDigit] look at.
const StatsLimit = 128

// lanes maps a byte to the increment of a counter that packs four counts into 16 bits
// each, from the lowest: lower case, upper case, digits, others.
// notHex is 1 for the bytes that are neither a hex digit nor a hyphen.
var lanes, notHex = func() (lane [256]uint64, odd [256]uint8) {
	for b := range lane {
		c := byte(b)
		switch {
		case c-'a' < 26:
			lane[b] = 1
		case c-'A' < 26:
			lane[b] = 1 << 16
		case c-'0' < 10:
			lane[b] = 1 << 32
		default:
			lane[b] = 1 << 48
		}
		if !Classes['x'][c] && c != '-' {
			odd[b] = 1
		}
	}
	return lane, odd
}()

// CountChars counts the bytes of v by kind. It reads no more than StatsLimit bytes
// and has no branch that depends on letters or digits.
func CountChars(v string) CharStats {
	v = v[:min(len(v), StatsLimit)]
	var sum, low, mid uint64
	var high [2]uint64 // non-ASCII bytes are rare
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
		Lower: int(sum & 0xffff),
		Upper: int(sum >> 16 & 0xffff),
		Digit: int(sum >> 32 & 0xffff),
		Other: int(sum >> 48),
		Hex:   odd == 0,
		Distinct: bits.OnesCount64(low) + bits.OnesCount64(mid) +
			bits.OnesCount64(high[0]) + bits.OnesCount64(high[1]),
	}
}

// HasDigit reports whether the first StatsLimit bytes of v contain a decimal digit.
// It equals CountChars(v).Digit > 0 but is faster.
func HasDigit(v string) bool {
	v = v[:min(len(v), StatsLimit)]
	return nextDigit(v, 0, len(v)) < len(v)
}

// Random reports whether v looks randomly generated: at least 16 bytes with a digit,
// at least two of lower case, upper case and digits, nine different bytes or more,
// and mostly letters and digits. Hex digests and UUIDs are not Random, because texts
// are full of ones that are no secret.
func Random(v string) bool {
	if len(v) < 16 || !HasDigit(v) {
		return false
	}
	stats := CountChars(v)
	kinds := 0
	for _, n := range [...]int{stats.Lower, stats.Upper, stats.Digit} {
		if n > 0 {
			kinds++
		}
	}
	return !stats.Hex && kinds >= 2 && stats.Distinct >= 9 && stats.Other*3 < len(v)
}

// WordsIn returns the number of words that text consists of, and whether hyphens or
// slashes join them. Words may also be joined by underscores, full stops, digits or
// a change of case. The result is 0 if text contains anything else, if one of the
// words cannot be pronounced, or if the words are too short on average to be words.
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
		if to-i > 16 || !Pronounceable(text[i:to]) {
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

var vowelBytes = NewClass("aeiouyAEIOUY")

// Pronounceable reports whether letters could be read aloud: at least every sixth is
// a vowel, and no more than four consonants follow each other. Random letters seldom
// pass. Several words may run together.
func Pronounceable(word string) bool {
	vowels, cluster := 0, 0
	for i := range len(word) {
		if vowelBytes[word[i]] {
			vowels++
			cluster = 0
		} else if cluster++; cluster > 4 {
			return false
		}
	}
	return vowels*6 >= len(word) || len(word) < 4
}
