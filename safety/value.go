package safety

import "strings"

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
	return value{from: i, to: bareEnd(s, i)}
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
	return value{from: i, to: end, quoted: true, cut: true}
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
	return value{from: i, to: bareEnd(s, i), quoted: true, cut: true}
}

var bareStops = newClass(" \t\n\r\"'`,;<>)]}|\\")

// bareEnd is the end of an unquoted value. Letters of European scripts may
// stand in a password; CJK and its punctuation end it, as does the & of a query.
func bareEnd(s string, i int) int {
	end := min(len(s), i+maxUnquoted)
	j := i
	for j < end && s[j] < 0xe0 && !bareStops[s[j]] && !(s[j] == '&' && nextParam(s, j+1)) {
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
	"external rotation reset protected strength policy field column sensitive secure unchanged automatic automatically managed")

// placeholder reports whether a value stands for a secret rather than being
// one: a variable, a template, a run of one filler, or our own marker.
func placeholder(v string) bool {
	if v == "" || sameFiller(v) || variable(v) {
		return true
	}
	v = v[:min(len(v), 96)]
	for i := 0; i+6 <= len(v); i++ {
		for _, w := range fillers[v[i]] {
			if hasFold(v, i, w) {
				return true
			}
		}
	}
	return false
}

// fillers are words that only a stand-in holds, by their first byte.
var fillers = func() (t [256][]string) {
	for _, w := range []string{"example", "placeholder", "your-", "your_", "yourapi", "changeme", "xxxxxx", "******", "insert_", "insert-", "redacted", "......"} {
		t[w[0]] = append(t[w[0]], w)
		if letter(w[0]) {
			t[w[0]-0x20] = append(t[w[0]-0x20], w)
		}
	}
	return t
}()

// sameFiller is xxxx, ****, 0000 and the like, also behind a token's prefix.
func sameFiller(v string) bool {
	last := v[len(v)-1]
	if strings.IndexByte("xX*.0-_#?", last) < 0 {
		return false
	}
	n := 0
	for n < len(v) && v[len(v)-1-n] == last {
		n++
	}
	return n == len(v) || n >= 12
}

// variable is $NAME, ${…}, $(…), {{…}}, %s, %NAME%, <name>, [name], @name@.
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

func look(v string) looks {
	v = v[:min(len(v), 128)] // enough to tell
	l := looks{hex: true}
	var seen [4]uint64
	for i := 0; i < len(v); i++ {
		b := v[i]
		if w := &seen[b>>6]; *w&(1<<(b&63)) == 0 {
			*w |= 1 << (b & 63)
			l.distinct++
		}
		switch {
		case b-'a' < 26:
			l.lower++
		case b-'A' < 26:
			l.upper++
		case b-'0' < 10:
			l.digit++
		default:
			l.other++
		}
		l.hex = l.hex && (classes['x'][b] || b == '-')
	}
	return l
}

// random reports whether a value looks drawn by a machine: long, of several
// kinds of bytes, and not a digest, which is hex or a UUID.
func random(v string) bool {
	l := look(v)
	kinds := 0
	for _, n := range [...]int{l.lower, l.upper, l.digit} {
		if n > 0 {
			kinds++
		}
	}
	return len(v) >= 16 && !l.hex && l.digit > 0 && kinds >= 2 && l.distinct >= 9 && l.other*3 < len(v)
}
