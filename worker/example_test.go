package worker_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"

	"candor/agent"
	"candor/agent/provider/script"
	"candor/safety"
	"candor/session"
	"candor/worker"
)

// printingServer stands in for a Candor server with one job. It prints what is posted.
func printingServer() *httptest.Server {
	mux := http.NewServeMux()
	seq := 1
	mux.HandleFunc("POST /api/jobs/job-1/events", func(w http.ResponseWriter, r *http.Request) {
		var post struct {
			Events []worker.Event `json:"events"`
		}
		_ = json.NewDecoder(r.Body).Decode(&post)
		var seqs []int
		for _, e := range post.Events {
			fmt.Printf("%s: %s\n", e.Kind, cmp.Or(e.Narrative, e.Content, e.Message, string(e.Outcome)))
			for _, d := range e.ToolDecisions {
				fmt.Printf("  %s (%s): %s\n", d.ToolName, d.Outcome, d.Rationale)
			}
			seq++
			seqs = append(seqs, seq)
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"seqs": seqs})
	})
	mux.HandleFunc("GET /worker/job-1/job", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(worker.Job{ID: "job-1", Prompt: "What time is it?", Run: 1})
	})
	mux.HandleFunc("GET /worker/job-1/events", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"events": [], "has_more": false}`)
	})
	return httptest.NewServer(mux)
}

// A worker of your own posts the reasons for a step, and then its result.
func ExampleClient() {
	server := printingServer()
	defer server.Close()
	c, err := worker.NewClient(server.URL, "job-1", "the-job's-token")
	if err != nil {
		fmt.Println(err)
		return
	}
	seqs, err := c.Post(context.Background(),
		worker.Reasoning("Checked git log, now writing a summary file.", worker.Decision{
			ToolName: "shell", Outcome: session.Success,
			Reason: worker.Reason{Rationale: "ran git log to capture recent commits"},
		}),
		worker.Result(true, "The summary is written."))
	fmt.Println(seqs, err)
	// Output:
	// reasoning: Checked git log, now writing a summary file.
	//   shell (success): ran git log to capture recent commits
	// result: The summary is written.
	// [2 3] <nil>
}

// A Runtime answers the job's prompt with the agent loop. Every step is posted with
// its reasons.
func ExampleRuntime() {
	server := printingServer()
	defer server.Close()
	model, err := script.Load(strings.NewReader(`{
	  "steps": [
	    {"narrative": "I look at the clock.", "tool_calls": [
	      {"id": "a", "name": "clock", "arguments": {}, "rationale": "The user wants the current time."}]},
	    {"text": "It is noon."}
	  ],
	  "tools": {"clock": {"result": "12:00"}}
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	tools := &agent.Toolbox{}
	_ = tools.Replace(model.Tools()...)
	client, _ := worker.NewClient(server.URL, "job-1", "the-job's-token")
	log := slog.New(slog.DiscardHandler)
	r := &worker.Runtime{
		Client: client, Log: log,
		Dispatcher: &agent.Dispatcher{Provider: model, Tools: tools, Safety: safety.NewLayer(), Log: log},
	}
	fmt.Println(r.Run(context.Background()))
	// Output:
	// status: A worker has started on the job.
	// tool_use: I look at the clock.
	// tool_result: success
	// reasoning: I look at the clock.
	//   clock (success): The user wants the current time.
	// message: It is noon.
	// result: It is noon.
	// <nil>
}
