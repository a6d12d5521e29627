package offline

import "strings"

// clause is one wish of the user's message.
type clause struct {
	words     []token
	text      string // as the user wrote it
	question  bool   // it ends in a question mark
	then      string // the word that puts it after the stage before
	place     string // what the clauses before it are about
	preceding string // the statement right before it, if there is one
}

// stage is what can be done at once.
type stage []clause

// opener says whether words open a request of their own.
type opener func([]token) bool

// stages takes a message apart. What “and” or a comma joins is one wish unless
// the second part opens like a request: milk and eggs stay together.
func stages(message string, opens opener) []stage {
	s := splitter{message: message, tokens: tokenize(message), opens: opens, out: make([]stage, 1)}
	for at := 0; at < len(s.tokens); {
		at += s.step(at)
	}
	s.cut(len(s.tokens), false)
	return s.out
}

type splitter struct {
	message string
	tokens  []token
	opens   opener
	out     []stage
	begin   int    // of the clause that is being read
	then    string // what put it after the stage before
}

// step looks at one place, cuts there if a clause ends, and gives how many
// tokens it has dealt with.
func (s *splitter) step(at int) int {
	t := s.tokens[at]
	if s.ends(at) {
		s.cut(at, t.text == "?")
		s.begin = at + 1
		return 1
	}
	joined, n := s.joint(at)
	after, word := s.sequel(at + n)
	if after > 0 && n == 0 && at > s.begin && s.ends(at+after) {
		// “and read it afterwards”: the clause that ends here comes later.
		s.sequelTo(word)
		s.cut(at, false)
		s.begin = at + after
		return after
	}
	rest := s.tokens[min(at+n+after, len(s.tokens)):]
	switch {
	case after > 0 && (joined || at == s.begin || s.opens(rest)):
		s.cut(at, false)
		s.begin = at + n + after
		s.sequelTo(word)
		return n + after
	case after == 0 && joined && s.opens(rest):
		s.cut(at, false)
		s.begin = at + n
	}
	return max(1, n)
}

// sequelTo opens the next stage, unless nothing came before it.
func (s *splitter) sequelTo(word string) {
	s.then = word
	if len(s.out[len(s.out)-1]) > 0 {
		s.out = append(s.out, nil)
	}
}

// ends reports whether the sentence is over at a place.
func (s *splitter) ends(at int) bool {
	return at >= len(s.tokens) || s.tokens[at].mark && strings.Contains(".;!?", s.tokens[at].text)
}

// joint is a place where two wishes may meet: a comma, and, or both.
func (s *splitter) joint(at int) (joined bool, n int) {
	for at+n < len(s.tokens) && s.tokens[at+n].is(",", "and", "plus", "also", "&", "but") {
		n++
	}
	return n > 0, n
}

// sequel is a word that says “after what came before”, and how many tokens it is.
func (s *splitter) sequel(at int) (n int, word string) {
	is := func(i int, words ...string) bool { return at+i < len(s.tokens) && s.tokens[at+i].is(words...) }
	switch {
	case is(0, "then", "afterwards", "afterward", "subsequently", "thereafter"):
		n = 1
	case is(0, "after") && is(1, "that", "this", "which"), is(0, "once") && is(1, "done"):
		n = 2
	case is(0, "next", "finally", "lastly") && (at == s.begin || is(1, ",") || at > 0 && s.tokens[at-1].is(",", "and")):
		n = 1
	default:
		return 0, ""
	}
	word = s.message[s.tokens[at].start:s.tokens[at+n-1].end]
	for is(n, ",") {
		n++
	}
	return n, strings.ToLower(word)
}

// cut ends the clause that is being read before a token.
func (s *splitter) cut(end int, question bool) {
	words := s.tokens[min(s.begin, end):end]
	for len(words) > 0 && words[0].is(",", ":") {
		words = words[1:]
	}
	for len(words) > 0 && words[len(words)-1].is(",", "and") {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return
	}
	c := clause{words: words, question: question, then: s.then}
	c.text = s.message[words[0].start:words[len(words)-1].end]
	last := len(s.out) - 1
	s.out[last] = append(s.out[last], c)
}

// head is the first word that is not there for politeness only.
func head(words []token) int {
	for at := 0; at < len(words); {
		n := filler(words[at:])
		if n == 0 {
			return at
		}
		at += n
	}
	return len(words)
}

// filler is how many words of politeness there are at the start.
func filler(words []token) int {
	for _, phrase := range fillerPhrases {
		n := 0
		for w := range strings.FieldsSeq(phrase) {
			if n >= len(words) || !words[n].is(w) {
				n = 0
				break
			}
			n++
		}
		if n > 0 {
			return n
		}
	}
	if w := words[0]; w.mark || !w.quoted && fillers[w.low] {
		return 1
	}
	return 0
}

// asks reports whether a clause is a question.
func (c clause) asks() bool {
	i := head(c.words)
	return c.question || i < len(c.words) && questions[c.words[i].low]
}

// statement reports whether a clause tells something and asks for nothing.
func (c clause) statement() bool {
	if c.question || len(c.words) == 0 {
		return false
	}
	i := head(c.words)
	if i == len(c.words) {
		return true
	}
	w := c.words[i]
	if questions[w.low] || w.quoted {
		return false
	}
	if pronouns[w.low] {
		return true
	}
	if articles[w.low] {
		for _, later := range c.words[i+1:] {
			if later.is("is", "are", "was", "were", "has", "have", "will") {
				return true
			}
		}
	}
	return false
}

// negated reports whether a clause says what not to do.
func (c clause) negated() bool {
	i := 0
	for i < len(c.words) && c.words[i].is("please", "but", "and", "also", "so") {
		i++
	}
	rest := c.words[i:]
	not := len(rest) > 0 && rest[0].is("don't", "dont", "never")
	if len(rest) > 1 && rest[0].is("do") && rest[1].is("not") {
		not, rest = true, rest[1:]
	}
	return not && (len(rest) < 2 || stem(rest[1].low) != "forget")
}
