// Package transcript finds the session files of agents, reads what is new in them, and passes on their sightings in
// batches.
//
// A [Walk] covers a file, a folder of session files, or an agent's own folder. [Walk.Once] reads everything that is
// there; [Walk.Follow] also reads what is added later, until its context ends. A walk opens one file at a time and
// keeps a position, a reader and two hashes for each file, so its memory does not grow with the bytes that it reads.
//
// Files may be rewritten. If a file is shorter than the part already read, or its first bytes or the last bytes read
// have changed, the walk reports this to [Walk.Told] and reads the file again from its start; the receiver of the
// batches must recognize sightings that it already has. In a file that may still be written, the walk leaves an
// incomplete last row for the next pass.
//
// A batch has one sighting per line, as JSON, and at most [MaxBatch] bytes.
//
// Claude Code writes <config>/projects/<folder>/<session>.jsonl and, beside it, <session>/subagents/agent-<id>.jsonl
// with agent-<id>.meta.json. To read the files of another program, add a format to format.go.
//
// OpenCode keeps its sessions in a database, opencode.db. The walk reads it with opencode.Reader, which remembers how
// far it read. The walk reports a locked or damaged database and tries it again on the next pass (file.go).
package transcript
