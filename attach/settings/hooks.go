package settings

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// TokenVariable is the environment variable from which hooks take their token. The settings do not contain the token.
const TokenVariable = "CANDOR_TOKEN"

// Hooks describes the hooks of one program that report to a server. All fields but Further are required.
type Hooks struct {
	// Events are the events that get an entry.
	Events []string
	// Entry returns the entry of an event, which encodes as JSON. The server's address has no trailing slash.
	Entry func(event, server string) any
	// Further returns more entries of an event, whose hooks run beside that of Entry. If it is nil, there are none.
	Further func(event, server string) []any
	// Ours returns the address of the server to which an entry reports if Entry made it, else "".
	Ours func(entry json.RawMessage) (server string)
	// Marks are texts of which each of Candor's entries contains one. Waits and Reminds are texts of those entries that
	// let calls wait for a person, and that ask the model for reasons.
	Marks          []string
	Waits, Reminds string
	// Switch is the member of the settings that has the program ask for summaries of the model's thoughts; "" if it has
	// none. Thinks says that Attach turns it on.
	Switch string
	Thinks bool
}

// Attach returns the settings with hooks that report to the server at an address. They replace such hooks for another
// server; every other byte stays as it is. settings is nil if the file does not exist.
func (h Hooks) Attach(settings []byte, server string) ([]byte, error) {
	with, err := h.attachHooks(settings, server)
	if err != nil || !h.Thinks {
		return with, err
	}
	return h.switchOn(with)
}

// attachHooks is Attach without the switch.
func (h Hooks) attachHooks(settings []byte, server string) ([]byte, error) {
	plain, err := h.Detach(settings)
	if err != nil {
		return nil, err
	}
	l, err := layoutOf(plain)
	if err != nil {
		return nil, err
	}
	// Each event has a list of entries, and ours stands behind those of others: hooks of an event run side by side, so
	// that nobody waits for ours longer than for the slowest.
	var edits []edit
	var added []string
	style := l.style()
	for _, event := range h.Events {
		entries := h.entries(event, strings.TrimSuffix(server, "/"), style)
		theirs, there := l.hooks.named(event)
		if !there {
			added = append(added, style.value(event, 0)+": "+style.wrapped("[", entries, "]", hooksDepth+1))
			continue
		}
		list, ok := l.entries(theirs)
		if !ok {
			return nil, fault(plain, theirs.at, "the hooks of an event are no list")
		}
		edits = append(edits, style.insert(list, entries, hooksDepth+2))
	}
	switch {
	case l.at < 0:
		return l.withHooks(style, added), nil
	case len(added) > 0:
		edits = append(edits, style.insert(l.hooks, added, hooksDepth+1))
	}
	return edited(plain, edits), nil
}

// hooksDepth is the depth of the member hooks. An event is one level deeper, its entries are two.
const hooksDepth = 1

// entries returns our entries of an event, as they are written.
func (h Hooks) entries(event, server string, style style) []string {
	all := []any{h.Entry(event, server)}
	if h.Further != nil {
		all = append(all, h.Further(event, server)...)
	}
	var texts []string
	for _, one := range all {
		texts = append(texts, style.value(one, hooksDepth+2))
	}
	return texts
}

// withHooks returns settings that have no hooks with those of some events.
func (l layout) withHooks(style style, events []string) []byte {
	hooks := `"hooks": ` + style.wrapped("{", events, "}", hooksDepth)
	switch {
	case l.raw == nil:
		return []byte(madeByUs + hooks + "\n}\n")
	case l.root.to == 0:
		return []byte(wasSpaces + hooks + "\n}" + string(l.raw))
	}
	return edited(l.raw, []edit{style.insert(l.root, []string{hooks}, hooksDepth)})
}

// Detach returns the settings without what Attach added, byte for byte as they were unless somebody else changed what
// Attach wrote. It returns nil if Attach made the file. It returns settings that it cannot read unchanged if they
// contain none of Candor's hooks, else an error.
func (h Hooks) Detach(settings []byte) ([]byte, error) {
	settings = h.switchedBack(settings)
	l, err := layoutOf(settings)
	switch {
	case err != nil && !h.mentioned(settings):
		return settings, nil
	case err != nil:
		return nil, err
	}
	var edits []edit
	var some bool
	drop := make([]bool, len(l.hooks.parts))
	for i, event := range l.hooks.parts {
		cuts, none := h.withoutOurs(l, event)
		if none {
			drop[i], some = true, true
			continue
		}
		edits = append(edits, cuts...)
	}
	if some {
		cuts, none := l.hooks.without(drop)
		if none && l.hooks.begunByUs() {
			return l.withoutHooks(), nil
		}
		edits = append(edits, cuts...)
	}
	if len(edits) == 0 {
		return settings, nil
	}
	return edited(settings, edits), nil
}

// mentioned reports whether hooks of ours may be among settings that cannot be read. Some programs write \/ for /. One
// that says so of settings without our hooks does no harm: a person is asked to mend the file.
func (h Hooks) mentioned(settings []byte) bool {
	plain := bytes.ReplaceAll(settings, []byte(`\`), nil)
	return slices.ContainsFunc(h.Marks, func(mark string) bool { return bytes.Contains(plain, []byte(mark)) })
}

// withoutOurs returns the edits that take our entries from an event, and whether the event goes with them. What is not
// of the shape that we know is somebody's, and stays.
func (h Hooks) withoutOurs(l layout, event part) (cuts []edit, none bool) {
	list, ok := l.entries(event)
	if !ok || len(list.parts) == 0 {
		return nil, false
	}
	drop := make([]bool, len(list.parts))
	for i, p := range list.parts {
		drop[i] = h.Ours(l.raw[p.at:p.to]) != ""
	}
	cuts, none = list.without(drop)
	return cuts, none && list.begunByUs()
}

// AttachedTo returns the address to which Candor's hooks in the settings report, or "" if there are none.
func (h Hooks) AttachedTo(settings []byte) (server string, err error) {
	l, err := layoutOf(settings)
	if err != nil {
		return "", err
	}
	h.eachOfOurs(l, func(_ []byte, address string) {
		if server == "" {
			server = address
		}
	})
	return server, nil
}

// Asks reports whether Candor's hooks in the settings let calls wait for a person, and whether they ask the model for
// reasons.
func (h Hooks) Asks(settings []byte) (waits, reasons bool) {
	l, err := layoutOf(settings)
	if err != nil {
		return false, false // what cannot be read has none
	}
	h.eachOfOurs(l, func(entry []byte, _ string) {
		waits = waits || bytes.Contains(entry, []byte(h.Waits))
		reasons = reasons || bytes.Contains(entry, []byte(h.Reminds))
	})
	return waits, reasons
}

// eachOfOurs gives take our entries of all events, each with the server to which it reports.
func (h Hooks) eachOfOurs(l layout, take func(entry []byte, server string)) {
	for _, event := range l.hooks.parts {
		list, _ := l.entries(event) // a list of another shape has none of ours
		for _, p := range list.parts {
			entry := l.raw[p.at:p.to]
			if server := h.Ours(entry); server != "" {
				take(entry, server)
			}
		}
	}
}
