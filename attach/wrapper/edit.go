package wrapper

import "encoding/json"

// edit replaces a place of a message by a text.
type edit struct {
	span
	with string
}

// edited returns a message with edits, which stand in order and do not overlap. Without edits it is the message itself.
func edited(raw []byte, edits []edit) []byte {
	if len(edits) == 0 {
		return raw
	}
	// The message that came is left as it is: facts share its memory.
	size := len(raw)
	for _, e := range edits {
		size += len(e.with)
	}
	out, at := make([]byte, 0, size), 0
	for _, e := range edits {
		out = append(append(out, raw[at:e.from]...), e.with...)
		at = e.to
	}
	return append(out, raw[at:]...)
}

// takeOut returns the edits that take the members called name out of the object at from, and the text of the last of
// them, which is empty if it is no string. Members that stay keep their bytes. A member goes together with one comma:
// the one behind it and the white space up to the next member, or, if it is the last, all from the end of the member
// before it.
func takeOut(raw []byte, from int, name string) (edits []edit, text string) {
	kept := -1 // where the latest member ends that stays
	open := false
	walk(raw, from, func(m member) bool {
		if open { // the member before this one goes, and all up to here
			edits[len(edits)-1].to = m.from
			open = false
		}
		// Only keys of this very object count; walk does not look into values.
		if m.key != name {
			kept = m.to
			return true
		}
		// The last one counts, as it does for most readers.
		text = ""
		_ = json.Unmarshal(m.of(raw), &text)
		edits, open = append(edits, edit{span: span{m.from, m.to}}), true
		return true
	})
	if open {
		edits = closed(raw, edits, kept)
	}
	return edits, text
}

// closed ends the last edit, whose member no other follows that is complete. kept is where the last member ends that
// stays, or -1.
func closed(raw []byte, edits []edit, kept int) []edit {
	last := edits[len(edits)-1]
	next := blank(raw, last.to)
	switch {
	case next == len(raw): // cut short: nobody knows yet which comma has to go
		return edits[:len(edits)-1]
	case raw[next] == ',': // cut short within the next member
		edits[len(edits)-1].to = blank(raw, next+1)
		return edits
	case kept < 0:
		return edits
	}
	// It is the last member. Edits behind the one that stays become one with it.
	for len(edits) > 0 && edits[len(edits)-1].from > kept {
		edits = edits[:len(edits)-1]
	}
	last.from = kept
	return append(edits, last)
}
