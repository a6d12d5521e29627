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

// targets are the least ratios to gitleaks that we want, by case.
var targets = map[string]float64{"clean 500 B": 150, "clean 20 KB": 240, "three secrets": 200, "keyword flood 20 KB": 100}

func main() {
	testing.Init()
	quick := flag.Bool("quick", false, "shorter runs, rougher figures")
	flag.Parse()
	span := "500ms"
	if *quick {
		span = "100ms"
	}
	if err := flag.Set("test.benchtime", span); err != nil {
		panic(err)
	}
	layer := safety.NewLayer(safety.MaxBytes(1 << 20))
	fmt.Printf("hashing eight places at a time (GOEXPERIMENT=simd and AVX2): %v\n", safety.Vectors())
	out := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "case\tbytes\tdetector\tMB/s\tallocs\tx gitleaks\tof IndexByte\twhole Clean\t")
	missed := 0
	for _, c := range oracle.BenchCases() {
		detect := timed(func() { layer.Leaks(c.Text) })
		clean := timed(func() { layer.Clean(c.Text) })
		theirs := once(func() { oracle.Detector().DetectString(c.Text) })
		raw := []byte(c.Text)
		floor := timed(func() { bytes.IndexByte(raw, 0) })
		ratio := theirs / perOp(detect)
		note := ""
		if want := targets[c.Name]; want > 0 && ratio < want {
			note, missed = fmt.Sprintf(" (wanted %.0f)", want), missed+1
		}
		fmt.Fprintf(out, "%s\t%d\t%s\t%.0f\t%d\t%.0f%s\t1/%.0f\t%s\t\n", c.Name, len(c.Text), dur(perOp(detect)), float64(len(c.Text))*1e3/perOp(detect),
			detect.AllocsPerOp(), ratio, note, perOp(detect)/perOp(floor), dur(perOp(clean)))
	}
	slow := slowest()
	for k, c := range slow {
		if k == 0 || c.ns > worstWanted {
			fmt.Fprintf(out, "100 KB of %s\t\t\t\t\t\t\t%s\t\n", c.name, dur(c.ns))
		}
		if c.ns > worstWanted {
			missed++
		}
	}
	out.Flush()
	fmt.Println(strings.TrimSpace(fmt.Sprintf("targets missed: %d", missed)))
}

// worstWanted is how long 100 KB of anything may take, in nanoseconds.
const worstWanted = 2e6

type timing struct {
	name string
	ns   float64
}

// slowest are the worst cases and what each takes, the slowest first.
func slowest() []timing {
	layer := safety.NewLayer(safety.MaxBytes(1 << 20))
	var all []timing
	for _, c := range oracle.WorstCases() {
		all = append(all, timing{c.Name, fastest(func() { layer.Clean(c.Text) })})
	}
	slices.SortFunc(all, func(a, b timing) int { return int(b.ns - a.ns) })
	return all
}

func timed(f func()) testing.BenchmarkResult {
	return testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			f()
		}
	})
}

// fastest is the shortest of a few runs.
func fastest(f func()) float64 {
	best := time.Hour
	for range 5 {
		start := time.Now()
		f()
		best = min(best, time.Since(start))
	}
	return float64(best.Nanoseconds())
}

// once times something slow: a few runs suffice.
func once(f func()) float64 {
	f()
	start, n := time.Now(), 0
	for n < 5 || time.Since(start) < 300*time.Millisecond {
		f()
		n++
	}
	return float64(time.Since(start).Nanoseconds()) / float64(n)
}

func perOp(r testing.BenchmarkResult) float64 { return float64(r.T.Nanoseconds()) / float64(r.N) }

func dur(ns float64) string { return time.Duration(ns).Round(time.Nanosecond).String() }
