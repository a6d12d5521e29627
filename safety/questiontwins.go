package safety

import "slices"

// This file has which secret a mask means where several have the same one. A person sees no difference between
// such masks, so what they did to one cannot always be told from what they did to another: of two tokens
// in a list, which are both [REDACTED:github-pat], either may be the one that was taken out.

// eachMask calls yield for each mask in a value, with the secret behind it if that is known.
func (t *tree) eachMask(yield func(mask, secret string)) {
	if t.kind == '"' {
		_, masks := splitMasks(t.text)
		for i, mask := range masks {
			yield(mask, t.before.secret(i))
		}
	}
	for _, part := range t.parts {
		part.eachMask(yield)
	}
}

// secret returns what the mask of this index stands for, which is the whole leaf if no part of it is hidden.
func (l *leaf) secret(i int) string {
	switch {
	case l == nil:
		return ""
	case i < len(l.hidden):
		return l.text[l.hidden[i].From:l.hidden[i].To]
	}
	return string(l.literal)
}

// unclearMasks returns how often each mask stands in a value that stands for more than one secret there.
func (t *tree) unclearMasks() map[string]int {
	first, count, unclear := map[string]string{}, map[string]int{}, map[string]int{}
	t.eachMask(func(mask, secret string) {
		if count[mask]++; count[mask] == 1 {
			first[mask] = secret
		}
		if secret != first[mask] {
			unclear[mask] = 0
		}
	})
	for mask := range unclear {
		unclear[mask] = count[mask]
	}
	return unclear
}

// isUnclear reports whether a list has a mask of which nobody can tell what it means, given what was shown and what
// of that stands beside each element. A mask may mean another secret than the one beside it if two of these
// are so: its element was changed, another element looked the same, or there are more or fewer such masks now.
func (t *tree) isUnclear(was *tree, beside []*tree) bool {
	if was == nil || was.kind != '[' {
		return false
	}
	unclear := was.unclearMasks()
	count := map[string]int{}
	t.eachMask(func(mask, _ string) { count[mask]++ })
	for i, part := range t.parts {
		concerned, fewer := false, false
		part.eachMask(func(mask, _ string) {
			n, is := unclear[mask]
			concerned, fewer = concerned || is, fewer || is && n != count[mask]
		})
		if !concerned || beside[i] == nil {
			continue // a mask without anything beside it is refused anyway
		}
		changed, twin := !part.equal(beside[i]), part.hasTwin(was, beside[i])
		if changed && twin || fewer && (changed || twin) {
			return true
		}
	}
	return false
}

// hasTwin reports whether a list has an element that looks like t and has other secrets than the one beside it.
func (t *tree) hasTwin(list, beside *tree) bool {
	return slices.ContainsFunc(list.parts, func(other *tree) bool {
		return other != beside && t.equal(other) && !slices.Equal(other.secrets(), beside.secrets())
	})
}

// secrets returns the secrets in a value that was shown, in their order.
func (t *tree) secrets() (all []string) {
	t.eachMask(func(_, secret string) { all = append(all, secret) })
	return all
}
