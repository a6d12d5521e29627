package safety

import "strings"

// vendor is a rule for a value that nothing in itself gives away: its shape
// counts only beside the vendor's name, as in adafruit_token = "…". Formats here
// have no anchor of their own.
func vendor(id, names string, specs ...string) rule {
	r := rule{id: id, tier: tierContext, fold: true, anchors: strings.Fields(names)}
	var formats []format
	for _, spec := range specs {
		formats = append(formats, format{right: mustParts(spec), exact: true}.folded())
		for _, shape := range []string{"%s_api_token = \"%s\"", "%sToken=%s", "\"%s_token\": \"%s\"", "the %s key is %s."} {
			r.hits = append(r.hits, strings.Replace(strings.Replace(shape, "%s", r.anchors[0], 1), "%s", spec, 1))
		}
	}
	r.open, r.sight = openVendor, 160
	for _, f := range formats {
		for _, p := range f.right {
			r.sight += p.max + len(p.lit)
		}
	}
	r.find = func(s string, at, end int) (int, int) {
		i, sure := beside(s, at, end)
		if i <= 0 || torn(s, at, end) {
			return 0, 0
		}
		for k := range formats {
			to := formats[k].forward(s, i, formats[k].right)
			if to > i && !goesOn(s, to, alnum) && (sure || random(s[i:to]) || mixedHex(s[i:to])) && !placeholder(s[i:to]) {
				return i, to
			}
		}
		return costly, costly
	}
	r.misses = []string{r.anchors[0] + " commit: 3f2a91c8d07be4456a1290cc8de77f0b1a2c3d4e", r.anchors[0] + "_version = \"1.2.3\""}
	return r
}

// openVendor: the words, the sign and the value behind a name may all be yet to
// come.
func openVendor(s string, at, end int) bool {
	if i, _ := beside(s, at, end); i <= 0 {
		return len(s)-end < 64
	}
	return len(s)-end < 300
}

// mixedHex is hex in both cases, which no tool prints a digest in.
func mixedHex(v string) bool {
	l := look(v)
	return l.hex && l.upper > 1 && l.lower > 1
}

// torn reports whether a name is only pieces of other words: rookTable does not
// speak of okta, nor sumObject of sumo.
func torn(s string, at, end int) bool {
	if end-at > 1 && upper(s[end-1]) && !upper(s[end-2]) {
		return true
	}
	return at > 0 && letter(s[at-1]) && !upper(s[at]) && look(s[at:end]).upper > 0
}

var filler = newClass("A-Za-z0-9_ \t.-")

// mustParts reads a format without an anchor, a constant of this package.
func mustParts(spec string) []part {
	parts, err := parseParts(spec)
	if err != nil {
		panic(err)
	}
	return parts
}

// beside gives where the value starts that belongs to the name at..end, or 0.
// It is sure when a word such as key or token stands between them, and unsure
// when the name alone speaks for it.
func beside(s string, at, end int) (i int, sure bool) {
	j := filler.run(s, end, 32)
	if is := strings.Index(s[end:j], " is "); is >= 0 {
		about, _ := speaksOf(s[end : end+is])
		return end + is + 4, about
	}
	words := s[wordish.back(s, at, 24):j]
	for n := 0; n < 3 && j < len(s) && (quote(s[j]) || s[j] == '\n' || s[j] == '\\'); n++ {
		j++
	}
	j = skipBlank(s, j, 3)
	k := j
	for k < len(s) && k < j+4 && strings.IndexByte(":=?|>,", s[k]) >= 0 {
		k++
	}
	if k == j || k == j+1 && strings.IndexByte("?|", s[j]) >= 0 {
		return 0, false
	}
	i = k
	for i < len(s) && i < k+6 && (quote(s[i]) || s[i] == ' ' || s[i] == '\t' || s[i] == '\n' || s[i] == '=' || s[i] == '\\') {
		i++
	}
	i = skipBlank(s, i, 24)
	quoted := i > 0 && quote(s[i-1])
	keys, other := speaksOf(words)
	if other {
		return 0, false
	}
	return i, keys || quoted && s[j] != ',' || s[j] == '='
}

var (
	keyWords = set("key keys token tokens secret secrets pass password passwd auth api access cred creds credential credentials client login license id apikey accesskey")
	// otherWords name a digest, an event or a version.
	otherWords = set("commit sha digest hash version integrity checksum md revision release event trace image layer request session issue " +
		"project build etag fingerprint channel thread listing plan deploy run")
)

// speaksOf reports whether words speak of keys, and of things that are none.
func speaksOf(words string) (keys, other bool) {
	for end := len(words); end > 0; {
		if !letter(words[end-1]) {
			end--
			continue
		}
		start := end
		for start > 0 && letter(words[start-1]) && !wordBreak(words, start, end) {
			start--
		}
		word := words[start:end]
		keys = keys || keyWords.has(word) || endsLikeSecret(word)
		other = other || otherWords.has(word)
		end = start
	}
	return keys, other
}
