// Package attached takes what other programs' agents do, and why, into a user's session, so that it is shown, streamed,
// searched and exported like the work of our own agent.
//
// # What becomes what
//
// A session of such an agent is an observed thread. Facts about it, [attach.Sighting], come by several channels: hooks
// that the agent calls while it works (POST /api/hooks/{agent}), its session file and whatever else a program reads
// (POST /api/attached, a sighting a line). The agent's own ids join them:
//
//	agent and session   the thread (a name that the session makes an id of)
//	prompt              the turn: its key is made of the prompt's id
//	call                the decision, whatever channel tells of it
//	answer of the model the step and its parallel group
//
// No id of a stranger is kept: what stands in the log is made of it by a hash. Package session folds the facts, in
// whatever order they come and however often, to the same turn; it says which channel's word counts.
//
// # What is a reason
//
// A reason is what the model said for this very call. The text before a call is the narrative of its step and never
// stands in for a reason, but for lines that name the call's tool ("Reason for Bash: …"), for which some hooks ask the
// model (POST /api/hooks/{agent}/reasons). Nor does the description that some tools have among their parameters: it
// tells what a call does, and is kept as that.
//
// # Texts in pieces
//
// Claude Code's hook MessageDisplay tells a text as the terminal shows it, a few lines at a time, and the last line
// when the model's answer has ended. By then the first call of that answer has often begun, and may have ended: tools
// start while the answer still streams. So three rules join a text to its call (speech.go): all pieces of a message
// belong together; a text that waits belongs to the next call that begins; and one that is first told while calls of
// an answer without a text are under way belongs to the first of these. A hook that lists the calls of an answer ends
// it.
//
// Each time such a text grows it is cleaned and recorded as a whole, under the place that its beginning has. The fold
// keeps the longest of what a channel tells for one place, so that neither repetition nor order matters. A text that
// begins after its whole answer has ended cannot be told from the next answer's; the session file settles it.
//
// # Hooks that wait
//
// A hook before a call may ask (POST /api/hooks/{agent}/ask): ask.go records the question as an approval of the call,
// holds the request open until the log has the answer, and replies in the words of the agent's program, of which an
// [Asker] knows the form. The log is all that the one who answers and the request have in common, so that any process
// may take the answer, and of a person, the end of the time and the agent's hanging up the first counts. [Server.Close]
// ends all that wait.
//
// # Order, bounds, ownership
//
// server.go has the routes, take.go sorts sightings by turn and channel, clean.go cleans each text before anything
// keeps it, live.go remembers what hooks leave open, and speech.go what an agent said last. unnamed.go tells calls
// apart that have no ids, and again.go finds the call that a second hook asks about.
// place.go finds the turn of telemetry that names none: by the call, the sub-agent or the prompt that another channel
// has, else by its time; a turn that only telemetry told of is renamed when another channel names it. Ids
// and names are bounded in bytes, a request in sightings, a turn and a thread by package session, all of it by the
// session's budget. No goroutine is started. A request that fails halfway may be repeated whole: what is known
// already changes nothing.
package attached
