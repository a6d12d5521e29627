package view

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"
)

// weights say how much a match in a field counts. What a call did and on what counts most, then why,
// then what was said about it. Fields without a weight count one.
var weights = map[string]int{
	"tool_name": 14, "object": 12, "decision": 12, "rationale": 8, "approval_value": 6, "feedback": 6,
	"edited_parameters": 6, "outcome_line": 5, "error": 5, "parameters": 5, "title": 4, "to": 3, "prompt": 3,
	"user_input": 2, "narrative": 2, "thought": 2, "conclusion": 2, "message": 2, "response": 1, "result": 2,
	// A result counts little although it belongs to a call: it is long, and has most words by chance.
}

// rank says how well a hit answers the query. Words is how many of its words the hit has; between hits with
// equally many, points decide.
type rank struct {
	// words is how many words of the query the hit has, but for weak ones; points is how well it has them.
	words, points int
	at            int      // the text in which the best match is
	near          []string // words that stand for some of the query
	isNear        bool     // a word of the query is there only as a near match
}

// rankOf returns the rank of texts for the terms; around are those terms that the texts around a
// call have, which count little and only beside a match of the call's own. ok is false if no
// term matches.
func (f *finder) rankOf(texts []field, around []bool) (r rank, ok bool) {
	if len(f.terms) == 0 {
		return r, len(texts) > 0
	}
	lower, best := lowered(texts), 0
	// A call that has only what is around it is no better hit than any other call of its turn.
	own := false
	for i, t := range f.terms {
		points, at, near := t.best(texts, lower)
		f.terms[i].seen = t.seen || points > 0 && near == ""
		own = own || points > 0 && !t.weak
		if points == 0 && around != nil && around[i] {
			points, at = 1, -1
		}
		if points == 0 {
			continue
		}
		if !t.weak {
			r.words++
		}
		r.points += points
		if near != "" {
			r.near, r.isNear = append(r.near, near), true
		}
		if points > best && at >= 0 {
			best, r.at = points, at
		}
	}
	return r, own
}

// best returns the points of the term's matches in texts, which text its best match is in, and the word that stands
// for the term if that is only near. Its other matches count a quarter.
func (t term) best(texts []field, lower []string) (points, at int, near string) {
	sum := 0
	for i, text := range texts {
		q, as := t.in(lower[i])
		if q == missed && typoFields[text.name] {
			if as = t.typoIn(lower[i]); as != "" {
				q = mistyped
			}
		}
		p := int(q) * max(1, weights[text.name])
		sum += p
		if p > points {
			points, at, near = p, i, as
		}
	}
	return points + (sum-points)/4, at, near
}

// around says which terms the texts around a call have.
func (f *finder) around(s *surroundings) []bool {
	switch {
	case s == nil:
		return nil
	case s.has != nil:
		return s.has
	}
	s.has = make([]bool, len(f.terms))
	for _, text := range s.texts {
		lower := strings.ToLower(text)
		for i, t := range f.terms {
			q, _ := t.in(lower)
			s.has[i] = s.has[i] || q >= related
		}
	}
	return s.has
}

// rankedHit is a hit that may be shown. Order is the place in which it was found.
type rankedHit struct {
	SearchHit
	rank
	when  time.Time // of equals the later one comes first
	order int
	texts []field
}

// compareRanks sorts the better hit first, of equals the newest, and of those at one time the one that was found first.
func compareRanks(a, b rankedHit) int {
	return cmp.Or(b.words-a.words, b.points-a.points, b.when.Compare(a.when), a.order-b.order)
}

// began returns when the turn or job began that is searched.
func (f *finder) began() time.Time {
	if f.document.Turn != nil {
		return f.document.Turn.Began()
	}
	return f.document.Job.CreatedAt
}

// keep adds a hit to those that may be shown, unless so many better ones are known.
func (f *finder) keep(hit SearchHit, r rank, texts []field) {
	f.order++
	// Twice as many hits as may be shown are held and then cut in half, which costs less than to
	// keep them sorted.
	room := f.Offset + f.Limit
	next := rankedHit{SearchHit: hit, rank: r, when: f.began(), order: f.order}
	if len(f.terms) == 0 { // of decisions that nobody asked a question about each has its own time
		next.when = hit.At
	}
	if room == 0 || len(f.best) >= room && f.sorted && compareRanks(next, f.best[room-1]) > 0 {
		return
	}
	next.texts = texts
	f.best, f.sorted = append(f.best, next), false
	if len(f.best) >= 2*room {
		slices.SortFunc(f.best, compareRanks)
		clear(f.best[room:])
		f.best, f.sorted = f.best[:room], true
	}
}

// page returns the hits of the page that was asked for, of those with at least so many words.
func (f *finder) page(least int) []SearchHit {
	slices.SortFunc(f.best, compareRanks)
	hits := []SearchHit{}
	for _, h := range f.best[min(f.Offset, len(f.best)):] {
		if h.words >= least && len(hits) < f.Limit {
			h.show(h.texts, f.marks)
			hits = append(hits, h.SearchHit)
			f.near = append(f.near, h.rank.near...)
		}
	}
	return hits
}

// show fills in the texts of the hit, with the matches marked.
func (h *rankedHit) show(texts []field, marks []*regexp.Regexp) {
	best := texts[h.at]
	h.Field, h.Snippet = best.name, snippet(best.text, marks)
	for _, t := range texts {
		switch {
		case h.CallID == "":
		case t.name == "tool_name":
			h.Name = snippet(t.text, marks)
		case t.name == "object":
			h.Object = snippet(t.text, marks)
		case t.name == "rationale":
			h.Reason = snippet(t.text, marks)
		}
	}
}

// The bounds of the search for words that were mistyped.
const (
	// minTypo is the length of the shortest word for which mistyped ones are looked for: short
	// words are too often one letter apart.
	minTypo = 5
	// maxTypo is the length of the longest, which bounds the work for each word of a text.
	maxTypo = 24
)

// typoIn returns the word of a text that is the term with one letter wrong, two in a long word, and
// "" if there is none. The first letter has to be right.
func (t term) typoIn(text string) string {
	allowed := t.typos()
	if allowed == 0 || len(text) > maxNearText {
		return ""
	}
	first := t.word[:1]
	for from := 0; from < len(text); {
		i, start := position(text[from:], first)
		if i < 0 || !start {
			return ""
		}
		w := t.tokenAt(text, from+i)
		if d := len(w) - len(t.word); d >= -allowed && d <= allowed && Distance(t.word, w) <= allowed {
			return w
		}
		from += i + max(1, len(w))
	}
	return ""
}

// typos returns how many letters of the term may be wrong.
func (t term) typos() int {
	switch {
	case len(t.word) < minTypo || len(t.word) > maxTypo:
		return 0
	case isWord(t.word):
		return min(2, max(1, len(t.word)/4))
	}
	return min(3, max(1, len(t.word)/4))
}

// tokenAt returns what begins at a place of a text and has only letters, digits and such signs as the term has, as
// the dot of a file's name.
func (t term) tokenAt(text string, at int) string {
	end := strings.IndexFunc(text[at:], func(r rune) bool { return !isLetter(r) && !strings.ContainsRune(t.word, r) })
	if end < 0 {
		return text[at:]
	}
	return text[at : at+end]
}

// Distance counts the letters that have to be added, left out, changed or swapped with their
// neighbour to turn one word into the other.
func Distance(a, b string) int {
	// The usual table, of which only three rows are kept: of the letters before the last two of a,
	// before the last one, and of all.
	before, last, row := []int(nil), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+differs(a[i-1], b[j-1]))
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, make([]int, len(b)+1)
	}
	return last[len(b)]
}

func differs(x, y byte) int {
	if x == y {
		return 0
	}
	return 1
}

// typoFields are the fields in which mistyped words are looked for: those that a person reads.
var typoFields = wordSet("tool_name object rationale decision title user_input")

// lowered returns texts in lower case.
func lowered(texts []field) []string {
	lower := make([]string, len(texts))
	for i, t := range texts {
		lower[i] = strings.ToLower(t.text)
	}
	return lower
}

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
	"delete remove rm drop erase unlink clear clean discard throw wipe purge",
	"run execute exec bash shell command",
	"read open view cat",
	"edit change modify patch update rewrite",
	"write create save add",
	"search grep look query seek",
	"fetch download request http curl",
	"send mail email notify announce announcement",
	"customer client",
	"old legacy deprecated obsolete",
	"history log commit",
	"library dependency",
	"delegate ask review reviewer",
	"deploy release ship publish rollout",
	"upgrade bump update",
	"fail failure failed error broken red",
	"deny denied reject rejected refuse refused forbid block blocked",
	"stop cancel cancelled interrupt",
)

// weakWords say how somebody asks rather than what about. They decide between hits that are equal otherwise.
var weakWords = wordSet(`actually already allowed allow because care come comes decide decided else first go hunting
	hunt idea keep kept know knew known let like look looked looking made make makes making need needed now
	once place reason really right since somebody someone sometime start started still take taken think
	thought trust try tried trying understand use used uses want wanted wants whole work`)

// irregular has the forms of verbs whose past no ending tells.
var irregular = groups(
	"begin began begun", "break broke broken", "bring brought", "build built",
	"choose chose chosen",
	"go went gone goes", "keep kept", "leave left", "lose lost", "make made", "read", "run ran", "see saw seen",
	"send sent", "take took taken", "throw threw thrown", "write wrote written",
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
