package view

import (
	"time"

	"candor/session"
)

// The frames that tell what is there no more.
type (
	// droppedFrame tells what was dropped from memory to make room: the first turns of threads
	// and the first runs of jobs. A client that shows them fetches them anew.
	droppedFrame struct {
		Type      string         `json:"type"`
		SessionID string         `json:"session_id"`
		At        time.Time      `json:"at"`
		Threads   []droppedTurns `json:"threads"`
		Jobs      []droppedRuns  `json:"jobs"`
	}
	// droppedTurns says how many of the thread's turns are gone, of all that it had.
	droppedTurns struct {
		ThreadID string `json:"thread_id"`
		Turns    int    `json:"turns"`
	}
	// droppedRuns says how many of the job's runs are gone. Whole says that the job is.
	droppedRuns struct {
		JobID string `json:"job_id"`
		Runs  int    `json:"runs"`
		Whole bool   `json:"whole,omitempty"`
	}
	// threadDeletedFrame tells that the thread is gone, and all its turns. Expired says that the server
	// deleted it because of its age, and not its user.
	threadDeletedFrame struct {
		frameHead
		Expired bool `json:"expired,omitempty"`
	}
)

func dropped(e session.Event, b session.Dropped) droppedFrame {
	f := droppedFrame{"dropped", e.Session, e.At, []droppedTurns{}, []droppedRuns{}}
	for _, t := range b.Threads {
		f.Threads = append(f.Threads, droppedTurns{t.Thread, t.Turns})
	}
	for _, j := range b.Jobs {
		f.Jobs = append(f.Jobs, droppedRuns{j.Job, j.Runs, j.Whole})
	}
	return f
}
