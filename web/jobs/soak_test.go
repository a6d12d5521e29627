//go:build unix

package jobs_test

import (
	"flag"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"candor/cmd/candor/app"
)

var soakFor = flag.Duration("soak", 0, "how long TestSoak lets a hostile user write beside an honest one; 0 skips it")

// TestSoak measures what an honest user notices of a hostile one, who uses all routes at full
// speed, with default limits. The server, the hostile user and the honest one are processes of
// their own. The honest user is first alone, then beside a process that only uses the
// processors, and then for as long as -soak says beside the hostile user. All the time a second
// server is used in the same way, which no hostile user knows: its times are those of the machine.
func TestSoak(t *testing.T) {
	if *soakFor == 0 {
		t.Skip("set how long it runs: -soak 10m")
	}
	server, second := startSoaked(t), startSoaked(t)
	attacked, control := newHonest(&server.Client), newHonest(&second.Client)
	both := func(name string, during time.Duration) (requests [2][]time.Duration) {
		var using sync.WaitGroup
		var turns [2][]time.Duration
		for i, user := range []*honest{attacked, control} {
			using.Go(func() { requests[i], turns[i] = user.use(during) })
		}
		using.Wait()
		for i, where := range []string{"attacked", "second"} {
			t.Logf("%-8s %-8s server %5d requests: %s", name, where, len(requests[i]), spread(requests[i]))
			t.Logf("%-8s %-8s server %5d turns:    %s", name, where, len(turns[i]), spread(turns[i]))
		}
		return requests
	}
	alone := both("alone", *soakFor/10)
	stop := startNeighbour(t, "busy", server.URL)
	both("busy", *soakFor/10)
	stop()
	t.Logf("memory at most, before the attack: %s", server.most())
	worked := server.worked()
	stop = startNeighbour(t, "hostile", server.URL)
	beside := both("beside", *soakFor)
	worked = server.worked() - worked
	answers := stop()

	after := server.most()
	t.Logf("memory at most, in all: %s", after)
	t.Logf("beside the hostile user, the processors worked %s for the server", worked.Round(time.Second))
	t.Logf("load of the machine: %s, with %d processors", fileText("/proc/loadavg"), runtime.NumCPU())
	for _, status := range slices.Sorted(maps.Keys(answers)) {
		t.Logf("hostile requests answered %d: %d", status, answers[status])
	}
	assert.Zero(t, attacked.missing(), "what the honest user has lost")
	assert.LessOrEqual(t, after.charged, app.DefaultMemory/2)
	assert.Less(t, after.resident, app.DefaultMemory)
	assert.Positive(t, answers[http.StatusOK], "the hostile user was there")
	assert.Less(t, at(beside[0], 0.99), 3*at(alone[0], 0.99), "the 99th percentile, beside and alone")
	assert.Less(t, at(beside[0], 0.99), 3*at(beside[1], 0.99), "the 99th percentile, of both servers")
}

// at returns a quantile of durations, which it sorts.
func at(d []time.Duration, q float64) time.Duration {
	slices.Sort(d)
	return d[min(len(d)-1, int(q*float64(len(d))))]
}
