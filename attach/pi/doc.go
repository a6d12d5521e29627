// Package pi turns the session files of Pi, the coding agent, into sightings.
//
// The program keeps a session in sessions/--FOLDER--/TIME_ID.jsonl below PI_CODING_AGENT_DIR or ~/.pi/agent. A row is
// an entry with an id and the id of the entry before it. A person's message begins a turn, and its entry's id names the
// turn. An answer of the model is one entry with its thoughts, texts and calls in the order in which the model gave
// them; the result of a call is an entry of its own. A turn ends with the next message of a person, with an answer that
// a person stopped, or with the end of a file that does not grow.
//
// A person may go back to an entry and go on from there, so that the entries of a file are a tree. The branch that ends
// with the last entry is the active one; [BranchOf] finds it, and the entries of others are counted and not told. What
// was told of a file that grows stays, if a person leaves its branch later. A fork begins with copies of another
// session's entries, which are older than the fork. They are counted, too.
//
// The format is version 3, as docs/session-format.md and dist/core/session-manager.js of @mariozechner/pi-coding-agent
// 0.73.1 have it, and docs/session-format.md and docs/message-types.md of @earendil-works/pi-coding-agent 1.6.0, which
// continues that. testdata/session.jsonl is what 0.73.1 wrote with a stand-in model, cleaned; the branch that was left
// and what follows the second prompt are made by hand.
package pi
