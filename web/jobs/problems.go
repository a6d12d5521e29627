package jobs

import (
	"net/http"

	"candor/web/problem"
)

// The problems that only job routes answer with. A worker that gets a 401, of which
// "replaced" is one, has lost its job and should stop.
var (
	jobBusy = problem.New(http.StatusTooManyRequests, "job_busy",
		"The job's queue of prompts is full. The worker has to fetch some first.").
		With("max_waiting", maxFollowUps)
	jobFull = problem.New(http.StatusRequestEntityTooLarge, "job_full",
		"The job has posted as much as a run may. Complete it; its log keeps what was posted.")
	workerReplaced = problem.New(http.StatusUnauthorized, "replaced",
		"Another worker has taken over this job, and posts of this one are refused. Stop this worker.")
	noToolName = problem.New(http.StatusBadRequest, "no_tool_name",
		"tool_name is missing: every call and every decision names its tool.")
	otherJob = problem.New(http.StatusBadRequest, "other_job",
		"The event names a different job than the path.")
)
