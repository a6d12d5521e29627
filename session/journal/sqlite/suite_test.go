package sqlite_test

import (
	"testing"

	"candor/session/journal"
	"candor/session/journal/journaltest"
	"candor/session/journal/sqlite"
)

func TestTheEnginePassesTheSuite(t *testing.T) {
	for name, sync := range map[string]sqlite.Sync{"always": sqlite.Always, "interval": sqlite.Interval} {
		t.Run(name, func(t *testing.T) {
			journaltest.Run(t, func(t *testing.T) journaltest.Place {
				dir := t.TempDir()
				return journaltest.Place{Dir: dir, Open: func() (journal.Engine, error) {
					return sqlite.Open(dir, sqlite.Options{Sync: sync})
				}}
			})
		})
	}
}
