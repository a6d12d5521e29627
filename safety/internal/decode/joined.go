package decode

import "candor/safety/internal/lex"

// Joined returns a text without its joints, so that a value in pieces is in one piece:
// "…" + "…", lines that are wrapped, words. It ends where the text leaves open whether a
// joint follows. It returns nil if there is no joint.
func Joined(s string) *View {
	var v *View
	last := 0
	for i := 0; i < len(s); {
		if !Joints[s[i]] {
			i++
			continue
		}
		kind, next := SkipJoint(s, i)
		if kind == JointNone && (next != len(s) || next == i) {
			i = max(i+1, lex.SkipBlank(s, i, len(s)))
			continue
		}
		if v == nil {
			v = newView(s)
		}
		v.copy(s, last, i)
		i, last = next, next
	}
	if v == nil {
		return nil
	}
	v.copy(s, last, len(s))
	return v.end(s)
}
