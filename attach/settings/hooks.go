package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// ErrSettings is the error for settings that cannot be changed without losing something.
var ErrSettings = errors.New("the settings are no JSON object whose hooks are lists by event: mend the file first")

// TokenVariable is the environment variable from which hooks take their token. The settings do not have the token.
const TokenVariable = "CANDOR_TOKEN"

// Hooks are the hooks of one program that report to a server. All members but Further are set.
type Hooks struct {
	// Events are those that get an entry.
	Events []string
	// Entry returns the entry of an event, which encodes as JSON. The server's address has no slash at its end.
	Entry func(event, server string) any
	// Further returns more entries of an event, whose hooks run beside that of Entry; nil has none.
	Further func(event, server string) []any
	// Ours returns the address of the server to which an entry that Entry made reports, or "" for those of others.
	Ours func(entry json.RawMessage) (server string)
	// Waits and Reminds are the text by which an entry of ours is known to let calls wait for a person, or to ask the
	// model for reasons.
	Waits, Reminds string
}

// Attach returns the settings with hooks that report to the server at an address, in the place of such hooks for
// another server. All else stays as it is, byte for byte, but for the spaces in a member hooks that is there. Empty
// settings are those of a file that does not exist.
func (h Hooks) Attach(settings []byte, server string) ([]byte, error) {
	all, hooks, err := h.withoutOurs(settings)
	if err != nil {
		return nil, err
	}
	// Each event has a list of entries, and ours stands behind those of others: hooks of an event run side by side, so
	// that nobody waits for ours longer than for the slowest.
	for _, event := range h.Events {
		var list []json.RawMessage
		if old := hooks.value(event); old != nil && json.Unmarshal(old, &list) != nil {
			return nil, ErrSettings
		}
		address := strings.TrimSuffix(server, "/")
		list = append(list, encoded(h.Entry(event, address)))
		if h.Further != nil {
			for _, entry := range h.Further(event, address) {
				list = append(list, encoded(entry))
			}
		}
		hooks.set(event, encoded(list))
	}
	return all.with(settings, "hooks", hooks.object()), nil
}

// Detach returns the settings without what Attach added; nothing if it made the file.
func (h Hooks) Detach(settings []byte) ([]byte, error) {
	all, hooks, err := h.withoutOurs(settings)
	if err != nil {
		return nil, err
	}
	// Where there were no hooks before, there is no trace of them afterwards.
	if len(hooks) == 0 {
		return all.without(settings, "hooks"), nil
	}
	return all.with(settings, "hooks", hooks.object()), nil
}

// AttachedTo returns the address to which hooks of the settings report, or "" if none of them is ours.
func (h Hooks) AttachedTo(settings []byte) (server string, err error) {
	_, hooks, err := hooksOf(settings)
	if err != nil {
		return "", err
	}
	for _, m := range hooks {
		var list []json.RawMessage
		_ = json.Unmarshal(m.value, &list) // a list of another shape has none of ours
		for _, entry := range list {
			if server := h.Ours(entry); server != "" {
				return server, nil
			}
		}
	}
	return "", nil
}

// Asks reports whether hooks of ours in the settings let calls wait for a person, and whether they ask the model for
// reasons.
func (h Hooks) Asks(settings []byte) (waits, reasons bool) {
	_, hooks, _ := hooksOf(settings) // what cannot be read has none
	for _, m := range hooks {
		var list []json.RawMessage
		_ = json.Unmarshal(m.value, &list) // a list of another shape has none of ours
		for _, entry := range list {
			if h.Ours(entry) != "" {
				waits = waits || bytes.Contains(entry, []byte(h.Waits))
				reasons = reasons || bytes.Contains(entry, []byte(h.Reminds))
			}
		}
	}
	return waits, reasons
}

// hooksOf returns the members of the settings, and of their hooks.
func hooksOf(settings []byte) (all, hooks members, err error) {
	if len(bytes.TrimSpace(settings)) == 0 {
		return nil, nil, nil
	}
	if all, err = membersOf(settings); err != nil {
		return nil, nil, err
	}
	if raw := all.value("hooks"); raw != nil {
		hooks, err = membersOf(raw)
	}
	return all, hooks, err
}

// withoutOurs returns the members of the settings, and of their hooks those that Attach did not add.
func (h Hooks) withoutOurs(settings []byte) (all, hooks members, err error) {
	all, hooks, err = hooksOf(settings)
	// What is not of the shape that we know is somebody's, and stays.
	var kept members
	for _, m := range hooks {
		var list []json.RawMessage
		if json.Unmarshal(m.value, &list) != nil || list == nil {
			kept = append(kept, m)
			continue
		}
		others := slices.DeleteFunc(slices.Clone(list), func(entry json.RawMessage) bool { return h.Ours(entry) != "" })
		switch {
		case len(others) == len(list):
			kept = append(kept, m)
		case len(others) > 0:
			kept = append(kept, member{name: m.name, value: encoded(others)})
		}
	}
	return all, kept, err
}
