package safety

import (
	"math/bits"
	"strings"
)

const (
	maxQuoted   = 512
	maxUnquoted = 256
)

// value is what an assignment gives its name.
type value struct {
	from, to int
	quoted   bool
	cut      bool // quoted, and the closing quote is missing
}

// readValue reads the value that starts at i: quoted, with spaces and escapes
// in it, or bare up to where its alphabet ends.
func readValue(s string, i int) value {
	if i < len(s) && s[i] == '\\' && i+1 < len(s) && quote(s[i+1]) {
		return escapedQuoted(s, i+2, s[i+1])
	}
	if i < len(s) && quote(s[i]) {
		return quotedValue(s, i+1, s[i])
	}
	return value{from: i, to: runeStart(s, bareEnd(s, i))}
}

func quote(b byte) bool { return b == '"' || b == '\'' || b == '`' }

// quotedValue ends at its closing quote. Without one on the line it goes to the
// end of the line: half a password must not stay because the other half is cut.
func quotedValue(s string, i int, q byte) value {
	end := min(len(s), i+maxQuoted)
	for j := i; j < end; j++ {
		switch s[j] {
		case q:
			return value{from: i, to: j, quoted: true}
		case '\\':
			j++
		case '\n':
			return value{from: i, to: j, quoted: true, cut: true}
		}
	}
	return value{from: i, to: runeStart(s, end), quoted: true, cut: true}
}

// escapedQuoted is a quoted value inside a JSON string: \"…\".
func escapedQuoted(s string, i int, q byte) value {
	end := min(len(s), i+maxQuoted)
	for j := i; j < end && s[j] != '\n'; j++ {
		if s[j] == '\\' && j+1 < end {
			if s[j+1] == q {
				return value{from: i, to: j, quoted: true}
			}
			j++
		}
	}
	return value{from: i, to: runeStart(s, bareEnd(s, i)), quoted: true, cut: true}
}

var bareStops = newClass(" \t\n\r\"'`,;<>)]}|\\")

// bareChars always belong to an unquoted value: & may open the next parameter.
var bareChars = func() (c class) {
	for b := range 0xe0 {
		c[b] = !bareStops[b] && b != '&'
	}
	return c
}()

// bareEnd is the end of an unquoted value. Letters of European scripts may
// stand in a password; CJK and its punctuation end it, as does the & of a query.
func bareEnd(s string, i int) int {
	end := min(len(s), i+maxUnquoted)
	j := i
	for j < end && (bareChars[s[j]] || s[j] == '&' && !nextParam(s, j+1)) {
		j++
	}
	for j > i && strings.IndexByte(".:?", s[j-1]) >= 0 {
		j--
	}
	return j
}

// nextParam reports whether name= follows, as in a query string.
func nextParam(s string, i int) bool {
	j := wordish.run(s, i, 40)
	return j > i && j < len(s) && (s[j] == '=' || s[j] == ';')
}

// benign are words that stand where a secret might and are none.
var benign = set("true false null nil none undefined string str text number int integer boolean bool object array bytes any required " +
	"optional invalid valid missing expired empty unset unknown wrong correct incorrect ok yes no on off enabled disabled default " +
	"redacted hidden masked removed secret password passwd token key apikey value example sample placeholder dummy changeme " +
	"changeit foo bar baz test todo tbd xxx your none given set stored provided needed used supplied generated returned bearer " +
	"basic digest oauth jwt pass pwd user username and or not the a an in from for is are was be must should will can to of with " +
	"hashed encrypted plaintext self this env file vault input output request response config lambda func function async await new " +
	"return private public protected static readonly rejected accepted refreshed rotated revoked leaked exposed configured here " +
	"below above available unavailable present absent authentication authorization header cookie session login credential " +
	"credentials keyring keychain prompt manager interactive stdin mandatory forbidden deprecated expected blank readonly internal " +
	"include inherit omit same-origin replace-me replaceme deadbeef foobar anonymous external rotation reset protected strength policy field column sensitive secure unchanged automatic automatically managed")

// placeholder reports whether a value stands for a secret rather than being
// one: a variable, a template, a run of one filler, or our own marker.
func placeholder(v string) bool {
	if v == "" || sameFiller(v) || variable(v) {
		return true
	}
	v = v[:min(len(v), 96)]
	for i := 0; i+16 <= len(v); i += 8 { // one byte all along, unless it is zeros in base64 or bech32
		if w := eight(v, i); w == eight(v, i+8) && w == bits.RotateLeft64(w, 8) && v[i] != 'A' && v[i] != 'Q' {
			return true
		}
	}
	for i := 0; i+1 < len(v); i += fillerStep {
		for maybe := fillerPairs[0][v[i]] & fillerPairs[1][v[i+1]]; maybe != 0; maybe &= maybe - 1 {
			k := bits.TrailingZeros64(maybe)
			if hasFold(v, i-k%fillerStep, fillers[k/fillerStep]) {
				return true
			}
		}
	}
	return false
}

// fillers are words that only a stand-in holds.
var fillers = [...]string{"example", "placeholder", "your-", "your_", "yourapi", "changeme", "xxxxxx", "******", "insert_", "insert-", "redacted", "......", "abcdefghijkl", "0123456789"}

// fillerStep is how far apart the places are that are looked at: every filler
// holds one of them with a byte behind it.
const fillerStep = 4

// fillerPairs tell of a byte, and of the one behind it, in which fillers and how
// far behind their start they may stand.
var fillerPairs = func() (t [2][256]uint64) {
	for k, w := range fillers {
		for p := range 2 * fillerStep {
			c, bit := w[p/2+p%2], uint64(1)<<(k*fillerStep+p/2)
			t[p%2][c] |= bit
			t[p%2][upperOf(c)] |= bit
		}
	}
	return t
}()

// sameFiller is xxxx, ****, 0000 and the like, also behind a token's prefix, or
// one letter all along.
func sameFiller(v string) bool {
	last := v[len(v)-1]
	n := 1
	for n < len(v) && v[len(v)-1-n] == last {
		n++
	}
	filler := strings.IndexByte("xX*.0-_#?", last) >= 0
	return n == len(v) && (filler || n >= 8) || n >= 12 && filler
}

// variable is $NAME, ${…}, $(…), {{…}}, %s, %NAME%, <name>, [name], @name@, !tag.
func variable(v string) bool {
	switch v[0] {
	case '$':
		return len(v) == 1 || v[1] == '{' || v[1] == '(' || classes['w'].run(v, 1, len(v)) == len(v)
	case '{', '<', '[':
		return true
	case '%':
		return len(v) <= 3 || v[len(v)-1] == '%'
	case '@':
		return v[len(v)-1] == '@'
	case '!':
		to := classes['z'].run(v, 1, len(v)) // a tag of YAML
		return to > 1 && (to == len(v) || v[to] == ' ')
	}
	return false
}

func containsFold(s, lit string) bool {
	for i := 0; i+len(lit) <= len(s); i++ {
		if lower(s[i]) == lit[0] && hasFold(s, i, lit) {
			return true
		}
	}
	return false
}

// looks tells what kinds of bytes a value is made of.
type looks struct {
	lower, upper, digit, other, distinct int
	hex                                  bool
}

// enough is how much of a value tells what it looks like.
const enough = 128

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
		if !classes['x'][c] && c != '-' {
			notHex[b] = 1
		}
	}
	return lanes, notHex
}()

func look(v string) looks {
	v = v[:min(len(v), enough)]
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
	return looks{
		lower: int(sum & 0xffff), upper: int(sum >> 16 & 0xffff), digit: int(sum >> 32 & 0xffff), other: int(sum >> 48), hex: odd == 0,
		distinct: bits.OnesCount64(low) + bits.OnesCount64(mid) + bits.OnesCount64(high[0]) + bits.OnesCount64(high[1]),
	}
}

// hasDigit reports whether a digit stands in what tells how a value looks.
func hasDigit(v string) bool {
	v = v[:min(len(v), enough)]
	i := 0
	for ; i+8 <= len(v); i += 8 {
		if digitIn(eight(v, i)) {
			return true
		}
	}
	for ; i < len(v); i++ {
		if digits[v[i]] {
			return true
		}
	}
	return false
}

// digitIn reports whether any of eight bytes is a digit.
func digitIn(x uint64) bool { return digitTops(x) != 0 }

// digitTops has the top bit of those of eight bytes that are digits. Less 0x30, a digit
// is below ten; what is below ten does not reach the top bit when 0x76 is added, and no
// byte carries into the next one.
func digitTops(x uint64) uint64 {
	x ^= ones * 0x30
	return ^(x&^tops + ones*0x76 | x) & tops
}

// random reports whether a value looks drawn by a machine: long, of several
// kinds of bytes, and not a digest, which is hex or a UUID.
func random(v string) bool {
	if len(v) < 16 || !hasDigit(v) {
		return false
	}
	l := look(v)
	kinds := 0
	for _, n := range [...]int{l.lower, l.upper, l.digit} {
		if n > 0 {
			kinds++
		}
	}
	return !l.hex && kinds >= 2 && l.distinct >= 9 && l.other*3 < len(v)
}
