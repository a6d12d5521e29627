// Command bench times candor's safety layer, gitleaks and bytes.IndexByte over
// the same bytes in the same run, and prints ratios: figures of one machine say
// little, their ratios travel.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"candor/safety"
	"candor/safety/oracle"
)

// targets are the least ratios to gitleaks that we want, by how a case's name begins.
var targets = []struct {
	prefix string
	ratio  float64
}{{"clean 500 B", 150}, {"clean 20 KB", 240}, {"three secrets", 200}, {"flood", 100}}

func target(name string) float64 {
	for _, t := range targets {
		if strings.HasPrefix(name, t.prefix) {
			return t.ratio
		}
	}
	return 0
}

// rounds is how often each case is timed. In a round everything is timed side by side,
// since machines have slow moments; the ratio is the median of the rounds', the times
// are the shortest.
var rounds = 15

func main() {
	quick := flag.Bool("quick", false, "fewer rounds, rougher figures")
	flag.Parse()
	if *quick {
		rounds = 3
	}
	layer := safety.NewLayer(safety.MaxBytes(1 << 20))
	fmt.Printf("hashing eight places at a time (GOEXPERIMENT=simd and AVX2): %v\n", safety.Vectors())
	out := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "case\tbytes\tdetector\tMB/s\tallocs\tgitleaks\tx gitleaks\tof IndexByte\twhole Clean\t")
	missed := 0
	for _, c := range oracle.BenchCases() {
		var best [4]float64
		var ratios []float64
		for range rounds {
			now := sideBySide(layer, c.Text)
			for k, ns := range now {
				if best[k] == 0 || ns < best[k] {
					best[k] = ns
				}
			}
			ratios = append(ratios, now[theirs]/now[detect])
		}
		slices.Sort(ratios)
		ratio, note := ratios[len(ratios)/2], ""
		if want := target(c.Name); ratio < want {
			note, missed = fmt.Sprintf(" (wanted %.0f)", want), missed+1
		}
		fmt.Fprintf(out, "%s\t%d\t%s\t%.0f\t%.0f\t%s\t%.0f%s\t1/%.0f\t%s\t\n", c.Name, len(c.Text), dur(best[detect]), float64(len(c.Text))*1e3/best[detect],
			testing.AllocsPerRun(100, func() { layer.Leaks(c.Text) }), dur(best[theirs]), ratio, note, best[detect]/best[floor], dur(best[clean]))
	}
	slow := slowest(layer)
	for k, c := range slow {
		if k == 0 || c.ns > worstWanted {
			fmt.Fprintf(out, "100 KB of %s\t\t\t\t\t\t\t\t%s\t\n", c.name, dur(c.ns))
		}
		if c.ns > worstWanted {
			missed++
		}
	}
	out.Flush()
	fmt.Println("targets missed:", missed)
}

// What is timed in a round.
const (
	detect = iota
	theirs
	clean
	floor
)

func sideBySide(layer *safety.Layer, text string) (ns [4]float64) {
	raw := []byte(text)
	ns[detect] = shortest(func() { layer.Leaks(text) })
	ns[theirs] = shortest(func() { oracle.Detector().DetectString(text) })
	ns[clean] = shortest(func() { layer.Clean(text) })
	ns[floor] = shortest(func() { bytes.IndexByte(raw, 0) })
	return ns
}

// worstWanted is how long 100 KB of anything may take, in nanoseconds.
const worstWanted = 2e6

type timing struct {
	name string
	ns   float64
}

// slowest are the worst cases and what each takes, the slowest first.
func slowest(layer *safety.Layer) []timing {
	var all []timing
	for _, c := range oracle.WorstCases() {
		all = append(all, timing{c.Name, perRun(func() { layer.Clean(c.Text) }, 1, 12)})
	}
	slices.SortFunc(all, func(a, b timing) int { return int(b.ns - a.ns) })
	return all
}

// shortest is how long f takes, in nanoseconds, where nothing else is in the way: the
// mean of the fastest of many batches of runs, within some milliseconds.
func shortest(f func()) float64 {
	const span, least = 15 * time.Millisecond, 50 * time.Microsecond
	start := time.Now()
	f()
	batch := int(max(1, least/max(1, time.Since(start))))
	once := perRun(f, batch, 1)
	return min(once, perRun(f, batch, max(1, int(float64(span.Nanoseconds())/once)/batch)))
}

// perRun is the shortest mean of a few batches.
func perRun(f func(), batch, batches int) float64 {
	least := time.Hour
	for range batches {
		start := time.Now()
		for range batch {
			f()
		}
		least = min(least, time.Since(start))
	}
	return float64(least.Nanoseconds()) / float64(batch)
}

func dur(ns float64) string { return time.Duration(ns).Round(time.Nanosecond).String() }
