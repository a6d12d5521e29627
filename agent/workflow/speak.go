package workflow

import (
	"strings"

	"candor/agent"
	"candor/safety"
	"candor/safety/thinking"
	"candor/session"
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

// reason records what an agent says in a step in which it calls nothing.
func (s *site) reason(step int, r *mockReasoning) error {
	if r == nil {
		return nil
	}
	text, report := s.layer.Clean(thinking.Strip(r.text()))
	err := s.rec.Record(session.Narrated{
		Step: step, Text: text, Source: session.FromModel, Findings: report.Findings,
		Blocked: report.Verdict == safety.Blocked,
	})
	if err != nil {
		return err
	}
	return s.rec.Record(session.StepEnded{Step: step, Usage: session.Usage(r.usage())})
}
