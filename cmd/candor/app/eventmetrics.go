package app

import (
	"reflect"
	"strings"
	"unicode"

	"github.com/prometheus/client_golang/prometheus"

	"candor/session"
)

// eventCounts count what the logs of all sessions record. They are told each event under the
// lock of its session, and are safe for concurrent use.
type eventCounts struct {
	events, turns, rationales, redactions, blocked *prometheus.CounterVec
	dropped                                        prometheus.Counter
	turnTime                                       prometheus.Histogram
}

// newEventCounts returns counts that stand at nothing.
func newEventCounts() eventCounts {
	vec := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	return eventCounts{
		events: vec("candor_events_total", "Events recorded in the logs of all sessions.", "kind"),
		turns:  vec("candor_turns_total", "Turns that ended, by how.", "state"),
		rationales: vec("candor_rationales_total",
			"Calls by where their reason comes from: the model, a thought before the call, or our fallback.", "source"),
		redactions: vec("candor_redactions_total", "What safety found in recorded texts, by rule and effect: "+
			"masked, withheld, neutralised or only noticed.", "rule", "effect"),
		blocked: vec("candor_blocked_total", "Narratives and reasons that safety withheld as a whole.", "text"),
		dropped: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "candor_dropped_bytes_total", Help: "What was dropped from sessions that were full.",
		}),
		turnTime: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "candor_turn_duration_seconds", Help: "Time from a turn's start to its end, waiting included.",
			// From 50 ms to almost an hour.
			Buckets: prometheus.ExponentialBuckets(0.05, 3, 11),
		}),
	}
}

// parts are the collectors of the counts.
func (c eventCounts) parts() []prometheus.Collector {
	return []prometheus.Collector{c.events, c.turns, c.rationales, c.redactions, c.blocked, c.dropped, c.turnTime}
}

// Describe implements prometheus.Collector.
func (c eventCounts) Describe(out chan<- *prometheus.Desc) {
	for _, p := range c.parts() {
		p.Describe(out)
	}
}

// Collect implements prometheus.Collector.
func (c eventCounts) Collect(out chan<- prometheus.Metric) {
	for _, p := range c.parts() {
		p.Collect(out)
	}
}

// add counts one event with its turn right after it. The facts of a replay count as events
// only, since nothing happened a second time.
func (c eventCounts) add(up session.Update) {
	c.events.WithLabelValues(snakeCase(reflect.TypeOf(up.Event.Body).Name())).Inc()
	if up.Turn.Workflow.ReplayOf != (session.Ref{}) {
		return
	}
	switch b := up.Event.Body.(type) {
	case session.TurnStarted:
		if up.Turn.CreatedAt.Before(up.Event.At) {
			return // it repeats the findings of its message, which waited
		}
	case session.TurnCompleted, session.TurnFailed, session.TurnInterrupted:
		c.countEnd(up)
	case session.Narrated:
		c.countBlocked("narrative", b.Blocked || b.ThoughtBlocked)
	case session.ToolCalled:
		c.countRationale(b.Rationale)
	case session.JobToolUse:
		c.countRationale(b.Rationale)
		c.countBlocked("narrative", b.NarrativeBlocked)
	case session.JobReasoned:
		c.countBlocked("narrative", b.NarrativeBlocked || b.ThoughtBlocked)
	}
	for _, f := range session.FindingsOf(up.Event.Body) {
		c.redactions.WithLabelValues(f.Rule, string(f.Effect)).Add(float64(f.Count))
	}
}

// countEnd counts the end of a turn. Those that never started have no duration.
func (c eventCounts) countEnd(up session.Update) {
	c.turns.WithLabelValues(string(up.Turn.State)).Inc()
	if !up.Turn.StartedAt.IsZero() {
		c.turnTime.Observe(up.Turn.EndedAt.Sub(up.Turn.StartedAt).Seconds())
	}
}

// countRationale counts a call's reason. The call of a worker may have none yet.
func (c eventCounts) countRationale(r session.Rationale) {
	if !r.Text.Empty() {
		c.rationales.WithLabelValues(string(r.Source)).Inc()
	}
	c.countBlocked("rationale", r.Blocked)
}

// countBlocked counts a text that safety withheld, by what it was.
func (c eventCounts) countBlocked(text string, withheld bool) {
	if withheld {
		c.blocked.WithLabelValues(text).Inc()
	}
}

// snakeCase returns the name of a Go type as labels write it, such as tool_called.
func snakeCase(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
