package secrets

import (
	"strings"

	"candor/safety/internal/keyvalue"
	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// vendorShapes are ways to write a value beside a vendor's name; every vendor's
// rule is proved with each.
var vendorShapes = []string{
	"%s_api_token = \"%s\"", "%sToken=%s", "\"%s_token\": \"%s\"", "the %s key is %s.", "const %sKey: string = '%s'", "| %s_key | %s |",
	"- name: %s_token\n  value: %s", "%s_secret: |\n  %s\n", "my %s api key (%s)", "gh secret set %s_token --body %s", "new %s(\"%s\")",
}

// Vendor is a rule for a value that nothing in itself gives away: its shape
// counts only beside the vendor's name, as in adafruit_token = "…". Formats here
// have no anchor of their own.
func Vendor(id, names string, specs ...string) rule.Rule {
	r := rule.Rule{ID: id, Specificity: rule.ByContext, Fold: true, Keywords: strings.Fields(names)}
	var formats []rule.Format
	for _, spec := range specs {
		formats = append(formats, rule.Format{Right: mustParts(spec), Exact: true}.Folded())
		for _, shape := range vendorShapes {
			r.Hits = append(r.Hits, strings.Replace(strings.Replace(shape, "%s", r.Keywords[0], 1), "%s", spec, 1))
		}
	}
	r.Lookahead = 2 * vendorReach
	for _, f := range formats {
		for _, p := range f.Right {
			r.Lookahead += p.Max + len(p.Lit)
		}
	}
	r.Match = func(s string, at, end int) (int, int) {
		if torn(s, at, end) {
			return 0, 0
		}
		n := beside(s, at, end, formats)
		if n.to == 0 {
			return rule.Costly, rule.Costly
		}
		return n.from, n.to
	}
	r.Open = func(s string, at, end int) bool { return beside(s, at, end, formats).open }
	r.Misses = []string{
		r.Keywords[0] + " commit: 3f2a91c8d07be4456a1290cc8de77f0b1a2c3d4e", r.Keywords[0] + "_version = \"1.2.3\"",
		r.Keywords[0] + " is up. The run 3f2a91c8d07be4456a1290cc8de77f0b was first", "deployed to " + r.Keywords[0] + " as 3f2a91c8-d07b-e445-6a12-90cc8de77f0b",
	}
	return r
}

// mixedHex is hex in both cases, which no tool prints a digest in.
func mixedHex(v string) bool {
	l := lex.CountChars(v)
	return l.Hex && l.Upper > 1 && l.Lower > 1
}

// torn reports whether a name is only pieces of other words: rookTable does not
// speak of okta, nor sumObject of sumo.
func torn(s string, at, end int) bool {
	if end-at > 1 && lex.IsUpper(s[end-1]) && !lex.IsUpper(s[end-2]) {
		return true
	}
	return at > 0 && lex.IsLetter(s[at-1]) && !lex.IsUpper(s[at]) && lex.CountChars(s[at:end]).Upper > 0
}

// mustParts reads a format without an anchor, a constant of this package.
func mustParts(spec string) []rule.Part {
	parts, err := rule.ParseParts(spec)
	if err != nil {
		panic(err)
	}
	return parts
}

// vendorReach is how far behind a vendor's name its value may start.
const vendorReach = 80

// neighbour is the value beside a vendor's name, and whether more text could
// bring one or make it longer.
type neighbour struct {
	from, to int
	open     bool
}

// beside looks for a value of one of the formats behind the name at..end, past
// words, signs and quotes: adafruit_key = "…", adafruit key is …, "adafruit", "…".
func beside(s string, at, end int, formats []rule.Format) neighbour {
	w := walk{s: s, start: at, end: end, i: end}
	stop := min(len(s), end+vendorReach)
	for w.i < stop {
		if w.i > end && !lex.Alnum[s[w.i-1]] {
			if to := w.value(formats); to > w.i {
				return neighbour{w.i, to, to+len(lex.MarkerPrefix) > len(s)}
			}
		}
		if !w.step() {
			return neighbour{}
		}
	}
	return neighbour{open: stop == len(s) || lex.WordChars.Run(s, end, rule.MaxTail) == len(s)}
}

// value is where the longest value ends that starts where the walk has come to and
// belongs to the vendor, or 0.
func (w *walk) value(formats []rule.Format) int {
	longest := 0
	for k := range formats {
		if formats[k].TooShort(w.s, w.i) {
			continue
		}
		to := formats[k].Forward(w.s, w.i, formats[k].Right)
		if to > w.i && to > longest && !rule.Continues(w.s, to, lex.Alnum) {
			longest = to
		}
	}
	if longest == 0 || !w.belongs(w.s[w.i:longest]) {
		return 0
	}
	return longest
}

// walk goes from a vendor's name to its value.
type walk struct {
	s             string
	start, end, i int    // the name, and how far the walk has come
	words, lines  int    // how many lie behind
	op            byte   // the first sign that joins a name and its value
	apart         bool   // a word stands between the name and that sign, behind a space
	last          string // the last word
}

// maxVendorWords bounds the words between a name and its value.
const maxVendorWords = 7

// step goes past one word or sign, and tells whether a value may follow.
func (w *walk) step() bool {
	s, c := w.s, w.s[w.i]
	switch {
	case lex.WordChars[c] || c == '.' || c == '/' && w.op == '<':
		return w.word()
	case c == ' ' || c == '\t' || lex.IsQuote(c):
	case c == '\n':
		w.lines++
		return w.sign(1) && w.lines < 6
	case c == '\\' && w.i+1 < len(s) && strings.IndexByte("nrt", s[w.i+1]) >= 0:
		w.i++
	case strings.IndexByte(":=?|>,", c) >= 0:
		if w.op == 0 || w.op == ',' {
			w.op = c
		}
	case strings.IndexByte("([{<", c) >= 0:
		if w.op == 0 {
			w.op = c
		}
	case c == 0xe2 && (strings.HasPrefix(s[w.i:], "\u2192") || strings.HasPrefix(s[w.i:], "\u2014") || strings.HasPrefix(s[w.i:], "\u2013")):
		w.op = ':'
		return w.sign(3)
	case c != 0x0c && strings.IndexByte("])\r*!$\\", c) < 0:
		return false
	}
	return w.sign(1)
}

func (w *walk) sign(n int) bool {
	w.i += n
	return true
}

// word goes past a word: the rest of the name's identifier, a word of the sentence,
// a type, a flag.
func (w *walk) word() bool {
	to := filler.Run(w.s, w.i, vendorReach)
	word := w.s[w.i:to]
	if ends := len(word) - 1; word[ends] == '.' && ends > 2 && lex.Classes['z'].Run(word, 0, ends) == ends || len(word) > 20 && w.i > w.end && lex.HasDigit(word) {
		return false // the end of a sentence, or some other value
	}
	if w.words++; w.words > maxVendorWords {
		return false
	}
	if bare := trimSigns(word); bare != "" {
		w.apart = w.apart || w.i > w.end && w.op == 0
		if w.op != 0 && !betweenWords.Has(bare) && !speaksLast(bare) {
			return false
		}
		w.last = bare
	}
	w.i = to
	return true
}

// trimSigns is a word of filler without the signs around it.
func trimSigns(word string) string {
	for word != "" && !lex.Alnum[word[0]] {
		word = word[1:]
	}
	for word != "" && !lex.Alnum[word[len(word)-1]] {
		word = word[:len(word)-1]
	}
	return word
}

// filler is what words between a name and its value are made of.
var filler = lex.NewClass("A-Za-z0-9_./-")

// betweenWords may stand between a sign and a value: a type, an attribute, a verb.
var betweenWords = lex.WordSet("string str text char value val body data new const let var optional option some is was to of set be here now as the it r b f u rb br raw at in my name")

// belongs tells whether the value the walk has come to is the vendor's. It surely
// is where the words speak of keys, or a sign joins both; what is told from chance
// by its looks also is.
func (w *walk) belongs(v string) bool {
	s := w.s
	if lex.Placeholder(strings.TrimLeft(v, "aA")) || lex.Classes['z'].Run(v, 0, len(v)) == len(v) && lex.CaseChanges(v) == 0 && lex.Pronounceable(v) {
		return false
	}
	keys, other := speaksOf(s[w.end:w.i])
	led, otherwise := speaksOf(s[lex.WordChars.Back(s, w.start, 24):w.start])
	if keys = keys || led; other || otherwise {
		return false
	}
	quoted := lex.IsQuote(s[w.i-1])
	switch w.op {
	case 0, ']':
		if keys && (!w.apart || quoted || betweenWords.Has(w.last) || speaksLast(w.last)) {
			return true
		}
		before, _ := speaksOf(s[unmarked(s, max(0, w.start-24), w.start):w.start])
		return (before || lex.Random(v)) && betweenWords.Has(w.last) || lex.Random(v) && !w.apart
	case ':':
		keys = keys || !w.apart || quoted || w.last == "value"
	case ',':
		keys = keys || !w.apart && (quoted || s[w.i-1] == ',')
	case '(', '[', '{', '<':
		keys = keys || quoted && !w.apart
	case '=', '?':
		keys = true
	default:
		keys = keys || quoted || !w.apart
	}
	return keys || lex.Random(v) || mixedHex(v)
}

// unmarked is where between i and end the last marker ends, or i: what a marker says
// was not in the text.
func unmarked(s string, i, end int) int {
	if k := strings.LastIndexByte(s[i:end], ']'); k >= 0 && lex.InMarker(s, i+k) {
		return i + k + 1
	}
	return i
}

// speaksLast reports whether the last word of an identifier speaks of keys.
func speaksLast(name string) bool {
	word, _ := keyvalue.LastWord(name)
	return word != "" && (keyWords.Has(word) || keyvalue.EndsLikeSecret(word))
}

var (
	keyWords = lex.WordSet("key keys token tokens secret secrets pass password passwd auth api access cred creds credential credentials client login license id apikey accesskey")
	// otherWords name a digest, an event or a version.
	otherWords = lex.WordSet("commit sha digest hash version integrity checksum md revision release event trace image layer request session issue " +
		"project build etag fingerprint channel thread listing plan deploy run message guild etag md5 uuid workflow job pipeline cluster node pod")
)

// speaksOf reports whether words speak of keys, and of things that are none.
func speaksOf(words string) (keys, other bool) {
	for end := len(words); end > 0; {
		if !lex.IsLetter(words[end-1]) {
			end--
			continue
		}
		start := end
		for start > 0 && lex.IsLetter(words[start-1]) && !lex.WordBreak(words, start, end) {
			start--
		}
		word := words[start:end]
		keys = keys || keyWords.Has(word) || keyvalue.EndsLikeSecret(word)
		other = other || otherWords.Has(word)
		end = start
	}
	return keys, other
}
