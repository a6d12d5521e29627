// Package transcript finds the session files of agents, reads what is new in them, and hands on their sightings in
// batches.
//
// A [Walk] has a file, a folder of session files, or an agent's own folder. [Walk.Once] reads everything that is there;
// [Walk.Follow] goes on with what is added, until its context ends. One file is open at a time, and of each file the
// walk keeps its place, a reader and two hashes, so that memory does not grow with what is read.
//
// Files are not trusted to only grow. One that is shorter than what was read of it, or whose beginning or last bytes
// are no longer what they were, is read from its start again, and [Walk.Told] hears of it; whoever takes
// the batches knows sightings again that it has. The end of a file that is still being written is left until its row is
// whole.
//
// A batch is one sighting a line, as JSON, and at most [MaxBatch] bytes.
//
// The files of Claude Code are <config>/projects/<folder>/<session>.jsonl, and beside them
// <session>/subagents/agent-<id>.jsonl with agent-<id>.meta.json. To read those of another program, add a format to
// format.go.
//
// OpenCode keeps its sessions in a database, opencode.db. Each look at it is one of opencode.Reader, which knows how
// far it read; one that is locked or damaged is told of, and looked at again. database.go has it.
package transcript
