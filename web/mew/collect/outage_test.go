package collect_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
	"candor/session/journal"
	"candor/session/journal/sqlite"
	"candor/web/mew/collect"
	"candor/web/mew/wire"
)

// shaky is an engine that keeps nothing while it is down.
type shaky struct {
	journal.Frames
	left int // appends until it is down; below 0 it is up
}

func (s *shaky) Append(ctx context.Context, id string, f journal.Frame) error {
	if s.left == 0 {
		return errors.Join(journal.ErrUnavailable, errors.New("the disk is full"))
	}
	s.left--
	return s.Frames.Append(ctx, id, f)
}

func TestWhatIsSaidDuringAnOutageIsRefusedOrKept(t *testing.T) {
	said := []string{
		`{"id":"q","from":"ann","kind":"chat","payload":{"text":"why?"}}`,
		`{"id":"r","from":"a","kind":"reasoning/start","correlation_id":["q"],"payload":{"message":"one"}}`,
		`{"id":"t","from":"a","kind":"reasoning/thought","context":"r","payload":{"message":"two"}}`,
		`{"id":"c","from":"a","kind":"mcp/request","context":"r",` +
			`"payload":{"method":"tools/call","params":{"name":"x"}}}`,
		`{"id":"e","from":"a","kind":"reasoning/conclusion","context":"r","payload":{"message":"three"}}`,
		`{"id":"z","from":"a","kind":"chat","correlation_id":["q"],"payload":{"text":"because"}}`,
	}
	for before := range 24 {
		engine, err := sqlite.Open(t.TempDir(), sqlite.Options{})
		require.NoError(t, err)
		disk := &shaky{Frames: engine.Frames, left: -1}
		engine.Frames = disk
		store := session.NewDurable(engine, uuid.New, session.Limits{})
		own, err := store.Open(t.Context(), "ann")
		require.NoError(t, err)
		c := collect.New(collect.Options{
			Space: "lab", Safety: safety.NewLayer(), Log: slog.New(slog.DiscardHandler),
			Open: func() (*session.Session, error) { return own, nil },
		})
		disk.left = before
		for _, raw := range said {
			e, err := wire.Parse([]byte(raw), wire.Options{})
			require.NoError(t, err)
			path, err := c.Admit(e)
			require.NoError(t, err)
			if err = c.Observe(e, path); err != nil {
				assert.ErrorIs(t, err, session.ErrStorage)
				assert.ErrorIs(t, c.Observe(e, path), session.ErrStorage, "it is still down")
				disk.left = -1
				path, err = c.Admit(e)
				require.NoError(t, err)
				err = c.Observe(e, path)
			}
			require.NoError(t, err)
		}
		turns := turnsOf(t, own, "a")
		require.Len(t, turns, 1, "%d appends", before)
		assert.Equal(t, session.Completed, turns[0].State)
		assert.Equal(t, "three", turns[0].Conclusion.String())
		assert.Equal(t, "because", turns[0].Response.String())
		assert.Equal(t, "why?", turns[0].Input.String())
		narratives := ""
		for _, s := range turns[0].Steps {
			narratives += s.Narrative.String() + ","
		}
		assert.Equal(t, "one,two,", narratives, "%d appends", before)
		require.NoError(t, store.Close())
		require.NoError(t, engine.Close())
	}
}

// turnsOf returns the turns of a participant.
func turnsOf(t *testing.T, own *session.Session, participant string) []session.Turn {
	t.Helper()
	for _, th := range own.Threads() {
		if th.Origin.Participant.String() == participant {
			h, err := own.History(th.ID, session.Page{})
			require.NoError(t, err)
			return h.Turns
		}
	}
	return nil
}
