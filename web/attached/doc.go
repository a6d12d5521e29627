// Package attached records in a user's session what other programs' agents do, and why, so that it is shown, streamed,
// searched and exported like the work of Candor's own agent.
//
// # How sightings map to the session
//
// A session of such an agent is an observed thread. The facts about it, [attach.Sighting], arrive by several channels:
// hooks that the agent calls while it works (POST /api/hooks/{agent}), and its session file and other sources that a
// program reads (POST /api/attached, one sighting per line). The agent's own ids join them:
//
//	agent and session   the thread (the session makes its id from this name)
//	prompt              the turn: its key is made of the prompt's id
//	call                the decision, whichever channel reports it
//	answer of the model the step and its parallel group
//
// The log stores no id of another program, only ids derived from it by a hash. Package session folds the facts into the
// same turn in whatever order, and however often, they arrive, and decides which channel's word counts.
//
// # Reasons
//
// A reason is the model's statement about this very call. The text before a call is the narrative of its step and never
// stands in for a reason, except for lines that name the call's tool ("Reason for Bash: …"), for which some hooks ask
// the model (POST /api/hooks/{agent}/reasons). A tool's description parameter is no reason either: it says what the
// call does, and is stored as that.
//
// # Texts in pieces
//
// Claude Code's hook MessageDisplay reports a text as the terminal shows it, a few lines at a time, and the last line
// when the model's answer has ended. Each piece is recorded when it comes, so that what was acknowledged survives the
// server, and any server of a deployment may take the next piece. A piece is cleaned together with what the log has of
// its message, since a secret may stand across two. Package session joins the pieces and finds their call.
//
// # Hooks that wait
//
// A hook before a call may ask for approval (POST /api/hooks/{agent}/ask). ask.go records the question as an approval
// of the call, holds the request open until the log has the answer, and replies in the form of the agent's program,
// which an [Asker] defines. The answer travels only through the log, so any process may take it. Of a person's answer,
// the timeout and the agent's disconnection, the first counts. [Server.Close] ends all waiting hooks.
//
// # Order, bounds, ownership
//
//   - server.go has the routes, take.go sorts sightings by turn and channel, and clean.go cleans each text before it is
//     stored.
//   - live.go remembers the open state of hooks, and take.go the pieces of texts.
//   - take.go distinguishes calls without ids, and finds the call that a second hook asks about.
//   - place.go finds the turn of telemetry that names none: by a call, sub-agent or prompt that another channel
//     reported, else by its time. When another channel names a turn known only from telemetry, the turn gets that name.
//
// Ids and names are bounded in bytes, a request in sightings; package session bounds a turn and a thread, and the
// session's budget bounds everything. The package starts no goroutine. A request that fails halfway may be repeated
// whole: known facts change nothing.
package attached
