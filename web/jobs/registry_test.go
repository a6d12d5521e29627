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
	k := tokens{[]byte("a key of a deployment for tests!")}
	one, two, again := k.of("1", "ann", 1), k.of("2", "bob", 1), k.of("1", "ann", 2)
	user, number, ok := k.read("1", one)
	assert.True(t, ok)
	assert.Equal(t, "ann", user)
	assert.Equal(t, 1, number)
	_, number, ok = k.read("1", again)
	assert.True(t, ok)
	assert.Equal(t, 2, number)
	mac := one[strings.LastIndex(one, "."):]
	for _, wrong := range []struct{ id, token string }{
		{"1", two}, {"2", one}, {"3", one}, {"", one}, {"1", ""}, {"3", ""}, {"1", ".."}, {"1", one + "A"},
		{"1", "2" + one[1:]}, {"1", "+" + one}, {"1", "01" + one[1:]}, {"1", "1.Ym9i" + mac}, {"1", "1.?" + mac},
		{"1", "x" + one[1:]}, {"1", one + "." + mac}, {"1", strings.Repeat("1", maxToken)},
	} {
		_, _, ok := k.read(wrong.id, wrong.token)
		assert.False(t, ok, wrong)
	}
	_, _, ok = tokens{[]byte("another key")}.read("1", one)
	assert.False(t, ok)
}

// nextRun is the job "1" as its second run begins.
func nextRun() (session.Job, error) { return session.Job{ID: "1", Run: 2}, nil }

// A request can be past the door when its job ends or begins anew.
func TestACancelOrRestartStopsRequestsAlreadyAdmitted(t *testing.T) {
	for name, shut := range map[string]func(*registry) error{
		"a cancel": func(g *registry) error { g.revoke("1"); return nil },
		"a restart": func(g *registry) error {
			_, err := g.reopen("1", "ann", nextRun)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			var g registry
			j := g.open("1", "ann", 1, "p", nil)
			require.NoError(t, shut(&g))
			assert.Equal(t, problem.Unauthorized, j.serve(workerName{},
				func() error { t.Error("it was carried out"); return nil }))
			_, err := j.claim(workerName{})
			assert.Equal(t, problem.Unauthorized, err)
			assert.Equal(t, session.ErrJobEnded, j.addFollowUp(nil, "1", followUp{}, func() error { return nil }))
		})
	}
}

func TestARefusedRestartChangesNothing(t *testing.T) {
	var g registry
	r, no := g.open("1", "ann", 1, "p", nil), errors.New("no")
	_, err := g.reopen("1", "ann", func() (session.Job, error) { return session.Job{}, no })
	require.ErrorIs(t, err, no)
	require.NoError(t, r.serve(workerName{}, nil))
	assert.Same(t, r, g.current("1"))
}

// A cancel can find the old run and wait for it while the job is restarted.
func TestACancelThatARestartOvertakesLeavesTheNewRun(t *testing.T) {
	var g registry
	old := g.open("1", "ann", 1, "p", nil)
	_, err := g.reopen("1", "ann", nextRun)
	require.NoError(t, err)
	g.drop("1", old)
	next := g.current("1")
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
	own, err := session.NewMemory(nil).Open(t.Context(), "ann")
	require.NoError(t, err)
	job, err := own.OpenJob(session.JobOpened{})
	require.NoError(t, err)
	var g registry
	j, kept := g.open(job.ID, "ann", 1, "p", nil), 0
	keep := func() error {
		kept++
		_, err := own.ChangeJob(job.ID, session.JobPrompted{})
		return err
	}
	for i := range maxFollowUps {
		require.NoError(t, j.addFollowUp(own, job.ID, followUp{Content: fmt.Sprint(i)}, keep))
	}
	assert.Equal(t, jobBusy, j.addFollowUp(own, job.ID, followUp{Content: "one too many"}, keep))
	assert.Equal(t, maxFollowUps, kept, "the log has those that can be fetched, and no other")
	f, ok := j.nextFollowUp(own, job.ID)
	assert.True(t, ok)
	assert.Equal(t, "0", f.Content)
	no := errors.New("no")
	notKept := func() error { return no }
	require.ErrorIs(t, j.addFollowUp(own, job.ID, followUp{Content: "not in the log"}, notKept), no)
	assert.Len(t, j.followUps, maxFollowUps-1)
}

func TestTheLastWorkerToClaimTheJobIsTheCurrentOne(t *testing.T) {
	var g registry
	j := g.open("1", "ann", 1, "p", nil)
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
	g.open("1", "ann", 1, "", nil)
	require.NoError(t, g.current("1").serve(workerName{}, nil))
	heard := g.current("1").lastSeen()
	require.NotNil(t, heard)

	ended := errors.New("it has not ended")
	_, err := g.reopen("1", "ann", func() (session.Job, error) { return session.Job{}, ended })
	require.Error(t, err)
	assert.Equal(t, heard, g.current("1").lastSeen(), "nothing has begun")

	_, err = g.reopen("1", "ann", func() (session.Job, error) {
		assert.Nil(t, g.current("1").lastSeen())
		return nextRun()
	})
	require.NoError(t, err)
	assert.Nil(t, g.current("1").lastSeen())
}
