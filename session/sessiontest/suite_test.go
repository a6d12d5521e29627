package sessiontest_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
	"candor/session/sessiontest"
)

// brokenEnv names the broken store that TestSuite runs on; empty means Memory.
const brokenEnv = "CANDOR_TEST_BROKEN_STORE"

// brokenStores are stores that violate the specification, each with a clause that has
// to notice.
var brokenStores = map[string]struct {
	open   func() session.Store
	clause string
}{
	"a new session for each Open": {
		func() session.Store { return &forgetful{Store: session.NewMemory(nil)} },
		"a user gets the same session each time"},
	"one session for all users": {
		func() session.Store { return shared{session.NewMemory(nil)} },
		"users do not see each other's threads"},
	"one id for all sessions": {
		func() session.Store { return session.NewMemory(func() uuid.UUID { return uuid.Nil }) },
		"an evicted session comes back whole, or another takes its place"},
	"no eviction": {
		func() session.Store { return immortal{session.NewMemory(nil)} },
		"an evicted session reports its eviction"},
	"eviction of sessions in use": {
		func() session.Store { return eager{session.NewMemory(nil)} },
		"a session in use is not evicted"},
	"opening after Close": {
		func() session.Store { return undead{session.NewMemory(nil)} },
		"a closed store lets readers finish and refuses everything else"},
}

func TestSuite(t *testing.T) {
	open := func() session.Store { return session.NewMemory(nil) }
	if broken, ok := brokenStores[os.Getenv(brokenEnv)]; ok {
		open = broken.open
	}
	sessiontest.Run(t, open)
}

// A suite that fails fails its test, so a process of its own runs it on each store.
func TestTheSuiteRejectsBrokenStores(t *testing.T) {
	for name, broken := range brokenStores {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSuite$", "-test.v")
			cmd.Env = append(os.Environ(), brokenEnv+"="+name)
			out, err := cmd.CombinedOutput()
			require.Error(t, err)
			assert.Contains(t, string(out), "--- FAIL: TestSuite/"+strings.ReplaceAll(broken.clause, " ", "_"))
		})
	}
}

// forgetful gives each caller of Open another session.
type forgetful struct {
	session.Store
	opened int
}

func (f *forgetful) Open(ctx context.Context, user string) (*session.Session, error) {
	f.opened++
	return f.Store.Open(ctx, user+strings.Repeat("'", f.opened))
}

// shared has one session for all users.
type shared struct{ session.Store }

func (s shared) Open(ctx context.Context, _ string) (*session.Session, error) {
	return s.Store.Open(ctx, "everyone")
}

// immortal evicts nothing.
type immortal struct{ session.Store }

func (immortal) Evict(context.Context, time.Time) (int, error) { return 0, nil }

// eager takes every session for idle.
type eager struct{ session.Store }

func (e eager) Evict(ctx context.Context, _ time.Time) (int, error) {
	return e.Store.Evict(ctx, time.Now())
}

// undead opens sessions of another store after Close.
type undead struct{ session.Store }

func (u undead) Open(ctx context.Context, user string) (*session.Session, error) {
	s, err := u.Store.Open(ctx, user)
	if err != nil {
		return session.NewMemory(nil).Open(ctx, user)
	}
	return s, nil
}
