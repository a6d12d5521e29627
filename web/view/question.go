package view

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// stopWords stand in questions and say nothing about what is looked for. A word that names what a tool
// does, such as run or delete, is none, nor is one that tells one time from another, such as first.
var stopWords = wordSet(`a an and any are as at be because been but by can could did do does doing done for from had
	has have he her here him his how i if in into is it its just me my no not of off on or our out please say says said
	she should so some than that the their them then there these they thing things this those to up us was we were what
	when where which while who whom whose why will with would you your about after again all also before being get got
	happened happen happens happening agent model tool tools call called calls ever tell show me find found`)

// synonyms are groups of words that name one thing in different tools. Each finds the others as near
// matches.
var synonyms = groups(
	"delete remove rm drop erase unlink clear clean",
	"run execute exec bash shell command",
	"read open view cat",
	"edit change modify patch update rewrite",
	"write create save add",
	"search grep look query seek",
	"fetch download request http curl",
	"send mail email notify",
	"delegate ask review reviewer",
	"deploy release ship publish",
	"upgrade bump update",
	"fail failure failed error broken",
	"deny denied reject rejected refuse refused forbid",
	"stop cancel cancelled interrupt",
)

// wordSet returns the words of a text as a set.
func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		set[w] = true
	}
	return set
}

// groups returns for each word the others of its groups.
func groups(lists ...string) map[string][]string {
	table := map[string][]string{}
	for _, list := range lists {
		words := strings.Fields(list)
		for _, w := range words {
			for _, other := range words {
				if other != w && !slices.Contains(table[w], other) {
					table[w] = append(table[w], other)
				}
			}
		}
	}
	return table
}

// SplitQuery splits what a user typed into the words of a [Query]. Words in double
// quotes stay together, with single spaces between them. Words that every question has are left
// out, unless nothing else was typed, and so is the punctuation behind a word.
func SplitQuery(q string) []string {
	var words, rest []string
	for i, part := range strings.Split(q, `"`) {
		fields := strings.Fields(part)
		if quoted := i%2 == 1; quoted && len(fields) > 0 {
			words = append(words, strings.Join(fields, " "))
			continue
		}
		for _, w := range fields {
			if bare := strings.TrimRight(w, "?!.,;:’'"); bare != "" {
				w = bare
			}
			if stopWords[strings.ToLower(w)] {
				rest = append(rest, w)
			} else {
				words = append(words, w)
			}
		}
	}
	if len(words) == 0 {
		return rest
	}
	return words
}

// term is a word that is looked for.
type term struct {
	// word is in lower case, and may be several words that stand together.
	word string
	// stem is the start of the word without its ending, and others are synonyms. Both
	// are near matches.
	stem   string
	others []string
	// seen says that a text has the word itself. It is set while the search runs.
	seen bool
}

// termsOf returns the terms for the words of a query.
func termsOf(words []string) []term {
	var all []term
	for _, w := range words {
		t := term{word: strings.ToLower(w)}
		if t.stem = stemOf(t.word); t.stem == t.word {
			t.stem = ""
		}
		t.others = slices.Clone(synonyms[t.word])
		for word, others := range synonyms {
			if t.stem != "" && len(t.others) == 0 && stemOf(word) == t.stem {
				t.others = append([]string{word}, others...)
			}
		}
		slices.Sort(t.others)
		all = append(all, t)
	}
	return all
}

// minStem is the length of the shortest stem, in bytes.
const minStem = 4

// stemOf returns a word without a common ending of English.
func stemOf(word string) string {
	for _, end := range []string{"ations", "ation", "ings", "ing", "ions", "ion", "ied", "ies", "ers", "ed", "er", "es",
		"s", "e", "y"} {
		stem, ok := strings.CutSuffix(word, end)
		if !ok || len(stem) < minStem {
			continue
		}
		// A consonant is doubled before an ending, as in dropped, but not in passes or calls.
		if n := len(stem); stem[n-1] == stem[n-2] && end != "s" && end != "e" && end != "es" {
			stem = stem[:n-1] // dropped, drop
		}
		return stem
	}
	return word
}

// maxNearText is the size of the longest text that is searched for near matches.
const maxNearText = 4 << 10

// quality says how well a text matches a term.
type quality int

// The qualities, from none to the best.
const (
	// missed means that the text has nothing like the word.
	missed quality = 0
	// mistyped is a word that differs in one or two letters.
	mistyped quality = 1
	// related is another form of the word, or a synonym.
	related quality = 2
	// amid is the word in the middle of another, as in a path without separators.
	amid quality = 3
	// exact is a word that begins with it.
	exact quality = 5
)

// in returns how well a text in lower case matches the term, and the word that stands for it if the
// match is only near. Near matches are looked for in texts of at most maxNearText bytes, so that the
// cost of a search is that of reading its texts.
func (t term) in(text string) (q quality, near string) {
	at, start := position(text, t.word)
	switch {
	case start:
		return exact, ""
	// Two or three letters are in the middle of too many words: rm is in permission and in German.
	case at >= 0 && (utf8.RuneCountInString(t.word) >= minStem || !isWord(t.word)):
		return amid, ""
	case len(text) > maxNearText:
		return missed, ""
	}
	if t.stem != "" {
		if at, start := position(text, t.stem); start {
			return related, wordAt(text, at)
		}
	}
	// A synonym of two or three letters has to be a whole word.
	for _, s := range t.others {
		if at, start := position(text, s); start && (len(s) >= minStem || wordAt(text, at) == s) {
			return related, wordAt(text, at)
		}
	}
	return missed, ""
}

// position returns where a word stands in a text: its first occurrence at the start of a word, or
// else the first in the middle of one; -1 if there is none.
func position(text, word string) (at int, start bool) {
	first := -1
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return first, false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		if i == 0 || !isLetter(before) {
			return i, true
		}
		if first < 0 {
			first = i
		}
		from = i + len(word)
	}
}

// wordAt returns the word that begins at a place of a text.
func wordAt(text string, at int) string {
	end := strings.IndexFunc(text[at:], func(r rune) bool { return !isLetter(r) })
	if end < 0 {
		return text[at:]
	}
	return text[at : at+end]
}

func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// isWord reports whether a text has letters and digits only.
func isWord(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !isLetter(r) })
}
