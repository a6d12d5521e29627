package pause_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session/pause"
)

func TestAPauseEndsInTimeOrWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		require.NoError(t, pause.For(t.Context(), time.Hour))
		assert.Equal(t, time.Hour, time.Since(began))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.ErrorIs(t, pause.For(ctx, time.Hour), context.DeadlineExceeded)
		assert.Equal(t, time.Hour+time.Minute, time.Since(began))
	})
}

func TestPausesGrowAndDiffer(t *testing.T) {
	b := pause.Backoff{First: time.Second, Longest: 10 * time.Second}
	for attempt, most := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second,
		10 * time.Second} {
		for range 100 {
			d := b.After(attempt)
			require.LessOrEqual(t, d, most)
			require.GreaterOrEqual(t, d, most/2)
		}
	}
	assert.Positive(t, b.After(1000))
}
