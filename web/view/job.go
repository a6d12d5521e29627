package view

import (
	"time"

	"candor/safety"
	"candor/session"
)

// JobInfo describes a job. Token is set only in the answer to the request that
// opened or restarted the job: the server keeps a hash of it and cannot show it again.
// Title, Prompt and Metadata are the cleaned copies of what the user posted. Message is
// the latest that the worker reported or ended with, null before the first. Error says
// why the run failed, whatever was reported afterwards. WorkerSeenAt is when a worker of
// the current run last made a request: null means that the job waits for a worker.
type JobInfo struct {
	JobID     string           `json:"job_id"`
	SessionID string           `json:"session_id"`
	Token     string           `json:"token,omitempty"`
	Title     safety.Text      `json:"title"`
	Prompt    safety.Text      `json:"prompt"`
	Metadata  safety.JSON      `json:"metadata"`
	State     session.JobState `json:"state"`
	Message   *safety.Text     `json:"message"`
	Error     *safety.Text     `json:"error,omitempty"`
	Run       int              `json:"run"`    // from 1; a restart begins the next
	Posted    int              `json:"posted"` // events that workers posted in this run
	Events    int              `json:"events"` // in the job's log, of all runs
	Calls     int              `json:"calls"`  // highest number of a call, of all runs
	CreatedAt time.Time        `json:"created_at"`
	UpdatedAt time.Time        `json:"updated_at"`
	EndedAt   *time.Time       `json:"ended_at"` // null while the job is open
	Redacted  []Redaction      `json:"redactions,omitempty"`
	Noticed   []Notice         `json:"notices,omitempty"`

	WorkerSeenAt *time.Time `json:"worker_seen_at"`
	// Ignored counts the members of posts that nobody knew, sent with ?strict=false.
	Ignored int `json:"ignored_members,omitempty"`
	// DroppedRuns counts the first runs, which were dropped from memory.
	DroppedRuns int `json:"dropped_runs,omitempty"`
}

// Job describes j, without a token.
func Job(j session.Job) JobInfo {
	return JobInfo{
		JobID: j.ID, SessionID: j.Session, Title: j.Title, Prompt: j.Prompt, Metadata: j.Metadata,
		State: j.State, Message: orNull(j.Message), Error: orNull(j.Failure),
		Run: j.Run, Posted: j.Posted, Events: j.Events, Calls: j.Calls, Ignored: j.Ignored, DroppedRuns: j.Dropped,
		CreatedAt: j.CreatedAt, UpdatedAt: j.UpdatedAt, EndedAt: timeOrNull(j.EndedAt),
		Redacted: redactions(j.Findings), Noticed: notices(j.Findings),
	}
}

// JobList is a page of a user's jobs, the newest first: the answer to GET /api/jobs. For the
// page after it, send the created_at of its last job as before. DroppedJobs counts the jobs
// that had ended and were dropped from memory to make room.
type JobList struct {
	Jobs        []JobInfo `json:"jobs"` // never null
	HasMore     bool      `json:"has_more"`
	DroppedJobs int       `json:"dropped_jobs,omitempty"`
}

// JobDetail is a job with a page of its turns, the latest last: the answer to GET
// /api/jobs/{id}. A stream that goes on from EventID misses nothing that happened to the job
// since. HasMore says that there is more before the first turn, or before its first call: for
// that page, send Before as before.
type JobDetail struct {
	JobInfo
	Turns   []JobTurnInfo `json:"turns"`
	HasMore bool          `json:"has_more"`
	Before  string        `json:"before,omitempty"`
	EventID string        `json:"event_id"`
}

// JobTurnInfo is a prompt of a job and all that workers did about it, in the form that
// history gives a turn. Run is the run of the job that it belongs to, from 1.
type JobTurnInfo struct {
	Run int `json:"run"`
	TurnInfo
}

// JobTurns describes the turns of a job, as [session.JobTurns] folds them. It is never
// nil.
func JobTurns(turns []session.Turn) []JobTurnInfo {
	list := make([]JobTurnInfo, 0, len(turns))
	for _, t := range turns {
		list = append(list, JobTurnInfo{t.Run, Turn(t)})
	}
	return list
}

// JobEventInfo is one event of a job's log.
type JobEventInfo struct {
	ID        uint64    `json:"id"` // its sequence number in the session's log
	EventType string    `json:"event_type"`
	Data      any       `json:"data"` // the frame of that type, as streams carry it
	CreatedAt time.Time `json:"created_at"`
}

// JobEvents lists the frames of a job's events, in the order of the log, as streams carry
// them. Events without a frame are left out. It is never nil.
func JobEvents(events []session.Event) []JobEventInfo {
	list := make([]JobEventInfo, 0, len(events))
	for _, e := range events {
		for _, f := range JobFrames(e) {
			list = append(list, JobEventInfo{ID: e.Seq, EventType: f.Name, Data: f.Data, CreatedAt: e.At})
		}
	}
	return list
}
