package offline

import (
	"strings"
	"unicode"

	"candor/agent"
)

// kit is the tools as the plan sees them.
type kit struct {
	tools []*profile
	verbs map[string]bool // stems that open a tool's name, such as create in create_issue
}

// profile is what a tool's name and description say about it.
type profile struct {
	agent.Spec
	name  []string        // the stems of its name's parts
	about map[string]bool // the stems of its description and properties
}

func newKit(specs []agent.Spec) kit {
	k := kit{verbs: map[string]bool{}}
	for _, s := range specs {
		p := &profile{Spec: s, about: map[string]bool{}}
		for _, part := range parts(s.Name) {
			p.name = append(p.name, stem(part))
		}
		addStems(p.about, s.Description)
		if s.Schema != nil {
			for name, property := range s.Schema.Properties {
				if property != nil && name != rationaleProperty {
					addStems(p.about, strings.Join(parts(name), " "))
				}
			}
		}
		// A noun such as file or memory opens no sentence, so no request.
		if len(p.name) > 1 && (len(meanings[p.name[0]]) == 0 || len(asVerb[p.name[0]]) > 0) {
			k.verbs[p.name[0]] = true
		}
		k.tools = append(k.tools, p)
	}
	return k
}

func addStems(into map[string]bool, text string) {
	for _, w := range tokenize(text) {
		if !w.mark && !empty[w.low] {
			into[stem(w.low)] = true
		}
	}
}

// parts splits a name as programs write them: snake_case, kebab-case, camelCase.
func parts(name string) []string {
	var out []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			out = append(out, b.String())
			b.Reset()
		}
	}
	lower := false
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsNumber(r):
			flush()
		case unicode.IsUpper(r) && lower:
			flush()
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteRune(unicode.ToLower(r))
		}
		lower = unicode.IsLower(r)
	}
	flush()
	return out
}

// score says how well a tool fits what a clause asks for; 0 is not at all. The
// name counts most, then the verb that opens the clause, then the description.
func (p *profile) score(s sense) float64 {
	named, opens, total := 0, false, 0.0
	inName := map[string]bool{}
	for _, part := range p.name {
		inName[part] = true
		hit := s.stems[part]
		for meant := range meanings[part] {
			hit = hit || s.concepts[meant]
			opens = opens || s.head[meant]
		}
		if s.stems[part] {
			total += 0.5 // its very word is better than one of the same meaning
		}
		if hit {
			named++
			total += 4
		}
	}
	described := 0
	for w := range s.stems {
		if p.about[w] && !inName[w] {
			described++
		}
	}
	if 2*named < len(p.name) && described < 2 || named == 0 && described < 2 {
		return 0
	}
	if opens {
		total += 3
	}
	return total + float64(described)
}

// best is the tool that fits a clause best, the first of equals, nil for none.
func (k kit) best(s sense) *profile {
	var best *profile
	top := 0.0
	for _, p := range k.tools {
		if score := p.score(s); score > top {
			best, top = p, score
		}
	}
	return best
}
