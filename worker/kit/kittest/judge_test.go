package kittest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// told is what the page has of the plan: each step with what the model said before it, and its calls with whose word
// the reason is, whether others ran beside it, and how it ended.
const told = `Which port is it?
First I look at the notes.
  look {"path":"notes.txt"}: The notes say which port it is. (model) success
step without words
  look {"path":"more.txt"}: The other file may say another. (model) success, in parallel
  count {"text":"port"}: A short word needs no search. (model) success, in parallel
Now one that fails.
  look {"path":"missing.txt"}: Nobody looked there. (model) error
The port is 8080.
`

// run runs a program of an agent beside a server and a stand-in for its model, and returns what it printed.
func run(t *testing.T, server string, model *standIn, command ...string) string {
	t.Helper()
	readKit(t)
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	// Nothing is read of the person's own settings, and whatever would leave the machine ends at the stand-in.
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "LANG=C.UTF-8",
		"OPENAI_BASE_URL=" + model.URL + "/v1", "OPENAI_API_KEY=none", "OPENAI_AGENTS_DISABLE_TRACING=1",
		"CANDOR_SERVER=" + server, "CANDOR_TOKEN=" + apptest.TokenOf("ann"), "CANDOR_WAIT=120",
		"PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH=../python",
		"HTTPS_PROXY=" + model.URL, "HTTP_PROXY=" + model.URL, "NO_PROXY=127.0.0.1"}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// readKit reads what the programs read. The go command keeps the result of a test until a file has changed that the
// test itself has read, and does not know of those that a program reads.
func readKit(t *testing.T) {
	t.Helper()
	for _, pattern := range []string{"../typescript/*", "../python/candor_kit/*.py", "programs/*"} {
		names, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, names)
		for _, name := range names {
			if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
				_, err = os.ReadFile(name)
				require.NoError(t, err)
			}
		}
	}
}

// start returns a server for ann.
func start(t *testing.T) *apptest.Server {
	t.Helper()
	return apptest.Start(t, app.Settings{}, apptest.Answering("x"))
}

// onlyJob returns the id of ann's only job.
func onlyJob(t *testing.T, s *apptest.Server) string {
	t.Helper()
	jobs := s.Get("ann", "/api/jobs").JSON()["jobs"].([]any)
	require.Len(t, jobs, 1)
	job := jobs[0].(apptest.M)
	assert.Equal(t, "completed", job["state"])
	assert.Equal(t, "My agent", job["title"])
	return job["job_id"].(string)
}

// turn is what is read of a job's turn.
type turn struct {
	Input     string `json:"user_input"`
	Response  string `json:"response"`
	Reasoning struct {
		Narratives []struct {
			Step int    `json:"step"`
			Text string `json:"narrative"`
		} `json:"narratives"`
		Decisions []struct {
			Tool    string          `json:"tool_name"`
			Params  json.RawMessage `json:"parameters"`
			Reason  string          `json:"rationale"`
			Source  string          `json:"rationale_source"`
			Outcome string          `json:"outcome"`
			Step    int             `json:"step"`
			Group   *int            `json:"parallel_group"`
		} `json:"tool_decisions"`
	} `json:"reasoning"`
	Usage struct {
		Input int `json:"input_tokens"`
	} `json:"usage"`
}

// history returns the turns of a job as the page has them.
func history(t *testing.T, s *apptest.Server, id string) []turn {
	t.Helper()
	var page struct {
		Turns []turn `json:"turns"`
	}
	raw := s.Get("ann", "/api/jobs/"+id).Body
	require.NoError(t, json.Unmarshal([]byte(raw), &page), raw)
	assert.NotContains(t, raw, `"inferred"`, "each result is known to be its call's")
	return page.Turns
}

// said returns a turn in the form of told.
func (t turn) said() string {
	words := map[int]string{}
	for _, n := range t.Reasoning.Narratives {
		words[n.Step] = n.Text
	}
	var b strings.Builder
	fmt.Fprintln(&b, t.Input)
	step := 0
	for _, d := range t.Reasoning.Decisions {
		if d.Step != step {
			fmt.Fprintln(&b, cmp.Or(words[d.Step], "step without words"))
		}
		step = d.Step
		beside := ""
		if d.Group != nil {
			beside = ", in parallel"
		}
		fmt.Fprintf(&b, "  %s %s: %s (%s) %s%s\n", d.Tool, d.Params, d.Reason, d.Source, d.Outcome, beside)
	}
	fmt.Fprintln(&b, t.Response)
	return b.String()
}

// judge holds that the page and the log of ann's only job tell what the stand-in asked for, and how the library tells
// of the call that failed.
func judge(t *testing.T, s *apptest.Server, failure string) {
	t.Helper()
	id := onlyJob(t, s)
	turns := history(t, s, id)
	require.Len(t, turns, 1)
	assert.Equal(t, told, turns[0].said())
	log := s.JobEvents(id)
	kinds := apptest.KindsOf(log)
	assert.Equal(t, []string{"started", "tool_use"}, kinds[:2], "a reason stands before what its call does")
	uses, results := 0, 0
	for i, kind := range kinds {
		switch kind {
		case "tool_use":
			uses++
		case "tool_result":
			results++
			assert.LessOrEqual(t, results, uses, "event %d", i)
		}
	}
	assert.Equal(t, []int{4, 4}, []int{uses, results})
	assert.Equal(t, "result", kinds[len(kinds)-1])
	all := s.Get("ann", "/api/jobs/"+id+"/events").Body
	for _, want := range []string{`"output":"port: 8080"`, `"output":"4 letters"`, failure} {
		assert.Contains(t, all, want)
	}
}
