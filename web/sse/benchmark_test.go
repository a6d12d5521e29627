package sse_test

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
)

var rounds = flag.Int("fan-out-rounds", 3, "how often each peer is measured")

// cost is what a peer's streams cost.
type cost struct {
	perSecond  float64 // events delivered
	cpu        float64 // of the server, in microseconds for an event delivered
	idle       float64 // KiB of resident memory for a stream that has had one event
	goroutines float64 // for a stream
}

// measure measures a peer with a number of streams.
func measure(t *testing.T, name string, streams int) (c cost) {
	t.Helper()
	const deliveries = 1_000_000
	events := max(4*window, deliveries/streams/window*window)
	p := startPeer(t, name)
	before := p.usage()
	p.read(streams, window+events, nil)
	p.publish(1) // when it has arrived everywhere, all have subscribed
	p.await(1)
	idle := p.usage()
	p.publish(window - 1)
	p.await(window - 1)
	start := p.usage()
	took := p.flood(events)
	used := p.usage().CPU - start.CPU
	n, all := float64(streams), float64(streams*events)
	c.perSecond, c.cpu = all/took.Seconds(), float64(used.Microseconds())/all
	c.idle = float64(idle.Resident-before.Resident) / 1024 / n
	c.goroutines = float64(idle.Goroutines-before.Goroutines) / n
	return c
}

// TestFanOutBesidePeers measures, and writes what it measured into the file of -figures, or skips
// itself without one. Each server is a process of its own; the readers, which are the same for all,
// are in this one. Rounds of the peers alternate, and the table has their medians.
func TestFanOutBesidePeers(t *testing.T) {
	if !apptest.WritesFigures() {
		t.Skip("set where its figures go: -figures FILE")
	}
	var files syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files))
	if files.Cur = files.Max; files.Cur < maxStreams+100 || syscall.Setrlimit(syscall.RLIMIT_NOFILE, &files) != nil {
		t.Skipf("NOT MEASURED: %d streams need as many open files, and the limit is %d", maxStreams, files.Max)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "Events of 700 bytes go to all streams as fast as all take them, at most %d ahead of the "+
		"slowest. Server\nand readers are two processes that share the machine's cores; medians of %d rounds in turn. "+
		"Candor is the whole server\nwith its log and its authentication. Memory is what a silent stream adds to the "+
		"resident set.\n\n", window, *rounds)
	out.WriteString("| streams | server | events/s | of bare | CPU/event | of bare | KiB/stream | of bare | " +
		"goroutines |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, streams := range []int{100, 1000, maxStreams} {
		all := measureAll(t, streams)
		limit := all[bare]
		for _, p := range peers {
			c := all[p.name]
			fmt.Fprintf(&out, "| %d | %s | %.0f k | %.2f | %.2f µs | %.2f | %.1f | %.2f | %.0f |\n", streams, p.name,
				c.perSecond/1000, c.perSecond/limit.perSecond, c.cpu, c.cpu/limit.cpu, c.idle, c.idle/limit.idle,
				c.goroutines)
		}
	}
	out.WriteString(stalls(t))
	apptest.WriteFigures(t, "Streams", out.String())
}

// stalls returns a table of what the peers do beside a stream that is never read.
func stalls(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	fmt.Fprintf(&out, "\nOne of 101 streams is never read while 1,000 events a second go to all for ten seconds. "+
		"The bare and the hijacked\nserver end a stream that is %d events behind.\n\n"+
		"| server | events that the others got | delay p50 | p99 | longest |\n|---|---|---|---|---|\n", window)
	for _, p := range peers {
		got, delays := stallOne(t, p.name)
		fmt.Fprintf(&out, "| %s | %.0f %% | %s | %s | %s |\n", p.name, 100*got,
			at(delays, 0.5), at(delays, 0.99), at(delays, 1))
	}
	return out.String()
}

// measureAll returns the medians of what each peer costs.
func measureAll(t *testing.T, streams int) map[string]cost {
	t.Helper()
	measured := map[string][]cost{}
	for range *rounds {
		for _, p := range peers {
			t.Run(fmt.Sprint(p.name, " with ", streams), func(t *testing.T) {
				c := measure(t, p.name, streams)
				t.Logf("%+v", c)
				measured[p.name] = append(measured[p.name], c)
			})
		}
	}
	medians := map[string]cost{}
	for name, all := range measured {
		medians[name] = cost{
			perSecond:  median(all, func(c cost) float64 { return c.perSecond }),
			cpu:        median(all, func(c cost) float64 { return c.cpu }),
			idle:       median(all, func(c cost) float64 { return c.idle }),
			goroutines: math.Round(median(all, func(c cost) float64 { return c.goroutines })),
		}
	}
	return medians
}

func median(all []cost, of func(cost) float64) float64 {
	var values []float64
	for _, c := range all {
		values = append(values, of(c))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// stallOne measures a peer of whose streams one is never read. It returns which part of the events
// the others got, and after what time.
func stallOne(t *testing.T, name string) (got float64, delays []time.Duration) {
	t.Helper()
	t.Run(name+" with one stalled", func(t *testing.T) {
		const streams, perTick, ticks = 100, 1, 10_000
		p := startPeer(t, name)
		stalled, _ := p.open()
		require.NoError(t, stalled.(interface{ SetReadBuffer(int) error }).SetReadBuffer(4096))
		sent := make([]time.Time, perTick*ticks) // written before the event leaves
		var mu sync.Mutex
		p.read(streams, perTick*ticks, func(_, number int) {
			took := time.Since(sent[number-1])
			mu.Lock()
			defer mu.Unlock()
			delays = append(delays, took)
		})
		pace := time.NewTicker(time.Millisecond)
		defer pace.Stop()
		for tick := range ticks {
			<-pace.C
			now := time.Now()
			for i := range perTick {
				sent[perTick*tick+i] = now
			}
			p.publish(perTick)
		}
		last := time.After(2 * time.Second) // for what is on its way
		<-last
		mu.Lock()
		defer mu.Unlock()
		got = float64(len(delays)) / (streams * perTick * ticks)
	})
	return got, delays
}

// at returns a quantile.
func at(all []time.Duration, q float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[min(len(all)-1, int(q*float64(len(all))))].Round(100 * time.Microsecond)
}
