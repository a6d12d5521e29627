package app

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
	"candor/session/journal/jetstream"
	"candor/web/access"
)

func TestStorageSettingsThatWouldHaveNoEffectAreRefused(t *testing.T) {
	nats := jetstream.Options{URL: "nats://x"}
	for want, s := range map[string]StorageSettings{
		"add --data DIR, or leave it out": {Interval: true},
		"--keep has no effect":            {Keep: session.Retention{Age: time.Hour}},
		"--keep-bytes has no effect":      {Keep: session.Retention{Bytes: 1}, NATS: nats},
		"add --nats URL":                  {Dir: "x", NATS: jetstream.Options{Replicas: 3}},
		"use one of them":                 {Dir: "x", NATS: nats},
	} {
		require.ErrorContains(t, s.check(), want)
	}
	require.NoError(t, StorageSettings{}.check())
	keep := session.Retention{Age: time.Hour, Bytes: 1}
	require.NoError(t, StorageSettings{Dir: "x", Interval: true, Keep: keep}.check())
}

func TestTheStartSaysWhereSessionsAre(t *testing.T) {
	assert.Contains(t, StorageSettings{}.Describe(), "memory")
	assert.Equal(t, "/data", StorageSettings{Dir: "/data"}.Describe())
	assert.Contains(t, StorageSettings{Dir: "/data", Interval: true}.Describe(), "the last second may be lost")
	nats := jetstream.Options{URL: "nats://x"}
	assert.Contains(t, StorageSettings{NATS: nats}.Describe(), "shared with other servers")
}

// What is older than --keep is erased when the server starts, and idle sessions leave memory, from which
// nothing is lost.
func TestTheStoreIsTendedUntilTheServerEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := offlineSettings(t)
		s.Storage.Dir = filepath.Join(t.TempDir(), "data")
		open := func() *App {
			var users access.Tokens
			users.Add("ann", annsToken)
			a, err := New(s, users, nil, quiet)
			require.NoError(t, err)
			return a
		}
		a := open()
		own, err := a.Store.Open(t.Context(), "ann")
		require.NoError(t, err)
		e, err := own.OpenThread()
		require.NoError(t, err)
		var logs strings.Builder
		log := slog.New(slog.NewTextHandler(&logs, nil))
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Hour)
		defer cancel()
		a.Tend(ctx, 24*time.Hour, session.Retention{Age: 30 * 24 * time.Hour}, log)
		assert.Contains(t, logs.String(), "idle sessions dropped")
		own, err = a.Store.Open(t.Context(), "ann")
		require.NoError(t, err)
		require.Len(t, own.Threads(), 1, "it was only forgotten")
		a.Close(t.Context())

		time.Sleep(31 * 24 * time.Hour)
		a = open()
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		a.Tend(ctx, time.Hour, session.Retention{Age: 30 * 24 * time.Hour}, log)
		own, err = a.Store.Open(t.Context(), "ann")
		require.NoError(t, err)
		_, err = own.Thread(e.Thread)
		require.ErrorIs(t, err, session.ErrNoThread)
		assert.Contains(t, logs.String(), "older conversations erased")
		a.Close(t.Context())
	})
}

// Two apps on one NATS server share their sessions, and one that is closed gives up its lease.
func TestTwoAppsShareTheSessionsOfACluster(t *testing.T) {
	s := offlineSettings(t)
	s.Storage.NATS = startNATS(t)
	a, b := appOf(t, s), appOf(t, s)
	mine, err := a.Store.Open(t.Context(), "ann")
	require.NoError(t, err)
	e, err := mine.OpenThread()
	require.NoError(t, err)
	theirs, err := b.Store.Open(t.Context(), "ann")
	require.NoError(t, err)
	_, err = theirs.Thread(e.Thread)
	require.NoError(t, err)
	assert.Equal(t, mine.ID(), theirs.ID())
	assert.Contains(t, a.StorageStatus().Name, "NATS")
	a.retain(t.Context(), session.Retention{Age: time.Hour}, quiet)
}
