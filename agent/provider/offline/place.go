package offline

import "strings"

// where finds paths: what stands before a folder noun or after a preposition,
// and what looks like a path. Only a preposition or a noun tells a place from
// what is looked for, so with strict nothing else counts.
func (f *found) where(strict bool) []string {
	for i, w := range f.words {
		if w.quoted && f.marked(i) {
			return []string{f.take(i)}
		}
		if !w.pathLike() || strict && !f.marked(i) {
			continue
		}
		out := []string{f.take(i)}
		for j := i + 1; !strict && j < len(f.words); j++ {
			switch {
			case f.words[j].pathLike():
				out = append(out, f.take(j))
			case !f.words[j].is(",", "and", "&", "the", "file"):
				return out
			}
		}
		return out
	}
	for i := range f.words {
		if p, ok := f.besideNoun(i); ok {
			return []string{p}
		}
	}
	if i := f.head; strict && i+2 < len(f.words) && f.words[i+2].is("for") && f.free(i+1) && f.nameable(i+1) {
		return []string{f.take(i + 1)} // search X for Y
	}
	return f.after(within)
}

// within are the prepositions that say where; toward those that say what for.
const (
	within = "in under inside within from through across of"
	toward = "in for at near of around from"
)

// after is the names after the first of some prepositions that has any.
func (f *found) after(prepositions string) []string {
	wanted := set(prepositions)
	for i, w := range f.words {
		if wanted[w.low] && !w.quoted {
			if names := f.namesAt(i + 1); len(names) > 0 {
				f.used[i] = true
				return names
			}
		}
	}
	return nil
}

// marked reports whether a preposition or a noun says that a word is a place.
func (f *found) marked(i int) bool {
	for j := i - 1; j >= 0; j-- {
		w := f.words[j]
		switch {
		case w.is("in", "under", "inside", "within", "from", "through", "across", "of"), folderNouns[w.low], fileNouns[w.low]:
			return true
		case !articles[w.low]:
			return i+1 < len(f.words) && folderNouns[f.words[i+1].low]
		}
	}
	return i+1 < len(f.words) && folderNouns[f.words[i+1].low]
}

// besideNoun is X of “the X folder” and “folder X”.
func (f *found) besideNoun(i int) (string, bool) {
	w := f.words[i]
	if w.quoted || !folderNouns[w.low] && !fileNouns[w.low] {
		return "", false
	}
	for _, j := range []int{i + 1, i - 1} {
		if f.free(j) && f.nameable(j) {
			f.used[i] = true
			return f.take(j), true
		}
	}
	return "", false
}

// nameable reports whether a word can be a name: no empty word, no verb, and
// nothing general such as workspace.
func (f *found) nameable(j int) bool {
	w := f.words[j]
	if w.quoted {
		return true
	}
	if asVerb[stem(w.low)] != nil && strings.HasSuffix(w.low, "s") {
		return false // which package defines X
	}
	return !w.mark && !empty[w.low] && !places[w.low] && !fileWords[w.low] && !prepositions[w.low] &&
		j != f.head && !w.is("named", "called", "root", "top-level", "whole", "entire", "contain", "contains", "says")
}

// namesAt is X of “in the X” and “in X and Y” where they end the phrase.
func (f *found) namesAt(j int) []string {
	for j < len(f.words) && (articles[f.words[j].low] || folderNouns[f.words[j].low] || fileNouns[f.words[j].low]) {
		j++
	}
	return f.series(j)
}

// series is the names from a word on that and or commas join, if nothing of
// weight follows them.
func (f *found) series(i int) []string {
	var at []int
	j := i
	for ; j < len(f.words); j++ {
		w := f.words[j]
		if f.free(j) && f.nameable(j) {
			at = append(at, j)
		} else if again := w.is("in") && j > 0 && f.words[j-1].is("and", ","); !again && !w.is(",", "and", "&") && !articles[w.low] {
			break
		}
		if f.free(j) && f.nameable(j) && j+1 < len(f.words) && f.free(j+1) && f.nameable(j+1) {
			return nil // two words in a row are no name
		}
	}
	if j < len(f.words) && !f.words[j].mark && !empty[f.words[j].low] && !folderNouns[f.words[j].low] {
		return nil
	}
	var out []string
	for _, k := range at {
		out = append(out, f.take(k))
	}
	return out
}

// object is the names right after the verb, for “read LICENSE” and “list agent
// and session”. Words of the tool's own description are no names.
func (f *found) object(p *profile) []string {
	i := f.head + 1
	for i < len(f.words) && (articles[f.words[i].low] || f.words[i].is("me") || fileNouns[f.words[i].low]) {
		i++
	}
	if i >= len(f.words) || p.about[stem(f.words[i].low)] || len(asVerb[stem(f.words[max(0, i-1)].low)]) == 0 && questions[f.words[f.head].low] {
		return nil
	}
	return f.series(i)
}
