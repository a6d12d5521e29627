package offline

import "slices"

// sense is what a clause asks for, as far as words go.
type sense struct {
	head     map[concept]bool // of the word that opens it
	concepts map[concept]bool
	stems    map[string]bool // its own words, without empty ones and quoted text
}

// valueNouns announce that the next word is meant as it stands.
var valueNouns = set(`word words phrase text string term terms symbol function func type method name identifier
	keyword pattern called named`)

func (c clause) sense() sense {
	s := sense{head: map[concept]bool{}, concepts: map[concept]bool{}, stems: map[string]bool{}}
	at := head(c.words)
	told := c.tells(at)
	if told < 0 {
		told = len(c.words)
	}
	for i, w := range c.words[:told] {
		if i < at || w.quoted || w.mark || i > 0 && valueNouns[c.words[i-1].low] && !empty[w.low] {
			continue
		}
		if w.pathLike() {
			s.concepts[cFile] = true
			continue
		}
		if !empty[w.low] || w.is("say", "says") {
			s.stems[stem(w.low)] = true
		}
		means := meanings[stem(w.low)]
		if i > at && len(asNoun[stem(w.low)]) > 0 {
			means = asNoun[stem(w.low)] // the notes, not to note
		}
		for meant := range means {
			s.concepts[meant] = true
			if i == at {
				s.head[meant] = true
			}
		}
	}
	c.refine(s, told < len(c.words))
	return s
}

// tells is where the fact starts that the clause wants kept, -1 if it wants
// nothing kept: after “remember that” the words are not about tools.
func (c clause) tells(at int) int {
	w := c.words[at:]
	is := func(i int, words ...string) bool { return i < len(w) && w[i].is(words...) }
	switch {
	case c.asks():
		return -1
	case is(0, "don't", "dont") && is(1, "forget"):
		return at + 2
	case is(0, "do") && is(1, "not") && is(2, "forget"):
		return at + 3
	case is(0, "keep", "bear") && is(1, "in") && is(2, "mind"):
		return at + 3
	case is(0, "write", "jot", "note") && is(1, "down"):
		return at + 2
	case is(0, "make", "take", "add", "write") && is(1, "a", "another") && is(2, "note", "memo"):
		return at + 3
	case len(w) > 0 && !w[0].quoted && asVerb[stem(w[0].low)][cSave]:
		for i := 1; i < min(len(w), 6); i++ {
			if w[i].is("that", ":") {
				return at + i
			}
		}
		return at + 1
	}
	return -1
}

func (c clause) has(words ...string) bool {
	return slices.ContainsFunc(c.words, func(w token) bool { return w.is(words...) })
}

// pair reports whether two words stand side by side.
func (c clause) pair(a, b string) bool {
	for i := range len(c.words) - 1 {
		if c.words[i].is(a) && c.words[i+1].is(b) {
			return true
		}
	}
	return false
}

// refine settles words that ask for different things in different company.
func (c clause) refine(s sense, tells bool) {
	asks := c.asks()
	switch {
	case tells:
		s.concepts[cSave], s.concepts[cMemory], s.head[cSave] = true, true, true
		return
	case c.has("remember", "recall", "remembered") || asks && (c.pair("know", "about") || c.has("told") || c.pair("i", "tell")),
		(s.concepts[cMemory] || asks && s.concepts[cSave]) && !s.head[cSave], asks && c.has("my", "our") && len(s.concepts) == 0:
		s.concepts[cFind], s.concepts[cMemory], s.head[cFind] = true, true, true
		delete(s.concepts, cSave)
		delete(s.head, cSave)
		return
	case asks && c.has("where", "where's"):
		s.concepts[cFind] = true
	case c.pair("look", "at"):
		c.reread(s)
	}
	if asks && (c.pair("is", "in") || c.pair("what's", "in") || c.pair("is", "here") || c.pair("what's", "here")) && len(s.concepts) == 0 {
		s.concepts[cFile], s.concepts[cList] = true, true
	}
	c.refineFiles(s, asks)
}

// refineFiles tells listing a folder from reading a file.
func (c clause) refineFiles(s sense, asks bool) {
	if !s.concepts[cFile] && !c.has("package", "module") || s.concepts[cFind] || s.concepts[cSave] || s.concepts[cDelete] {
		return
	}
	file := slices.ContainsFunc(c.words, token.fileLike) || c.has("file", "document")
	many := c.has("files", "documents") || slices.ContainsFunc(c.words, func(w token) bool { return folderNouns[w.low] })
	path := slices.ContainsFunc(c.words, token.pathLike)
	switch {
	case file && (asks || len(s.head) == 0):
		s.concepts[cRead] = true
	case !file && s.concepts[cRead], !file && asks && (many || path):
		if many || path {
			s.concepts[cList], s.head[cList] = true, true
			delete(s.concepts, cRead)
			delete(s.head, cRead)
		}
	}
}

func (c clause) reread(s sense) {
	s.concepts[cRead], s.head[cRead] = true, true
	delete(s.concepts, cFind)
	delete(s.head, cFind)
}

// opensRequest reports whether words start a request: with a question word, or
// with a verb that some tool could be meant by.
func (k kit) opensRequest(words []token) bool {
	at := head(words)
	if at == len(words) || words[at].quoted || words[at].mark {
		return false
	}
	w := words[at]
	if questions[w.low] || w.is("don't", "dont") || w.is("do") {
		return true
	}
	if at > 1 && filler(words) > 1 {
		return true // tell me, can you
	}
	return len(asVerb[stem(w.low)]) > 0 && at+1 < len(words) && !words[at+1].is("and") || k.verbs[stem(w.low)]
}
