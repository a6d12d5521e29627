package view

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"candor/safety"
	"candor/session"
	"candor/session/brief"
)

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
	// weak says that the word alone makes no hit.
	weak bool
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
		t.others = append(slices.Clone(synonyms[t.word]), irregular[t.word]...)
		for word, others := range synonyms {
			if t.stem != "" && len(t.others) == 0 && stemOf(word) == t.stem {
				t.others = append([]string{word}, others...)
			}
		}
		slices.Sort(t.others)
		t.weak = weakWords[t.word]
		all = append(all, t)
	}
	if !slices.ContainsFunc(all, func(t term) bool { return !t.weak }) {
		for i := range all {
			all[i].weak = false
		}
	}
	return all
}

// strong counts the terms that are not weak.
func strong(terms []term) (n int) {
	for _, t := range terms {
		if !t.weak {
			n++
		}
	}
	return n
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

// EditedInfo has the parameters as a person changed them before they approved the call, whole but for
// secrets, and who that was. A call that nobody changed has none of it.
type EditedInfo struct {
	Edited   *safety.JSON `json:"edited_parameters,omitempty"`
	EditedBy *safety.Text `json:"edited_by,omitempty"`
}

func editedInfo(params safety.JSON, by safety.Text) EditedInfo {
	if params.Null() {
		return EditedInfo{}
	}
	return EditedInfo{&params, orNull(by)}
}

func editedOf(c session.Call) EditedInfo {
	if c.Approval == nil {
		return EditedInfo{}
	}
	return editedInfo(c.Approval.Edited, c.Approval.EditedBy)
}

// editedObject returns what a call is about with the parameters as a person changed them, nothing if nobody did.
func editedObject(params safety.JSON) (object brief.Line) {
	if params.Null() {
		return object
	}
	return brief.Object(params)
}

// editedText returns the parameters as a person changed them, "" if nobody did.
func editedText(c session.Call) string {
	edited, _ := c.Edited()
	return jsonText(edited)
}

// Confident has the members of a call whose agent said how sure of it it was, and those of a
// call that is a decision. Other calls have none of them.
type Confident struct {
	Confidence *ConfidenceInfo `json:"confidence,omitempty"`
	Decides    bool            `json:"decides,omitempty"`  // the call is a decision, and touches nothing
	Decision   string          `json:"decision,omitempty"` // what it decides, at most maxPreview characters
}

// ConfidenceInfo is how sure an agent said it was, between 0 and 1. Below the threshold a person
// decides; Suppressed says that the operator lets such calls run.
type ConfidenceInfo struct {
	Stated     float64 `json:"stated"`
	Threshold  float64 `json:"threshold"`
	Suppressed bool    `json:"suppressed,omitempty"`
}

// WorkflowInfo says that a turn is the run of a workflow.
type WorkflowInfo struct {
	ID       string   `json:"id"`
	ReplayOf *TurnRef `json:"replay_of,omitempty"` // the turn that it repeats
}

// TurnRef is the address of a turn.
type TurnRef struct {
	ThreadID   string `json:"thread_id"`
	TurnNumber int    `json:"turn_number"`
}

func confident(c session.Call) Confident {
	out := Confident{Decides: c.Decides, Decision: truncate(c.Decision(), maxPreview)}
	if s := c.Confidence; s != nil {
		out.Confidence = &ConfidenceInfo{s.Stated, s.Threshold, s.Suppressed}
	}
	return out
}

// workflowInfo returns nil for a turn that is not a run.
func workflowInfo(w session.Workflow) *WorkflowInfo {
	if !w.Set() {
		return nil
	}
	info := &WorkflowInfo{ID: w.ID}
	if r := w.ReplayOf; r != (session.Ref{}) {
		info.ReplayOf = &TurnRef{r.Thread, r.Turn}
	}
	return info
}
