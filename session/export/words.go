package export

import (
	_ "embed"
	"fmt"
	"strings"
	"time"

	"candor/session"
)

// attribution says who wrote a narrative or a reason, unless it is the model in its own words.
func attribution(s session.Source) string {
	switch s {
	case session.FromSummary:
		return "in the words of its provider's summary"
	case session.FromThought:
		return "its agent's thought before the call, which does not name it"
	}
	return ""
}

// plural returns a count with its noun, as in "1 tool" and "2 tools".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// duration formats d for people, as in "under 1 ms", "40 ms", "4.1 s" and "2 min 5 s".
func duration(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "under 1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

// moment is a point in time, for people and for programs.
type moment struct{ time.Time }

// String returns the time for people, such as "21 February 2026, 10:00:00 UTC".
func (m moment) String() string { return m.UTC().Format("2 January 2006, 15:04:05 UTC") }

// Exact returns the time in RFC 3339, UTC.
func (m moment) Exact() string { return m.UTC().Format(time.RFC3339) }

// agentName returns the name to show for an agent id. The lead agent's id is empty.
func agentName(id string) string {
	if id == "" {
		return "lead"
	}
	return id
}

// whoIs says who gets a task: the agent's name, its model and the effort of its reasoning, "" if nobody said.
func whoIs(h session.HandoffAt) string { return strings.TrimSpace(h.Who.Words("")) }
