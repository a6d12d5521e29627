package jobs

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
	"candor/web/access"
	"candor/web/problem"
)

func TestATokenIsValidForItsJobOnly(t *testing.T) {
	var g registry
	one, two := g.open("1", "ann", "p", nil), g.open("2", "bob", "q", nil)
	require.NotNil(t, g.authenticate("1", one))
	assert.Equal(t, "ann", g.authenticate("1", one).user)
	for _, wrong := range []struct{ id, token string }{{"1", two}, {"2", one}, {"3", one}, {"1", ""}, {"3", ""}} {
		assert.Nil(t, g.authenticate(wrong.id, wrong.token))
	}
	again := g.open("1", "ann", "p", nil)
	assert.NotEqual(t, one, again)
	assert.Nil(t, g.authenticate("1", one), "a restart makes the old token worthless")
	j := g.authenticate("1", again)
	require.NoError(t, j.serve(workerName{}, func() error { j.finish(); return nil }))
	assert.True(t, g.authenticate("1", again).isOver())
	g.revoke("1")
	assert.Nil(t, g.authenticate("1", again))
}

// A request can be past the door when its job ends or begins anew.
func TestACancelOrRestartStopsRequestsAlreadyAdmitted(t *testing.T) {
	for name, shut := range map[string]func(*registry) error{
		"a cancel": func(g *registry) error { g.revoke("1"); return nil },
		"a restart": func(g *registry) error {
			_, err := g.reopen("1", "ann", func() (string, error) { return "p", nil })
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			var g registry
			j := g.authenticate("1", g.open("1", "ann", "p", nil))
			require.NoError(t, shut(&g))
			assert.Equal(t, problem.Unauthorized, j.serve(workerName{},
				func() error { t.Error("it was carried out"); return nil }))
			_, err := j.claim(workerName{})
			assert.Equal(t, problem.Unauthorized, err)
			assert.Equal(t, session.ErrJobEnded, j.addFollowUp(followUp{}, func() error { return nil }))
		})
	}
}

func TestARefusedRestartChangesNothing(t *testing.T) {
	var g registry
	token, no := g.open("1", "ann", "p", nil), errors.New("no")
	_, err := g.reopen("1", "ann", func() (string, error) { return "", no })
	require.ErrorIs(t, err, no)
	require.NoError(t, g.authenticate("1", token).serve(workerName{}, nil))
}

// A cancel can find the old run and wait for it while the job is restarted.
func TestACancelThatARestartOvertakesLeavesTheNewRun(t *testing.T) {
	var g registry
	g.open("1", "ann", "p", nil)
	old := g.current("1")
	token, err := g.reopen("1", "ann", func() (string, error) { return "p", nil })
	require.NoError(t, err)
	g.drop("1", old)
	next := g.authenticate("1", token)
	require.NotNil(t, next, "the worker of the new run is turned away")
	assert.False(t, next.isOver())
}

func TestTheRegistryDropsTheJobsOfAnEvictedSession(t *testing.T) {
	store := session.NewMemory(nil)
	s := New(Options{Store: store, Safety: safety.NewLayer()})
	open := func(user string) {
		r := httptest.NewRequest("POST", "http://localhost/api/jobs", strings.NewReader(`{"title":"t","prompt":"p"}`))
		r.Header.Set("Content-Type", "application/json")
		require.NoError(t, s.forUser(s.open)(httptest.NewRecorder(), r, access.Caller{User: user}))
	}
	open("ann")
	open("ann")
	open("bob")
	assert.Len(t, s.registry.runs, 3)
	_, err := store.Evict(t.Context(), time.Now().Add(time.Minute))
	require.NoError(t, err)
	open("ann")
	assert.Len(t, s.registry.runs, 2, "ann's new one, and bob's, who has not asked since")
}

func TestFollowUpsAreQueuedInOrderAndBounded(t *testing.T) {
	var g registry
	j, kept := g.authenticate("1", g.open("1", "ann", "p", nil)), 0
	keep := func() error { kept++; return nil }
	for i := range maxFollowUps {
		require.NoError(t, j.addFollowUp(followUp{Content: fmt.Sprint(i)}, keep))
	}
	assert.Equal(t, jobBusy, j.addFollowUp(followUp{Content: "one too many"}, keep))
	assert.Equal(t, maxFollowUps, kept, "the log has those that can be fetched, and no other")
	f, ok := j.nextFollowUp()
	assert.True(t, ok)
	assert.Equal(t, "0", f.Content)
	no := errors.New("no")
	require.ErrorIs(t, j.addFollowUp(followUp{Content: "not in the log"}, func() error { return no }), no)
	assert.Len(t, j.followUps, maxFollowUps-1)
}

func TestTheLastWorkerToClaimTheJobIsTheCurrentOne(t *testing.T) {
	var g registry
	j := g.authenticate("1", g.open("1", "ann", "p", nil))
	one, two, three := hashWorkerName("one"), hashWorkerName("two"), hashWorkerName("three")
	heard := func(n workerName) bool { return j.serve(n, nil) == nil }
	claim := func(n workerName) error { _, err := j.claim(n); return err }
	assert.True(t, heard(one), "while nobody has asked, everybody is")
	require.NoError(t, claim(one))
	require.NoError(t, claim(one), "it may ask again")
	require.NoError(t, claim(two))
	assert.Equal(t, []bool{false, true, false, true}, []bool{heard(one), heard(two), heard(three), heard(workerName{})})
	require.NoError(t, j.serve(two, func() error {
		assert.False(t, j.mu.TryLock(), "nobody takes over in the middle of a request")
		return nil
	}))
	assert.Equal(t, workerReplaced, j.serve(one, func() error { t.Error("it was carried out"); return nil }))
	assert.Equal(t, workerReplaced, claim(one), "whoever was replaced stays so")
	require.NoError(t, claim(workerName{}), "one without a name replaces nobody")
	assert.True(t, heard(two))
	for i := range 10 * maxReplaced {
		require.NoError(t, claim(hashWorkerName(fmt.Sprint(i))))
	}
	assert.Len(t, j.replaced, maxReplaced)
	assert.Equal(t, workerReplaced, claim(hashWorkerName(fmt.Sprint(10*maxReplaced-2))))
}

// A job's log has begun anew before its registry has: who reads it in between once found that the
// worker of the run before was just heard.
func TestAJobThatBeginsAnewHasNotHeardItsOldWorker(t *testing.T) {
	var g registry
	g.open("job", "ann", "", nil)
	require.NoError(t, g.current("job").serve(workerName{}, nil))
	heard := g.current("job").lastSeen()
	require.NotNil(t, heard)

	_, err := g.reopen("job", "ann", func() (string, error) { return "", errors.New("it has not ended") })
	require.Error(t, err)
	assert.Equal(t, heard, g.current("job").lastSeen(), "nothing has begun")

	_, err = g.reopen("job", "ann", func() (string, error) {
		assert.Nil(t, g.current("job").lastSeen())
		return "", nil
	})
	require.NoError(t, err)
	assert.Nil(t, g.current("job").lastSeen())
}
