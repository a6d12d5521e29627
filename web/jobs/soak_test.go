package jobs_test

import (
	"context"
	"flag"
	"maps"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

var soakFor = flag.Duration("soak", 0, "how long TestSoak lets a hostile user write beside an honest one; 0 skips it")

// slowReaders is how many streams the hostile user opens and never reads.
const slowReaders = 50

// TestSoak measures what an honest user notices of a hostile one, who uses all routes at full
// speed, with default limits: a quarter of the time alone, the rest beside. It runs for as long
// as -soak says.
func TestSoak(t *testing.T) {
	if *soakFor == 0 {
		t.Skip("set how long it runs: -soak 10m")
	}
	s := apptest.Start(t, app.Settings{}, apptest.Answering("It is done."))
	bob, ann := newHonest(s), &hostile{s: s, answers: map[int]int{}}
	alone := bob.use(*soakFor / 4)

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var attacking sync.WaitGroup
	ann.begin("/api/jobs", hostileJob)
	for _, attack := range attacks {
		attacking.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				attack(ann, n)
			}
		})
	}
	attacking.Go(func() { ann.openStreams(ctx) })
	peak := &peakMemory{store: s.App.Store}
	attacking.Go(func() { peak.watch(ctx) })
	beside := bob.use(*soakFor * 3 / 4)
	stop()
	attacking.Wait()

	t.Logf("honest, alone   %d requests: %s", len(alone), spread(alone))
	t.Logf("honest, beside  %d requests: %s", len(beside), spread(beside))
	t.Logf("charged at most %d MiB; heap at most %d MiB, the clients' included; %s", peak.held>>20, peak.heap>>20,
		resident())
	for _, status := range slices.Sorted(maps.Keys(ann.answers)) {
		t.Logf("hostile requests answered %d: %d", status, ann.answers[status])
	}
	assert.Zero(t, bob.missing(), "what the honest user has lost")
	assert.LessOrEqual(t, peak.held, app.DefaultMemory/2)
	assert.Less(t, peak.heap, uint64(app.DefaultMemory))
	assert.Less(t, at(beside, 0.99), 3*at(alone, 0.99), "the honest user's 99th percentile")
}

// use uses the server as a person and a worker do, a request every 20 ms, and returns how long
// each took.
func (b *honest) use(during time.Duration) (took []time.Duration) {
	timed := func(do func()) {
		begin := time.Now()
		do()
		took = append(took, time.Since(begin))
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for n, begun := 0, time.Now(); time.Since(begun) < during; n++ {
		<-tick.C
		switch n % 4 {
		case 0, 1:
			timed(b.post)
		case 2:
			timed(func() { b.s.Get("bob", "/api/chat/threads") })
		case 3:
			timed(func() { b.s.Get("bob", "/api/chat/history?limit=10&thread_id="+b.thread) })
		}
		if n%150 == 0 { // fewer than 30 messages a minute
			b.ask()
		}
	}
	return took
}

// at returns a quantile of durations, which it sorts.
func at(d []time.Duration, q float64) time.Duration {
	slices.Sort(d)
	return d[min(len(d)-1, int(q*float64(len(d))))]
}

// openStreams opens streams from the beginning of the session, which nobody reads, and opens
// each again that the server has cut off.
func (h *hostile) openStreams(ctx context.Context) {
	var open sync.WaitGroup
	defer open.Wait()
	origin := h.s.Session("ann").ID()[:8] + "-0"
	for range slowReaders {
		open.Go(func() {
			for ctx.Err() == nil {
				stream, err := h.s.Subscribe(ctx, "ann", origin, "")
				if err != nil {
					continue
				}
				select {
				case <-ctx.Done():
				case <-time.After(15 * time.Second): // longer than the server waits for a reader
				}
				stream.Body.Close()
			}
		})
	}
}

// peakMemory is the most memory that was seen.
type peakMemory struct {
	store interface{ Held() int }
	held  int    // what sessions were charged
	heap  uint64 // of the process
}

func (p *peakMemory) watch(ctx context.Context) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			p.held, p.heap = max(p.held, p.store.Held()), max(p.heap, m.HeapAlloc)
		}
	}
}
