package jetstream

import (
	"testing"

	"candor/session/journal"
	"candor/session/journal/journaltest"
)

func TestTheEnginePassesTheSuite(t *testing.T) {
	journaltest.Run(t, func(t *testing.T) journaltest.Place {
		dir := t.TempDir()
		srv, _ := startServer(t, dir)
		return journaltest.Place{Dir: dir, SealsSnapshots: true, Open: func() (journal.Engine, error) {
			c, err := Open(t.Context(), Options{URL: srv.ClientURL(), Shards: 2})
			if err != nil {
				return journal.Engine{}, err
			}
			return c.Engine, nil
		}}
	})
}
