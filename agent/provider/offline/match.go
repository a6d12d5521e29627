package offline

import (
	"slices"
	"strings"
	"unicode"

	"candor/agent"
)

// The score of a tool for a request is the sum of these.
const (
	openingScore = 5 // the request opens with a verb of the tool
	ownScore     = 2 // a word of its name, one that only its description has, or a path that it requires
	sharedScore  = 1 // a word that the descriptions of several tools have
	minScore     = 2 // below this no tool fits
)

// toolbox is the tools on offer, as the rules see them.
type toolbox struct {
	profiles []*profile
	holders  map[string]int // how many tools have a root in their description
}

// profile is a tool and the words that lead to it, as roots.
type profile struct {
	agent.Spec
	verbs     wordSet // the first word of its description, the last part of its name
	name      wordSet // the parts of its name
	about     wordSet // the words of its description, without small ones and its verb
	needsPath bool    // it requires a path
}

// newToolbox reads the names and descriptions of tools. A tool's verb does not
// count as a word of its description: it speaks for the tool only where it opens
// the request, so that "what do you remember" is no request to remember.
func newToolbox(specs []agent.Spec) toolbox {
	b := toolbox{holders: map[string]int{}}
	for _, s := range specs {
		p := &profile{Spec: s, verbs: wordSet{}, name: wordSet{}, about: wordSet{}}
		for i, part := range nameParts(s.Name) {
			p.name[root(part)] = true
			if i == len(nameParts(s.Name))-1 {
				p.verbs[root(part)] = true
			}
		}
		words, _ := scan(s.Description)
		for i, w := range words {
			switch {
			case i == 0:
				p.verbs[root(w.lower)] = true
			case !small[w.lower]:
				p.about[root(w.lower)] = true
			}
		}
		for w := range p.about {
			b.holders[w]++
		}
		p.needsPath = slices.ContainsFunc(p.required(), placeNames.has)
		b.profiles = append(b.profiles, p)
	}
	return b
}

// best returns the tool with the highest score, the first of equals, or nil if
// none fits. A request that begins with "don't" or "never"
// fits none.
func (b toolbox) best(r request) *profile {
	start := r.opening()
	if slices.ContainsFunc(r.words[start:min(start+2, len(r.words))], func(w word) bool { return w.in(negations) }) {
		return nil
	}
	var best *profile
	top := minScore - 1
	for _, p := range b.profiles {
		if score := b.score(p, r); score > top {
			best, top = p, score
		}
	}
	return best
}

// negations open a request not to do something. There is no call for such a
// request, and a call against it would be the one thing that must not happen.
var negations = newWordSet("don't dont never not")

// score rates how well a tool fits a request. Each word counts once; quoted text
// does not count, because it is about the user's subject and not about tools.
func (b toolbox) score(p *profile, r request) int {
	total := 0
	seen := wordSet{}
	first := r.opening()
	for i, w := range r.words {
		base := root(w.lower)
		if w.quoted || seen[base] {
			continue
		}
		seen[base] = true
		if i == first && p.verbs[base] {
			total += openingScore
		}
		switch {
		case p.name[base], p.about[base] && b.holders[base] == 1, p.needsPath && w.pathLike():
			total += ownScore
		case p.about[base]:
			total += sharedScore
		}
	}
	return total
}

// opens reports whether a word is the verb of any tool, so that a request may
// begin with it.
func (b toolbox) opens(w word) bool {
	for _, p := range b.profiles {
		if !w.quoted && p.verbs[root(w.lower)] {
			return true
		}
	}
	return false
}

// has reports whether a word is one of the tool's own rather than the user's.
func (p *profile) has(w word) bool {
	base := root(w.lower)
	return !w.quoted && (p.verbs[base] || p.name[base] || p.about[base])
}

// root returns a word without the endings of plurals and of verbs, so that finds
// and find, or remembered and remember, are the same.
func root(text string) string {
	text = strings.TrimSuffix(text, "'s")
	switch {
	case len(text) > 5 && strings.HasSuffix(text, "ed"):
		text = text[:len(text)-2]
	case len(text) > 3 && strings.HasSuffix(text, "s") && !strings.HasSuffix(text, "ss"):
		text = text[:len(text)-1]
	}
	if len(text) > 4 {
		text = strings.TrimSuffix(text, "e")
	}
	return text
}

// nameParts splits a name as programs write it, in snake_case, kebab-case or
// camelCase, into its words in lower case.
func nameParts(name string) []string {
	var spaced strings.Builder
	afterLower := false
	for _, r := range name {
		if unicode.IsUpper(r) && afterLower {
			spaced.WriteByte(' ')
		}
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) {
			r = ' '
		}
		spaced.WriteRune(unicode.ToLower(r))
		afterLower = unicode.IsLower(r)
	}
	return strings.Fields(spaced.String())
}
