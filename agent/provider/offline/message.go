package offline

import (
	"regexp"
	"slices"
	"strings"
)

// maxWords bounds how much of a message is read.
const maxWords = 2000

// tokens matches a quoted string or code span, a line break, or a run of
// characters without blanks. A quotation mark that is not closed is a token.
var tokens = regexp.MustCompile("\"[^\"\n]+\"|“[^”\n]+”|`[^`\n]+`|\n|[^\\s\"“`]+|[\"“`]")

// word is a word of the message, or a quoted string or code span as a whole.
type word struct {
	text       string // without quotation marks and the punctuation around it
	lower      string // text in lower case, with plain apostrophes
	quoted     bool
	after      string // the punctuation behind it, such as "," or "?"
	start, end int    // its place in the message, with quotation marks
}

// in reports whether an unquoted word is one of a set.
func (w word) in(set wordSet) bool { return !w.quoted && set[w.lower] }

// endsSentence reports whether a sentence or a line ends after the word.
func (w word) endsSentence() bool { return strings.ContainsAny(w.after, ".;!?\n") }

// pathLike reports whether a word looks like a path or a time zone's name: it has
// a slash, or an extension as in go.mod, but is no URL.
func (w word) pathLike() bool {
	return !w.isURL() && (strings.Contains(w.text, "/") || fileName.MatchString(w.text))
}

// isURL reports whether a word names a scheme, as in https://example.com.
func (w word) isURL() bool { return strings.Contains(w.text, "://") }

// fileName matches a name with an extension of one to eight letters and digits.
// Sentences end in a full stop, too, but scan has taken that away.
var fileName = regexp.MustCompile(`^[^\s=:]*[^\s=:.]\.[A-Za-z][A-Za-z0-9]{0,7}$`)

// request is one thing that the user wants.
type request struct {
	words []word
	text  string // as the user wrote it
}

// opening returns the index of the first word that is not there for politeness,
// len(r.words) if there is none.
func (r request) opening() int {
	i := slices.IndexFunc(r.words, func(w word) bool { return !w.in(polite) })
	if i < 0 {
		return len(r.words)
	}
	return i
}

// wordSet is a set of words in lower case, or of roots.
type wordSet map[string]bool

// has reports whether a word is in the set. The word has to be in lower case.
func (s wordSet) has(w string) bool { return s[w] }

// newWordSet returns the set of the words that blanks separate.
func newWordSet(words string) wordSet {
	set := wordSet{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

var (
	// polite are the words that may precede a request.
	polite = newWordSet("please kindly also now first next can could would will you i we i'd want need like to tell " +
		"give show me us let let's hi hello hey ok okay so well")
	// joints link two requests.
	joints = newWordSet("and also plus then but")
	// questionWords open a request of their own after "and" or a comma.
	questionWords = newWordSet("what what's which where where's who when how tell give show please can could")
	// small words say nothing about which tool is meant.
	small = newWordSet("a an the this that these it its it's is are was were be am i me my we our you your he she " +
		"they do does did has have had can could would will not no of in on at to for from with by as into about and " +
		"or but if then so up all any some there here what what's which who where when how now please")
)

// split cuts a message into steps of requests; a step may be empty. A request ends with its sentence
// or line; "then" starts the next step; "and" or a comma ends a request only where
// what follows opens one, so that "milk, eggs and bread" stays together. split
// reports whether the message had more than maxWords words; the rest is not read.
func split(message string, opens func(word) bool) (steps [][]request, truncated bool) {
	words, truncated := scan(message)
	steps = [][]request{nil}
	start := 0
	cut := func(end int) {
		if r, ok := newRequest(message, words[start:end]); ok {
			steps[len(steps)-1] = append(steps[len(steps)-1], r)
		}
		start = end
	}
	for i, w := range words {
		switch {
		case w.in(wordSet{"then": true}):
			cut(i)
			steps = append(steps, nil)
		case i > start && (words[i-1].endsSentence() || joins(words, i) && opensRequest(words[i:], opens)):
			cut(i)
		}
	}
	cut(len(words))
	return steps, truncated
}

// joins reports whether a new request may begin at words[i].
func joins(words []word, i int) bool {
	return strings.Contains(words[i-1].after, ",") || words[i].in(joints)
}

// opensRequest reports whether words, after joints and politeness, begin with a
// question word or with a word that opens a tool's request.
func opensRequest(words []word, opens func(word) bool) bool {
	for len(words) > 0 && words[0].in(joints) {
		words = words[1:]
	}
	if len(words) > 0 && words[0].in(questionWords) {
		return true
	}
	i := request{words: words}.opening()
	return i < len(words) && opens(words[i])
}

// newRequest makes a request of words without the joints at its ends.
func newRequest(message string, words []word) (request, bool) {
	for len(words) > 0 && words[0].in(joints) {
		words = words[1:]
	}
	for len(words) > 0 && words[len(words)-1].in(joints) {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return request{}, false
	}
	return request{words: words, text: span(message, words)}, true
}

// span returns the text of a message from the first to the last of some words.
func span(message string, words []word) string {
	return message[words[0].start:words[len(words)-1].end]
}

// scan returns the words of a message and whether there are more than maxWords.
func scan(message string) (words []word, truncated bool) {
	found := tokens.FindAllStringIndex(message, maxWords+1)
	if truncated = len(found) > maxWords; truncated {
		found = found[:maxWords]
	}
	for _, at := range found {
		token := message[at[0]:at[1]]
		w := word{start: at[0], end: at[1]}
		left := strings.TrimLeft(token, "“\"`")
		if w.quoted = left != token && len(left) > 0; w.quoted {
			w.text = strings.TrimSpace(strings.TrimRight(left, "”\"`"))
		} else {
			left = strings.TrimLeft(left, ",;:!?([{<'’”")
			w.text = strings.TrimRight(left, ".,;:!?)]}>'’”…\n")
			w.start = at[1] - len(left)
			w.end = w.start + len(w.text)
			w.after = message[w.end:at[1]]
		}
		w.lower = strings.ReplaceAll(strings.ToLower(w.text), "’", "'")
		switch {
		case w.text != "":
			words = append(words, w)
		case len(words) > 0:
			words[len(words)-1].after += token
		}
	}
	return words, truncated
}
