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
	"candor/safety/internal/prefilter"
	"candor/safety/oracle"
)

// targets are the ratios to gitleaks that the layer must reach, by the start of a case's
// name. A case below its target is marked and counted.
var targets = []struct {
	prefix string
	ratio  float64
}{{"clean 500 B", 150}, {"clean 20 KB", 240}, {"three secrets", 200}, {"flood", 100}}

// target returns the ratio for a case, 0 if it has no target.
func target(name string) float64 {
	for _, t := range targets {
		if strings.HasPrefix(name, t.prefix) {
			return t.ratio
		}
	}
	return 0
}

// bench times the safety layer, gitleaks and bytes.IndexByte over the same bytes in the
// same run. It prints ratios, because absolute times hold for one machine only.
func bench(flags *flag.FlagSet, args []string) error {
	quick := flags.Bool("quick", false, "fewer rounds, rougher figures")
	if err := flags.Parse(args); err != nil {
		return err
	}
	rounds := 15
	if *quick {
		rounds = 3
	}
	layer := safety.NewLayer(safety.MaxBytes(1 << 20))
	fmt.Printf("hashing eight positions at a time (GOEXPERIMENT=simd and AVX2): %v\n", prefilter.Vectors())
	out := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "case\tbytes\tdetector\tMB/s\tallocs\tgitleaks\tx gitleaks\tof IndexByte\twhole Clean\t")
	missed := 0
	// A row per case: the detector alone is compared, since gitleaks does nothing else.
	for _, c := range oracle.BenchCases() {
		best, ratio := measure(layer, c.Text, rounds)
		note := ""
		if want := target(c.Name); ratio < want {
			note, missed = fmt.Sprintf(" (wanted %.0f)", want), missed+1
		}
		fmt.Fprintf(out, "%s\t%d\t%s\t%.0f\t%.0f\t%s\t%.0f%s\t1/%.0f\t%s\t\n",
			c.Name, len(c.Text), dur(best[detect]), float64(len(c.Text))*1e3/best[detect],
			testing.AllocsPerRun(100, func() { layer.Leaks(c.Text) }),
			dur(best[theirs]), ratio, note, best[detect]/best[floor], dur(best[clean]))
	}
	// Of the worst cases, only the slowest and those above the bound are of interest.
	for k, c := range slowest(layer) {
		if k == 0 || c.ns > worstWanted {
			fmt.Fprintf(out, "100 KB of %s\t\t\t\t\t\t\t\t%s\t\n", c.name, dur(c.ns))
		}
		if c.ns > worstWanted {
			missed++
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	fmt.Println("targets missed:", missed)
	return nil
}

// measure times everything side by side in each round, because machines have slow
// moments that then hit all of it alike. It returns the shortest times and the median
// ratio of gitleaks to the detector.
func measure(layer *safety.Layer, text string, rounds int) (best [4]float64, ratio float64) {
	var ratios []float64
	for range rounds {
		now := sideBySide(layer, text)
		for k, ns := range now {
			if best[k] == 0 || ns < best[k] {
				best[k] = ns
			}
		}
		ratios = append(ratios, now[theirs]/now[detect])
	}
	// The median ignores rounds in which the machine was busy with something else.
	slices.Sort(ratios)
	return best, ratios[len(ratios)/2]
}

// The indexes of the times, in nanoseconds, that sideBySide returns.
const (
	detect = iota // the detector alone
	theirs        // gitleaks
	clean         // the whole of Layer.Clean
	floor         // one pass of bytes.IndexByte, the least that any scanner costs
)

// sideBySide times each of them once over text.
func sideBySide(layer *safety.Layer, text string) (ns [4]float64) {
	raw := []byte(text)
	ns[detect] = shortest(func() { layer.Leaks(text) })
	ns[theirs] = shortest(func() { oracle.Detector().DetectString(text) })
	ns[clean] = shortest(func() { layer.Clean(text) })
	ns[floor] = shortest(func() { bytes.IndexByte(raw, 0) })
	return ns
}

// worstWanted is the longest that cleaning 100 KB of anything may take, in nanoseconds.
const worstWanted = 2e6

// timing is how long a case took, in nanoseconds.
type timing struct {
	name string
	ns   float64
}

// slowest times the worst cases and returns them sorted, the slowest first.
func slowest(layer *safety.Layer) []timing {
	var all []timing
	for _, c := range oracle.WorstCases() {
		all = append(all, timing{c.Name, perRun(func() { layer.Clean(c.Text) }, 1, 12)})
	}
	slices.SortFunc(all, func(a, b timing) int { return int(b.ns - a.ns) })
	return all
}

// shortest returns how long f takes undisturbed, in nanoseconds: the mean of the fastest
// of many batches of runs, which together take some 15 ms.
func shortest(f func()) float64 {
	// span is the time to spend; least is the shortest batch that the clock measures well.
	const span, least = 15 * time.Millisecond, 50 * time.Microsecond
	start := time.Now()
	f()
	batch := int(max(1, least/max(1, time.Since(start))))
	once := perRun(f, batch, 1)
	return min(once, perRun(f, batch, max(1, int(float64(span.Nanoseconds())/once)/batch)))
}

// perRun runs f in batches and returns the mean time of a run in the fastest batch.
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

// dur formats nanoseconds as a duration.
func dur(ns float64) string { return time.Duration(ns).Round(time.Nanosecond).String() }
