package terminal_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/cmd/candor/command"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	// marker matches the number of a call in its input, reason, result or error.
	marker = regexp.MustCompile(`\(([qrae])(\d+)\)`)
	// jobLine matches the first line of what tail or reasoning says of a call: its mark, the
	// agent, the tool, and the reason if it is on that line.
	jobLine = regexp.MustCompile(`^  ([○●┄]) (?:(scout|writer)/)?(search|shell|write_file)(?:  (".*))?$`)
)

// printedCall is what a line about a call and the indented lines below it say.
type printedCall struct {
	mark, agent, tool string
	inferred          bool
	numbers           map[string]string // of the call, by the kind of text: q, r, a or e
	outcome           string
}

// printedCalls parses what was printed of a job. Each text about a call has to have the
// number of one call. A result without parameters belongs to the call that began above it.
func printedCalls(t *testing.T, text string) (calls []printedCall) {
	t.Helper()
	last := -1
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if m := jobLine.FindStringSubmatch(line); m != nil {
			calls = append(calls, printedCall{mark: m[1], agent: m[2], tool: m[3], numbers: map[string]string{}})
			last = len(calls) - 1
		} else if !strings.HasPrefix(line, "    ") {
			last = -1
			continue
		}
		if last < 0 {
			continue
		}
		c := &calls[last]
		for _, m := range marker.FindAllStringSubmatch(line, -1) {
			require.NotContains(t, c.numbers, m[1], "two texts of a kind in one call: %s", line)
			c.numbers[m[1]] = m[2]
		}
		c.inferred = c.inferred || strings.Contains(line, "(matched by tool and order)")
		if _, outcome, ok := strings.Cut(line, "outcome:   "); ok {
			c.outcome = outcome
		}
	}
	for i := range calls {
		if c := &calls[i]; c.mark == "●" && c.numbers["q"] == "" {
			require.Equal(t, "○", calls[i-1].mark, "a result without parameters follows its call: %+v", c)
			c.numbers["q"] = calls[i-1].numbers["q"]
		}
	}
	return calls
}

// auditedJob is a random job and what the terminal has printed of it.
type auditedJob struct {
	apptest.RandomJob
	t  *testing.T
	id string
}

// check compares the calls that were printed with those that were posted.
func (j auditedJob) check(calls []printedCall, where string) {
	j.t.Helper()
	for _, got := range calls {
		about := fmt.Sprintf("%s, job %s (%s): %+v", where, j.id, j.Name, got)
		for _, number := range got.numbers {
			require.Equal(j.t, got.numbers["q"], number, about)
		}
		posted := j.posted(got.numbers["q"], about)
		assert.Equal(j.t, posted.Tool, got.tool, about)
		assert.Equal(j.t, posted.Agent, got.agent, about)
		result := map[bool]string{true: "e", false: "a"}[posted.Outcome == "error"]
		switch got.mark {
		case "●":
			assert.Contains(j.t, got.numbers, result, about)
			assert.Equal(j.t, !j.HasIDs, got.inferred, about)
		case "┄":
			assert.Contains(j.t, got.numbers, "r", about)
		}
		if got.outcome != "" {
			assert.Equal(j.t, posted.Outcome == "error", strings.HasPrefix(got.outcome, "error"), about)
		}
	}
}

func (j auditedJob) posted(number, about string) apptest.RandomCall {
	i := slices.IndexFunc(j.Calls, func(c apptest.RandomCall) bool { return fmt.Sprint(c.Number) == number })
	require.GreaterOrEqual(j.t, i, 0, about)
	return j.Calls[i]
}

// assertEachOnce asserts that each call of the job was printed once under a mark, and all
// of them with a text of a kind.
func (j auditedJob) assertEachOnce(calls []printedCall, mark, kind, where string) {
	j.t.Helper()
	seen := map[string]int{}
	for _, c := range calls {
		if _, has := c.numbers[kind]; c.mark == mark && has {
			seen[c.numbers["q"]]++
		}
	}
	for _, c := range j.Calls {
		assert.Equal(j.t, 1, seen[fmt.Sprint(c.Number)], "%s, job %s: call %d as %s with %s", where, j.id, c.Number,
			mark, kind)
	}
}

// checkLog compares what tail printed of the job.
func (j auditedJob) checkLog(text, where string) {
	j.t.Helper()
	calls := printedCalls(j.t, text)
	j.check(calls, where)
	j.assertEachOnce(calls, "○", "q", where)
	j.assertEachOnce(calls, "●", "q", where)
	explained := map[string]bool{}
	for _, c := range calls {
		explained[c.numbers["r"]] = true
	}
	delete(explained, "")
	assert.Len(j.t, explained, len(j.Calls), "%s, job %s: each call has its reason", where, j.id)
}

// sections splits the output of tail by job.
func sections(output string) map[string]string {
	out, id := map[string]string{}, ""
	for line := range strings.Lines(output) {
		if m := jobHeading.FindStringSubmatch(line); m != nil {
			id = m[1]
			continue
		}
		out[id] += line
	}
	return out
}

// jobHeading is the line above what a job did.
var jobHeading = regexp.MustCompile(`^  (?:\d\d:\d\d  )?job (\S+)\n$`)

// TestEachReasonAndResultOfARandomJobIsPrintedUnderItsOwnCall posts 200 jobs and reads back
// what candor tail prints while they are posted and afterwards, and candor reasoning.
func TestEachReasonAndResultOfARandomJobIsPrintedUnderItsOwnCall(t *testing.T) {
	s := apptest.Start(t, app.Settings{SendsPerMinute: 100_000}, apptest.Answering("x"))
	t.Setenv("CANDOR_TOKEN", apptest.TokenOf("ann"))
	live := startTail(t, s.HTTP.URL)
	first, token := s.NewJob("is tail there?")
	apptest.Eventually(t, "tail follows", func() bool {
		s.PostEvents(first, token, `{"event":"status","state":"running","message":"waiting"}`)
		return strings.Contains(live.out.String(), "waiting")
	})
	var jobs []auditedJob
	var flags []string
	for number := range 60 {
		j := auditedJob{apptest.NewRandomJob(number), t, ""}
		j.id, token = s.NewJob("audit")
		for _, batch := range j.Batches {
			body := string(apptest.JSON(t, apptest.M{"events": batch}))
			require.Equal(t, http.StatusOK, s.PostEvents(j.id, token, body).Status)
		}
		jobs, flags = append(jobs, j), append(flags, "--job", j.id)
	}
	replay := startTail(t, s.HTTP.URL, flags...)
	for _, tail := range []*tailing{live, replay} {
		apptest.Eventually(t, "all jobs are printed", func() bool {
			return strings.Count(tail.out.String(), "  ✓ done\n") == len(jobs)
		})
		require.NoError(t, tail.end())
	}
	printed, replayed := sections(live.out.String()), sections(replay.out.String())
	for _, j := range jobs {
		j.checkLog(printed[j.id], "tail while the job is posted")
		j.checkLog(replayed[j.id], "tail of the past")
		var out apptest.LogBuffer
		args := []string{"candor", "reasoning", "--server", s.HTTP.URL, "--job", j.id, "all"}
		require.NoError(t, command.Run(t.Context(), args, strings.NewReader(""), &out, &out))
		assert.Contains(t, out.String(), "  ┄ Reasoning — job "+j.id+", turn 1\n")
		calls := printedCalls(t, out.String())
		j.check(calls, "reasoning")
		j.assertEachOnce(calls, "┄", "r", "reasoning")
		if t.Failed() {
			t.FailNow()
		}
	}
}
