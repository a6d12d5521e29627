// Package codex turns what Codex writes into sightings: its session files, which it calls rollouts, and the payloads of
// its hooks. It also knows the settings by which Codex runs hooks that report to a server.
//
// [Reader] reads a rollout, row by row, in bounded memory. Rows of type response_item are what the model said, thought
// and asked for, and what it was told; the row token_usage_record behind them ends an answer and names it, so that an
// answer is held until then. That name is the sighting's Group, and calls of one answer are one group. Rows of type
// event_msg with item_completed tell most of it a second time: of them only the prompt and how calls ended are
// read, since they have what the model was not told: the exit code, the whole output, the changes of a file. Older
// rollouts lack these rows; then the text that the model read says how a call ended.
//
// A sub-agent has a rollout of its own. Its sightings belong to the session and the turn of the agent that the person
// speaks to. A fork, and a sub-agent that is given the conversation so far, begin with a copy of it: its rows are
// counted and not given again. Turns have ids of UUID version 7, which begin with a time, so that a turn that is older
// than the rollout is a copy.
//
// [Hook] turns the payload of one hook into sightings. Hooks have no times and do not name the model's answers.
// They call the tool exec_command Bash and its parameter cmd command, do not tell whether a command failed, so that
// its output is marked as partial, and tell nothing of a patch that was piped through the shell but that it began. The
// hooks of a sub-agent have a turn of its own, which is left empty here: the server knows in which turn it was begun.
//
// What is sealed is dropped at once and counted in bytes: encrypted reasoning, images. Texts and results are bounded.
// Whatever a row or a payload holds, nothing is made up: what does not have the types it should is lost, and counted.
//
// The program's formats have no public schema. What is read here was recorded from version 0.163.0, which
// attach/codex/realtest runs. To read a new kind of response item, add a case to Reader.item; of event, to
// Reader.event; of hook, to payload.sightings; and a recorded example to testdata.
package codex
