// Report reads what go test -json writes on its standard input and prints a line for each package, the output of what
// failed with the command that runs it again, and a closing sum. It exits with 1 if anything failed or no test ran.
//
//	go test -json ./... | go run .ci/report.go           what make test and make check print
//	go test -json ./... | go run .ci/report.go -slow 1s  and each test that took longer, the longest first
//	go test -json ./... | go run .ci/report.go -cover 85 and fails where a package's own tests reach less of it
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
)

// event is a line of go test -json.
type event struct {
	Action, Package, Test, Output, ImportPath, FailedBuild string
	Elapsed                                                float64 // seconds
}

// result is a test, or a package if it has no name.
type result struct {
	pkg, name string
	seconds   float64
}

type report struct {
	output                  map[string]*strings.Builder // of each test, package or build that has not passed yet
	passed, failed, skipped int                         // tests, without those that another test runs
	failures, tests         []result
	broken                  []string // packages that do not build, or failed with no test at fault
	covered                 map[string]float64
}

func main() {
	slow := flag.Duration("slow", 0, "also list the tests that took longer")
	least := flag.Float64("cover", 0, "the least share in percent that a package's own tests have to reach of it")
	again := flag.String("again", "go test", "how a test is run again")
	flag.Parse()
	r := report{output: map[string]*strings.Builder{}, covered: map[string]float64{}}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			fmt.Println(lines.Text()) // the go command's own words
			continue
		}
		r.take(e)
	}
	if err := lines.Err(); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
	if *slow > 0 {
		r.printSlow(*slow)
	}
	low := r.printCoverage(*least)
	r.printFailures(*again)
	fmt.Printf("%d passed, %d failed, %d skipped\n", r.passed, r.failed, r.skipped)
	if r.failed > 0 || len(r.broken) > 0 || low || r.passed == 0 {
		os.Exit(1)
	}
}

func (r *report) take(e event) {
	key := e.Package + " " + e.Test
	if strings.HasPrefix(e.Action, "build-") {
		key = e.ImportPath
	}
	top := e.Test != "" && !strings.Contains(e.Test, "/")
	switch e.Action {
	case "output", "build-output":
		if r.output[key] == nil {
			r.output[key] = &strings.Builder{}
		}
		r.output[key].WriteString(e.Output)
		if e.Test == "" {
			r.takePackageLine(e)
		}
		return
	case "pass":
		if top {
			r.passed++
		}
	case "skip":
		if top {
			r.skipped++
		}
	case "fail":
		switch {
		case e.Test == "" && e.FailedBuild != "":
			r.broken = append(r.broken, e.Package)
			fmt.Print(r.output[e.FailedBuild])
		case e.Test == "" && !slices.ContainsFunc(r.failures, func(f result) bool { return f.pkg == e.Package }):
			r.broken = append(r.broken, e.Package)
			fmt.Print(r.output[key])
		case e.Test != "":
			r.failures = append(r.failures, result{pkg: e.Package, name: e.Test})
		}
		if top {
			r.failed++
		}
	default:
		return
	}
	if e.Test != "" {
		r.tests = append(r.tests, result{e.Package, e.Test, e.Elapsed})
	}
	if e.Action != "fail" {
		delete(r.output, key)
	}
}

var share = regexp.MustCompile(`coverage: ([0-9.]+)% of statements`)

// takePackageLine prints the line of a package's end, and keeps its coverage.
func (r *report) takePackageLine(e event) {
	if found := share.FindStringSubmatch(e.Output); found != nil {
		var of float64
		_, _ = fmt.Sscan(found[1], &of) // it matches the pattern
		r.covered[e.Package] = of
	}
	if strings.HasPrefix(e.Output, "ok  \t") || strings.HasPrefix(e.Output, "FAIL\t") {
		fmt.Print(e.Output)
	}
}

// printSlow lists the tests that took longer, with the time of those that they run, the longest first.
func (r *report) printSlow(than time.Duration) {
	slices.SortFunc(r.tests, func(a, b result) int { return int(1000 * (b.seconds - a.seconds)) })
	fmt.Printf("tests of %v and more:\n", than)
	for _, t := range r.tests {
		if t.seconds >= than.Seconds() && !strings.Contains(t.name, "/") {
			fmt.Printf("%8.2f s  %s %s\n", t.seconds, t.pkg, t.name)
		}
	}
}

// printCoverage names the packages whose tests reach too little of them, and says whether there are any. Packages that
// support tests are left out: their names, or their parents', end in "test".
func (r *report) printCoverage(least float64) (low bool) {
	support := regexp.MustCompile(`test(/|$)`)
	for pkg, of := range r.covered {
		if of < least && !support.MatchString(pkg) {
			fmt.Printf("%s: its own tests reach %.1f %% of its statements, less than %.0f %%\n", pkg, of, least)
			low = true
		}
	}
	return low
}

func (r *report) printFailures(again string) {
	for _, f := range r.failures {
		inner := slices.ContainsFunc(r.failures, func(o result) bool {
			return o.pkg == f.pkg && strings.HasPrefix(o.name, f.name+"/")
		})
		if inner {
			continue // the test within says why
		}
		var out string
		if b := r.output[f.pkg+" "+f.name]; b != nil {
			out = b.String()
		}
		parts := strings.Split(f.name, "/")
		for i, part := range parts {
			parts[i] = "^" + regexp.QuoteMeta(part) + "$"
		}
		_, folder, _ := strings.Cut(f.pkg, "/")
		fmt.Printf("\nFAILED %s %s\n%sagain: %s -run '%s' ./%s\n", f.pkg, f.name, out, again,
			strings.Join(parts, "/"), folder)
	}
	for _, pkg := range r.broken {
		_, folder, _ := strings.Cut(pkg, "/")
		fmt.Printf("\nFAILED %s\nagain: %s ./%s\n", pkg, again, folder)
	}
}
