// Package codex turns Codex's session files, which it calls rollouts, and its hook payloads into sightings. It also
// describes the settings by which Codex runs hooks that report to a server.
//
// [Reader] reads a rollout row by row in bounded memory. Rows of type response_item hold the model's texts, thoughts
// and calls, and the input that the model received. The token_usage_record row that follows them ends an answer and
// names it, so Reader holds the answer until then. That name is the sighting's Group, and the calls of one answer are
// one group. Rows of type event_msg with item_completed repeat most of this. Reader takes only the prompt and the ends
// of calls from them, because they include what the model did not see: the exit code, the whole output, the changes to
// a file. Older rollouts lack these rows; Reader then derives the end of a call from the text that the model received.
//
// A sub-agent has a rollout of its own. Its sightings belong to the session and the turn of the agent that the person
// speaks to. A fork, and a sub-agent that receives the conversation so far, begin with a copy of it; Reader counts the
// copied rows and does not yield them again. Turn ids are UUIDs of version 7, which begin with a time, so a turn older
// than the rollout is a copy.
//
// [Hook] turns one hook's payload into sightings. Hooks have these gaps:
//
//   - They carry no times and do not name the model's answers.
//   - They call the tool exec_command Bash and its parameter cmd command.
//   - They do not report whether a command failed, so its output is marked as partial.
//   - Of a patch that was piped through the shell they report only the beginning.
//   - A sub-agent's hooks have a turn of their own. Hook leaves the turn empty; the server knows in which turn the
//     sub-agent began.
//
// Encrypted reasoning and images are dropped at once and counted in bytes. Texts and results are bounded. Nothing is
// invented: a row or payload whose members have unexpected types is dropped and counted.
//
// The program's formats have no public schema. This package reads what version 0.163.0 was recorded to write, which
// attach/codex/realtest runs. To read a new kind of response item, add a case to Reader.item; of event, to
// Reader.event; of hook, to payload.sightings; and add a recorded example to testdata.
package codex
