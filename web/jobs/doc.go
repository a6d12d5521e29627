// Package jobs serves the job API: users open jobs, and workers in other processes
// carry them out and post their actions. A user's session logs a job like a turn,
// so its rationales are searched and streamed like those of the agent.
//
// # How a post flows
//
//	POST /worker/{id}/event    web.Route.Admit maps the job's token to a run
//	readPosts                  one event, an array, or {"events": […]}; two dialects, see members.go
//	cleaner                    every text is cleaned again; a worker is not trusted
//	workerCall.appendPosts     under the run's lock: is the worker current, is there budget?
//	callTable                  the same lock: which call is it about? its id is ours from here on
//	session.PostToJob          the log; from there on, package view
//
// # Runs, tokens and workers
//
// Opening or restarting a job begins a run, which has a token of its own. The token names the
// job's user, the job and the run, and is signed, so any process with the key and the sessions
// accepts it; restore.go handles runs that another process began. A request affects only the
// run that its token names: after a restart of the job, a late request of the old worker
// changes nothing.
//
// Several workers may share a token, for instance when a scheduler restarts one. A
// worker that sends a name in [WorkerHeader] becomes the current one with GET
// /worker/{id}/job, and all others with a name are refused from then on. A run's
// requests are serialised by its lock, so no post of a replaced worker can follow.
//
// # Guarantees
//
// Posting is idempotent per event id, or per Idempotency-Key: a repeat gets the
// sequence numbers of the original and costs nothing, even after the job has ended.
// One run may post 128 MiB, and a job that is over its budget can still be completed.
// A token that is wrong, of another job, or of a job that has ended gets the same 401.
//
// # The format
//
// The flat events with "event" are those of Candor's own specification, sent by
// package worker. Those with "event_type" and "data" are IronClaw's, and so is the
// "description" in [WorkerJob]: its workers can post here unchanged. The comments of
// readPosts and post say how the two are distinguished.
//
// To add a kind of event, add its members to postFields and members, a case to
// cleaner.body, the event to package session, where JobTurns folds it, and its frame to
// package view.
package jobs
