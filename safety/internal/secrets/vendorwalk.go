package secrets

import (
	"strings"

	"candor/safety/internal/keyvalue"
	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// maxVendorGap is how many bytes behind a vendor's name its value may start.
const maxVendorGap = 80

// nearValue has the bounds of the value beside a vendor's name, and whether more text
// could bring one or make it longer.
type nearValue struct {
	from, to int
	open     bool
}

// valueNear looks for a value of one of the formats behind the name at..end, past
// words, signs and quotes: adafruit_key = "…", adafruit key is …, "adafruit", "…".
func valueNear(s string, at, end int, formats []rule.Format) nearValue {
	w := walk{s: s, start: at, end: end, i: end}
	stop := min(len(s), end+maxVendorGap)
	for w.i < stop {
		if w.i > end && !lex.Alnum[s[w.i-1]] {
			if to := w.value(formats); to > w.i {
				return nearValue{w.i, to, to+len(lex.MarkerPrefix) > len(s)}
			}
		}
		if !w.step() {
			return nearValue{}
		}
	}
	return nearValue{open: stop == len(s) || lex.WordChars.Run(s, end, rule.MaxTail) == len(s)}
}

// value returns the end of the longest value that starts at w.i and belongs to the vendor,
// or 0.
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

// walk reads from a vendor's name towards its value, one word or sign at a time.
type walk struct {
	s             string
	start, end, i int    // the name, and how far the walk has come
	words, lines  int    // how many lie behind
	op            byte   // the first sign that joins a name and its value
	apart         bool   // a word appears between the name and that sign, behind a space
	last          string // the last word
}

// maxVendorWords bounds the words between a name and its value.
const maxVendorWords = 7

// maxVendorLines bounds the line ends between a name and its value.
const maxVendorLines = 6

// joiners may join a name and its value, openers may open the arguments that hold it,
// and fillerSigns mean nothing.
var (
	joiners     = lex.NewClass(":=?|>,")
	openers     = lex.NewClass("([{<")
	fillerSigns = lex.NewClass(" \t\f\r\"'`])*!$")
)

// step goes past one word or sign, and reports whether a value may follow. The first
// joiner or opener counts; a comma, which also separates, gives way to another joiner.
func (w *walk) step() bool {
	switch c := w.s[w.i]; {
	case lex.WordChars[c] || c == '.' || c == '/' && w.op == '<':
		return w.skipWord()
	case fillerSigns[c]:
		w.i++
	case c == '\n':
		w.i++
		w.lines++
		return w.lines < maxVendorLines
	case c == '\\':
		w.i += escapeLen(w.s, w.i)
	case joiners[c]:
		if w.op == 0 || w.op == ',' {
			w.op = c
		}
		w.i++
	case openers[c]:
		if w.op == 0 {
			w.op = c
		}
		w.i++
	case isArrowOrDash(w.s, w.i):
		w.op = ':'
		w.i += len("\u2192")
	default:
		return false
	}
	return true
}

// escapeLen returns the length of the escape at i, such as the \n of a JSON string. It
// returns 1 for a single backslash.
func escapeLen(s string, i int) int {
	if i+1 < len(s) && strings.IndexByte("nrt", s[i+1]) >= 0 {
		return 2
	}
	return 1
}

// isArrowOrDash reports whether an arrow, an em dash or an en dash is at i. Each
// takes three bytes, the first of which is 0xe2.
func isArrowOrDash(s string, i int) bool {
	if s[i] != 0xe2 {
		return false
	}
	sign := s[i:min(len(s), i+3)]
	return sign == "\u2192" || sign == "\u2014" || sign == "\u2013"
}

// skipWord goes past a word: the rest of the name's identifier, a word of the sentence,
// a type, a flag. It reports whether a value may follow.
func (w *walk) skipWord() bool {
	to := filler.Run(w.s, w.i, maxVendorGap)
	word := w.s[w.i:to]
	if endsSentence(word) || w.i > w.end && isOtherValue(word) {
		return false
	}
	if w.words++; w.words > maxVendorWords {
		return false
	}
	if bare := trimSigns(word); bare != "" {
		w.apart = w.apart || w.i > w.end && w.op == 0
		if w.op != 0 && !betweenWords.Has(bare) && !endsInKeyWord(bare) {
			return false
		}
		w.last = bare
	}
	w.i = to
	return true
}

// endsSentence reports whether a word of letters ends with a full stop: the name was of
// that sentence, the value is of another.
func endsSentence(word string) bool {
	ends := len(word) - 1
	return word[ends] == '.' && ends > 2 && lex.Classes['z'].Run(word, 0, ends) == ends
}

// isOtherValue reports whether a word is itself a value, of another kind than the vendor's.
func isOtherValue(word string) bool { return len(word) > 20 && lex.HasDigit(word) }

// trimSigns returns a word without the signs at its ends.
func trimSigns(word string) string {
	for word != "" && !lex.Alnum[word[0]] {
		word = word[1:]
	}
	for word != "" && !lex.Alnum[word[len(word)-1]] {
		word = word[:len(word)-1]
	}
	return word
}

// filler has the bytes of the words between a name and its value.
var filler = lex.NewClass("A-Za-z0-9_./-")

// betweenWords may appear between a sign and a value: a type, an attribute, a verb.
var betweenWords = lex.WordSet(
	"string str text char value val body data new const let var optional option some is was to of " +
		"set be here now as the it r b f u rb br raw at in my name",
)

// belongs reports whether the value v, which starts where the walk has come to, is the
// vendor's. It once took for keys the commits, UUIDs and digests beside a vendor's name:
// now a word such as "commit" rules a value out, and without a word such as "key" or a
// sign that joins both, the value must look generated.
func (w *walk) belongs(v string) bool {
	if isVendorPlaceholder(v) {
		return false
	}
	keys, other := keyWordsIn(w.s[w.end:w.i])
	prefixKeys, prefixOther := keyWordsIn(w.s[lex.WordChars.Back(w.s, w.start, 24):w.start])
	if other || prefixOther {
		return false
	}
	keys = keys || prefixKeys
	if w.op == 0 {
		return w.belongsUnjoined(v, keys)
	}
	return keys || w.isJoined() || lex.Random(v) || mixedHex(v)
}

// isVendorPlaceholder reports whether a value is a placeholder for a key: also behind the padding
// of a Twitter token, and a single word that can be pronounced.
func isVendorPlaceholder(v string) bool {
	if lex.Placeholder(strings.TrimLeft(v, "aA")) {
		return true
	}
	return lex.Classes['z'].Run(v, 0, len(v)) == len(v) && lex.CaseChanges(v) == 0 && lex.Pronounceable(v)
}

// isJoined reports whether the sign between the name and the value joins them by itself.
// An equals sign does, as in an assignment or a query. Others do where no word stands
// before them or quotes enclose the value, and an opened argument needs both.
func (w *walk) isJoined() bool {
	quoted := lex.IsQuote(w.s[w.i-1])
	switch w.op {
	case '=', '?':
		return true
	case ':':
		return !w.apart || quoted || w.last == "value"
	case ',':
		return !w.apart && (quoted || w.s[w.i-1] == ',')
	case '(', '[', '{', '<':
		return quoted && !w.apart
	}
	return quoted || !w.apart
}

// belongsUnjoined reports whether a value belongs to the vendor even though no sign
// joins them: "the adafruit key is …". Words for a key must precede the value, or the
// value must look generated and follow the name or a word such as "is".
func (w *walk) belongsUnjoined(v string, keys bool) bool {
	linked := betweenWords.Has(w.last)
	if keys && (!w.apart || linked || lex.IsQuote(w.s[w.i-1]) || endsInKeyWord(w.last)) {
		return true
	}
	if !linked {
		return !w.apart && lex.Random(v)
	}
	before, _ := keyWordsIn(w.s[unmarked(w.s, max(0, w.start-24), w.start):w.start])
	return before || lex.Random(v)
}

// unmarked returns the end of the last marker in s[i:end], or i if there is none. The words
// of a marker were not in the original text.
func unmarked(s string, i, end int) int {
	if k := strings.LastIndexByte(s[i:end], ']'); k >= 0 && lex.InMarker(s, i+k) {
		return i + k + 1
	}
	return i
}

// endsInKeyWord reports whether the last word of an identifier names a kind of key.
func endsInKeyWord(name string) bool {
	word, _ := keyvalue.LastWord(name)
	return word != "" && (keyWords.Has(word) || keyvalue.EndsLikeSecret(word))
}

var (
	keyWords = lex.WordSet(
		"key keys token tokens secret secrets pass password passwd auth api access cred creds credential credentials " +
			"client login license id apikey accesskey",
	)
	// otherWords name a digest, an event or a version.
	otherWords = lex.WordSet(
		"commit sha digest hash version integrity checksum md revision release event " +
			"trace image layer request session issue " +
			"project build etag fingerprint channel thread listing plan deploy run message " +
			"guild etag md5 uuid workflow job pipeline cluster node pod",
	)
)

// keyWordsIn reports whether words contain one that names a kind of key, and one that names
// something else that has an id or a digest.
func keyWordsIn(words string) (keys, other bool) {
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

// vendorTemplates are the ways of writing a value beside a vendor's name. Every vendor's
// rule is proved with each of them.
var vendorTemplates = []string{
	"%s_api_token = \"%s\"", "%sToken=%s",
	"\"%s_token\": \"%s\"", "the %s key is %s.", "const %sKey: string = '%s'",
	"| %s_key | %s |",
	"- name: %s_token\n  value: %s", "%s_secret: |\n  %s\n",
	"my %s api key (%s)", "gh secret set %s_token --body %s", "new %s(\"%s\")",
}

// Vendor returns a rule for values that only count beside the vendor's name, as in
// adafruit_token = "…": their format is so general that any digest has it. names are the
// vendor's names in lower case, separated by spaces, and specs are formats without a
// literal prefix. The hits are made from vendorTemplates. Vendor panics if a spec cannot
// be parsed; an operator's own formats are checked before they come here.
//
// The misses are what such rules once matched: commits, versions, UUIDs of deployments,
// and digests in the sentence behind the one with the name.
func Vendor(id, names string, specs ...string) rule.Rule {
	r := rule.Rule{ID: id, Specificity: rule.ByContext, Fold: true, Keywords: strings.Fields(names)}
	var formats []rule.Format
	for _, spec := range specs {
		formats = append(formats, rule.Format{Right: mustParts(spec), Exact: true}.Folded())
		for _, shape := range vendorTemplates {
			r.Hits = append(r.Hits, strings.Replace(strings.Replace(shape, "%s", r.Keywords[0], 1), "%s", spec, 1))
		}
	}
	r.Lookahead = 2 * maxVendorGap
	for _, f := range formats {
		for _, p := range f.Right {
			r.Lookahead += p.Max + len(p.Lit)
		}
	}
	r.Match = func(s string, at, end int) (int, int) {
		if isWordFragment(s, at, end) {
			return 0, 0
		}
		n := valueNear(s, at, end, formats)
		if n.to == 0 {
			return rule.Costly, rule.Costly
		}
		return n.from, n.to
	}
	r.Open = func(s string, at, end int) bool { return valueNear(s, at, end, formats).open }
	r.Misses = []string{
		r.Keywords[0] + " commit: 3f2a91c8d07be4456a1290cc8de77f0b1a2c3d4e", r.Keywords[0] + "_version = \"1.2.3\"",
		r.Keywords[0] + " is up. The run 3f2a91c8d07be4456a1290cc8de77f0b was first",
		"deployed to " + r.Keywords[0] + " as 3f2a91c8-d07b-e445-6a12-90cc8de77f0b",
	}
	return r
}

// isWordFragment reports whether the name s[at:end] is made of pieces of other words:
// rookTable does not name okta, nor does sumObject name sumo.
func isWordFragment(s string, at, end int) bool {
	if end-at > 1 && lex.IsUpper(s[end-1]) && !lex.IsUpper(s[end-2]) {
		return true
	}
	return at > 0 && lex.IsLetter(s[at-1]) && !lex.IsUpper(s[at]) && lex.CountChars(s[at:end]).Upper > 0
}

// mustParts parses a format without a literal prefix, and panics if it cannot.
func mustParts(spec string) []rule.Part {
	parts, err := rule.ParseParts(spec)
	if err != nil {
		panic(err)
	}
	return parts
}

// mixedHex reports whether a value is hex in both cases. No tool prints a digest that way.
func mixedHex(v string) bool {
	l := lex.CountChars(v)
	return l.Hex && l.Upper > 1 && l.Lower > 1
}
