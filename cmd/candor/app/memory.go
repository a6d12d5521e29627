package app

import (
	"cmp"
	"log/slog"

	"candor/session"
	"candor/session/journal/sqlite"
	"candor/session/otlp"
	"candor/web/view"
)

// DefaultMemory is the memory of the process unless a setting says otherwise: room for four
// users whose sessions are full, with as much again for requests under way and the garbage
// collector.
const DefaultMemory = 2 << 30

// limits returns what sessions may hold. What is dropped to make room is counted and logged, without
// text; what is recorded is counted and, unless exporter is nil, exported.
func (s Settings) limits(log *slog.Logger, counts eventCounts, exporter *otlp.Exporter) session.Limits {
	return session.Limits{
		Session: s.SessionMemory, Process: cmp.Or(s.Memory, DefaultMemory) / 2,
		Index: session.Indexing{Open: sqlite.OpenIndex, Path: s.Storage.indexPath(), Describe: view.Describe},
		OnEvent: func(own *session.Session, up session.Update) {
			counts.add(up)
			exporter.Observe(own, up.Event)
		},
		OnDrop: func(own *session.Session, what session.Dropped, bytes int) {
			counts.dropped.Add(float64(bytes))
			turns, runs := 0, 0
			for _, t := range what.Threads {
				turns += t.Turns
			}
			for _, j := range what.Jobs {
				runs += j.Runs
			}
			log.Warn("older parts of a session dropped from memory", "session", own.ID(), "user", own.User(),
				"bytes", bytes, "threads", len(what.Threads), "their_turns", turns, "jobs", len(what.Jobs),
				"their_runs", runs)
		},
	}
}
