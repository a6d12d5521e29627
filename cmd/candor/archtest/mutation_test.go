package archtest

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest/built"
)

var (
	mutate = flag.String("mutate", "", "apply the listed breaks whose list's path, file or test contains this text")
	sample = flag.Int("sample", 0, "apply this many of them, drawn at random; 0 applies all")
	seed   = flag.Uint64("seed", 1, "which ones are drawn")
)

// leastSeen is the share of the listed breaks that the tests must notice, in percent.
const leastSeen = 95

// verdict is how a mutation's test ended.
type verdict string

const (
	seen     verdict = "seen"
	survived verdict = "SURVIVED"
	hung     verdict = "HUNG"    // the test waits forever, which tells nobody what is wrong
	invalid  verdict = "INVALID" // it does not build, or no test ran
)

// testTimeout is how long one test may take before it is judged to hang.
const testTimeout = 2 * time.Minute

// TestMutationsAreSeen applies each listed break by itself and holds that its test fails. The tree
// stays as it is: the go command reads the changed file from an overlay. The tests have to pass
// without a break, since a test that always fails would see every one.
func TestMutationsAreSeen(t *testing.T) {
	if *mutate == "" {
		t.Skip("takes long; make mutate runs it")
	}
	var todo []mutation
	for _, m := range readMutations(t) {
		if strings.Contains(m.list+" "+m.file+" "+m.test, *mutate) {
			todo = append(todo, m)
		}
	}
	require.NotEmpty(t, todo, "no entry matches %q", *mutate)
	if *sample > 0 && *sample < len(todo) {
		rand.New(rand.NewPCG(*seed, 0)).Shuffle(len(todo), func(i, j int) { todo[i], todo[j] = todo[j], todo[i] })
		todo = todo[:*sample]
	}
	dir := t.TempDir()
	unbroken := unbrokenTests(todo)
	for i, v := range judgeAll(t.Context(), dir, unbroken) {
		require.Equal(t, survived, v.verdict, "%s without a break\n%s", unbroken[i].test, v.output)
	}
	count := map[verdict]int{}
	for i, v := range judgeAll(t.Context(), dir, todo) {
		count[v.verdict]++
		if v.verdict != seen {
			t.Logf("%s %s: %s (%s)\n%s", v.verdict, todo[i].list, todo[i].why, todo[i].test, v.output)
		}
	}
	t.Logf("%d of %d breaks were seen", count[seen], len(todo))
	assert.Zero(t, count[invalid], "an invalid entry proves nothing")
	assert.GreaterOrEqual(t, 100*count[seen], leastSeen*len(todo), "the tests see too few of the breaks")
}

// unbrokenTests returns one mutation without a change for each way in which a package's tests are
// built. It runs all tests that the entries name.
func unbrokenTests(todo []mutation) (all []mutation) {
	at := map[string]int{} // index into all
	for _, m := range todo {
		name, _, _ := strings.Cut(m.test, "/")
		build := fmt.Sprint(m.pkg, m.flags)
		i, found := at[build]
		if !found {
			at[build] = len(all)
			all = append(all, mutation{
				list: m.pkg, file: m.pkg, why: "no break, all tests pass", pkg: m.pkg, test: name, flags: m.flags,
			})
			continue
		}
		if !slices.Contains(strings.Split(all[i].test, "|"), name) {
			all[i].test += "|" + name
		}
	}
	return all
}

// judged is a verdict, with the end of the output unless the break was seen.
type judged struct {
	verdict
	output string
}

// judgeAll judges the mutations, as many at a time as there are processors. dir is for overlays and
// test binaries.
func judgeAll(ctx context.Context, dir string, todo []mutation) []judged {
	all, next := make([]judged, len(todo)), make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				start := time.Now()
				all[i] = judge(ctx, filepath.Join(dir, fmt.Sprint(i)), todo[i])
				fmt.Printf("%4d/%d %-8s %5.1fs %s: %s\n", i+1, len(todo), all[i].verdict, time.Since(start).Seconds(),
					todo[i].file, todo[i].why)
			}
		})
	}
	for i := range todo {
		next <- i
	}
	close(next)
	workers.Wait()
	return all
}

// judge builds and runs the test of one mutation. The compiler and the linker collect their garbage
// late, which saves a third of the time that an entry takes.
func judge(ctx context.Context, base string, m mutation) judged {
	binary := base + ".test"
	args := []string{"test", "-c", "-o", binary, "-vet=off", "-ldflags=-s -w"}
	overlay := ""
	if m.old != "" {
		var err error
		overlay, err = m.overlay(base)
		if err != nil {
			return judged{invalid, err.Error()}
		}
		args = append(args, "-overlay", overlay)
	}
	build := exec.CommandContext(ctx, "go", append(append(args, m.flags...), "./"+m.pkg)...)
	build.Dir, build.Env = moduleRoot(), append(os.Environ(), "GOGC=400")
	if out, err := build.CombinedOutput(); err != nil {
		return judged{invalid, string(out)}
	}
	defer os.Remove(binary)
	ctx, cancel := context.WithTimeout(ctx, 2*testTimeout) // for a test that holds up its own timeout
	defer cancel()
	run := exec.CommandContext(ctx, binary, "-test.timeout="+testTimeout.String(), "-test.run="+m.pattern())
	run.Dir, run.WaitDelay = filepath.Join(moduleRoot(), m.pkg), time.Second
	// Programs that the test builds have the break, too, and are nobody else's.
	run.Env = append(os.Environ(), built.Folder+"="+base+".programs")
	if overlay != "" {
		run.Env = append(run.Env, "GOFLAGS="+os.Getenv("GOFLAGS")+" -overlay="+overlay)
	}
	defer os.RemoveAll(base + ".programs")
	out, err := run.CombinedOutput()
	return judged{judgeRun(ctx, string(out), err), string(out[max(0, len(out)-2000):])}
}

// judgeRun returns the verdict of a test binary's output and error.
func judgeRun(ctx context.Context, out string, err error) verdict {
	switch {
	case strings.Contains(out, "no tests to run"):
		return invalid
	case err == nil || errors.Is(err, exec.ErrWaitDelay):
		return survived
	case strings.Contains(out, "panic: test timed out"), ctx.Err() != nil:
		return hung
	case errors.As(err, new(*exec.ExitError)):
		return seen
	}
	return invalid
}

// pattern returns the -run pattern that chooses the mutation's test alone.
func (m mutation) pattern() string {
	var parts []string
	for part := range strings.SplitSeq(m.test, "/") {
		names := strings.Split(part, "|")
		for i, name := range names {
			names[i] = regexp.QuoteMeta(name)
		}
		parts = append(parts, "^("+strings.Join(names, "|")+")$")
	}
	return strings.Join(parts, "/")
}

// overlay writes the mutated file and the overlay that puts it in place of the original, and
// returns the latter's name.
func (m mutation) overlay(base string) (string, error) {
	text, err := m.apply()
	if err != nil {
		return "", err
	}
	changed := base + filepath.Ext(m.file)
	if err := os.WriteFile(changed, []byte(text), 0o600); err != nil {
		return "", err
	}
	file := filepath.Join(moduleRoot(), m.file)
	raw, err := json.Marshal(map[string]map[string]string{"Replace": {file: changed}})
	if err != nil {
		return "", err
	}
	return base + ".json", os.WriteFile(base+".json", raw, 0o600)
}
