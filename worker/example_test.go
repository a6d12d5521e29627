package worker_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"candor/session"
	"candor/worker"
)

// A worker of one's own says why it used a tool, and ends its job.
func ExampleClient() {
	c, err := worker.NewClient("http://127.0.0.1:8080", os.Getenv("CANDOR_JOB"), os.Getenv("CANDOR_JOB_TOKEN"))
	if err != nil {
		fmt.Println(err)
		return
	}
	seqs, err := c.Post(context.Background(),
		worker.Reasoning("Checked git log, now writing a summary file.",
			worker.Decision{ToolName: "shell", Outcome: session.Success, Reason: worker.Reason{Rationale: "ran git log to capture recent commits"}}),
		worker.Result(true, "The summary is written."))
	if errors.Is(err, worker.ErrOver) {
		fmt.Println("somebody cancelled the job")
		return
	}
	fmt.Println(seqs, err)
}
