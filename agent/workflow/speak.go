package workflow

import (
	"strings"

	"candor/agent"
	"candor/safety"
	"candor/safety/thinking"
)

// speak says the parts of a step's text one after the other, each of them cleaned. The step's
// narrative, which its agent records, is the whole of them. Nothing is said if the cleaned parts
// are not the cleaned whole: a part may then hold a piece of what only the whole shows to be a secret.
func (s *site) speak(step int, parts []string) {
	streamer, ok := s.rec.(agent.TextStreamer)
	if !ok {
		return
	}
	whole, report := s.layer.Clean(thinking.Strip(strings.Join(parts, "")))
	if report.Verdict == safety.Blocked {
		return
	}
	cleaned := make([]safety.Text, len(parts))
	said := ""
	for i, part := range parts {
		cleaned[i], _ = s.layer.Mask(part)
		said += cleaned[i].String()
	}
	if said != whole.String() {
		return
	}
	for i, part := range cleaned {
		streamer.StreamText(step, i, part)
	}
}
