package archtest

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var mutate = flag.String("mutate", "", "apply the listed breaks whose list's path, file or test contains this text")

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

// TestMutationsAreSeen applies each listed break by itself and holds that its test fails. The tree stays as it is: the
// go command reads the changed file from an overlay.
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
	count, dir := map[verdict]int{}, t.TempDir()
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

// judged is a verdict, with the end of the go command's output unless the break was seen.
type judged struct {
	verdict
	output string
}

// judgeAll judges the mutations, as many at a time as there are processors. dir is for overlays.
func judgeAll(ctx context.Context, dir string, todo []mutation) []judged {
	all, next := make([]judged, len(todo)), make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				all[i] = judge(ctx, filepath.Join(dir, fmt.Sprint(i)), todo[i])
				fmt.Printf("%4d/%d %-8s %s: %s\n", i+1, len(todo), all[i].verdict, todo[i].file, todo[i].why)
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

// judge runs the test of one mutation.
func judge(ctx context.Context, base string, m mutation) judged {
	overlay, err := m.overlay(base)
	if err != nil {
		return judged{invalid, err.Error()}
	}
	var parts []string
	for part := range strings.SplitSeq(m.test, "/") {
		parts = append(parts, "^"+regexp.QuoteMeta(part)+"$")
	}
	cmd := exec.CommandContext(ctx, "go", "test", "-vet=off", "-count=1", "-timeout=2m", "-overlay", overlay,
		"-run", strings.Join(parts, "/"), "./"+m.pkg)
	cmd.Dir = moduleRoot()
	out, err := cmd.CombinedOutput()
	end := string(out[max(0, len(out)-2000):])
	switch {
	case strings.Contains(end, "[build failed]") || strings.Contains(end, "[setup failed]") ||
		strings.Contains(end, "no tests to run"):
		return judged{invalid, end}
	case err == nil:
		return judged{survived, end}
	case strings.Contains(string(out), "panic: test timed out"):
		return judged{hung, ""}
	case errors.As(err, new(*exec.ExitError)):
		return judged{seen, ""}
	}
	return judged{invalid, err.Error()}
}

// overlay writes the mutated file and the overlay that puts it in place of the original, and returns the latter's name.
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
