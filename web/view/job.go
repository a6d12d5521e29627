package view

import (
	"time"

	"candor/safety"
	"candor/session"
)

// JobInfo describes a job. Token is set only in the answer to the request that
// opened or restarted the job: the server keeps a hash of it and cannot show it again.
// Title, Prompt and Metadata are the cleaned copies of what the user posted. Message is
// the latest that the worker reported or ended with, null before the first.
type JobInfo struct {
	JobID     string           `json:"job_id"`
	SessionID string           `json:"session_id"`
	Token     string           `json:"token,omitempty"`
	Title     safety.Text      `json:"title"`
	Prompt    safety.Text      `json:"prompt"`
	Metadata  safety.JSON      `json:"metadata"`
	State     session.JobState `json:"state"`
	Message   *safety.Text     `json:"message"`
	Run       int              `json:"run"`    // from 1; a restart begins the next
	Events    int              `json:"events"` // in the job's log, of all runs
	CreatedAt time.Time        `json:"created_at"`
	UpdatedAt time.Time        `json:"updated_at"`
	EndedAt   *time.Time       `json:"ended_at"` // null while the job is open
	Redacted  []Redaction      `json:"redactions,omitempty"`
	Noticed   []Notice         `json:"notices,omitempty"`
}

// Job describes j, without a token.
func Job(j session.Job) JobInfo {
	return JobInfo{
		JobID: j.ID, SessionID: j.Session, Title: j.Title, Prompt: j.Prompt, Metadata: j.Metadata,
		State: j.State, Message: orNull(j.Message), Run: j.Run, Events: j.Events,
		CreatedAt: j.CreatedAt, UpdatedAt: j.UpdatedAt, EndedAt: timeOrNull(j.EndedAt),
		Redacted: redactions(j.Findings), Noticed: notices(j.Findings),
	}
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
