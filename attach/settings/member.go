package settings

import (
	"bytes"
	"fmt"
)

// memberMark stands before a member that WithMember added. No program writes it between a bracket and a name.
const memberMark = " \t"

// WithMember returns JSON settings, which are an object with members, with one more that is true, by its name. Where it
// is there and is true already, nothing is added. One that says otherwise is a person's, and an error.
func WithMember(settings []byte, name string) ([]byte, error) {
	l, err := layoutOf(settings)
	if err != nil {
		return nil, err
	}
	if there, ok := l.root.named(name); ok {
		if string(l.raw[there.at:there.to]) != "true" {
			return nil, fault(settings, there.at, fmt.Sprintf("%s is set to something else: remove that first", name))
		}
		return settings, nil
	}
	added := fmt.Sprintf("%s%q: true", memberMark, name)
	if len(l.root.parts) > 0 {
		added += ","
	}
	return edited(settings, []edit{{l.root.from + 1, l.root.from + 1, added}}), nil
}

// WithoutMember returns settings without what WithMember added, byte for byte as they were. A member that stands there
// otherwise, or that somebody has moved since, stays.
func WithoutMember(settings []byte, name string) []byte {
	for _, end := range []string{": true,", ": true"} {
		added := fmt.Appendf(nil, "{%s%q%s", memberMark, name, end)
		if at := bytes.Index(settings, added); at >= 0 {
			return append(bytes.Clone(settings[:at+1]), settings[at+len(added):]...)
		}
	}
	return settings
}
