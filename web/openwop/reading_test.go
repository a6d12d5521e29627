package openwop

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
	"candor/web/sse"
)

// longRun returns a session with a run that has ended and has n notes of 64 KiB each.
func longRun(t *testing.T, n int) (*session.Session, session.Turn) {
	t.Helper()
	store := session.NewMemory(nil)
	t.Cleanup(func() { _ = store.Close() })
	own, err := store.Open(t.Context(), "ann")
	require.NoError(t, err)
	opened, err := own.OpenThread()
	require.NoError(t, err)
	e, err := own.Accept(opened.Thread, safety.Literal("go"), nil)
	require.NoError(t, err)
	long, _ := safety.NewLayer().Mask(strings.Repeat("a word and another ", 64<<10/19))
	for i := range n {
		_, err = own.Append(e.Ref, session.Narrated{Step: i + 1, Text: long, Source: session.FromModel})
		require.NoError(t, err)
	}
	_, err = own.Append(e.Ref, session.TurnCompleted{Response: safety.Literal("done")})
	require.NoError(t, err)
	run, err := own.Turn(e.Thread, e.Turn)
	require.NoError(t, err)
	return own, run
}

// all reads everything of a run.
func all(t session.Turn) reading {
	return reading{turn: t, view: View{Version: V1, User: "ann", Verbosity: Full}, mode: Debug, after: -1}
}

func TestAnAnswerHasAsManyEventsAsFit(t *testing.T) {
	own, run := longRun(t, 80)
	r := all(run)
	seen, pages := 0, 0
	for {
		p := r.gather(t.Context(), own, 0)
		size := 0
		for _, e := range p.events {
			assert.Equal(t, seen, e.Sequence, "no event is left out or repeated")
			seen++
			size += len(jsonOf(e))
		}
		assert.LessOrEqual(t, size, maxAnswer)
		pages++
		assert.Equal(t, p.hasMore, p.list().HasMore)
		if p.ended {
			assert.False(t, p.hasMore)
			break
		}
		require.True(t, p.hasMore)
		r.after = p.last
	}
	assert.Equal(t, 80+4, seen, "two begin the run and its node, and two end them")
	assert.Equal(t, 2, pages)
}

func TestCollectedEventsAreSentWhenTheyAreMany(t *testing.T) {
	own, run := longRun(t, 20)
	r := all(run)
	r.batch = maxBatchTime
	w := httptest.NewRecorder()
	New(Options{}).stream(t.Context(), own, sse.Open(w, httptest.NewRequest(http.MethodGet, "/", nil), time.Second), r)
	batches := strings.Count(w.Body.String(), "event: batch\n")
	assert.Greater(t, batches, 3)
	for _, one := range strings.Split(w.Body.String(), "event: batch\n")[1:] {
		assert.Less(t, len(one), maxBatchSize+128<<10)
	}
}

func TestATimeoutIsAtMostWhatTheServerAllows(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"": pollTime, "0": 0, "1.5": 1500 * time.Millisecond, "31": maxPollTime, "1e300": maxPollTime,
		"Inf": maxPollTime,
	} {
		got, err := parseTimeout(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
}

// A client that leaves while its events are collected ends its stream at once.
func TestAClientThatLeavesEndsItsBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own, run := longRun(t, 1)
		_, err := own.Accept(run.Thread, safety.Literal("again"), nil)
		require.NoError(t, err)
		open, err := own.Turn(run.Thread, run.Number+1)
		require.NoError(t, err)
		r := all(open)
		r.batch = maxBatchTime
		ctx, leave := context.WithCancel(t.Context())
		began := time.Now()
		time.AfterFunc(time.Second, leave)
		New(Options{}).stream(ctx, own, sse.Open(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/",
			nil), time.Second), r)
		assert.Equal(t, time.Second, time.Since(began))
	})
}

func TestAStreamIsNeverSilentForLongerThanItsHeartbeat(t *testing.T) {
	for heartbeat, comments := range map[time.Duration]int{15 * time.Second: 4, time.Hour: 2} { // at most 30 s
		synctest.Test(t, func(t *testing.T) {
			own, run := longRun(t, 1)
			_, err := own.Accept(run.Thread, safety.Literal("again"), nil)
			require.NoError(t, err)
			open, err := own.Turn(run.Thread, run.Number+1)
			require.NoError(t, err)
			ctx, leave := context.WithTimeout(t.Context(), 70*time.Second)
			defer leave()
			w := httptest.NewRecorder()
			New(Options{Heartbeat: heartbeat}).stream(ctx, own, sse.Open(w, httptest.NewRequest(http.MethodGet, "/",
				nil), time.Second), all(open))
			assert.Equal(t, comments, strings.Count(w.Body.String(), ":keepalive\n"))
		})
	}
}
