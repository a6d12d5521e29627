// Package claude turns what Claude Code writes into sightings: its session files and the payloads of its hooks.
//
// [Reader] reads a session file, row by row, in bounded memory. A row is a block of an answer, a prompt or the result
// of a call; the rows of an answer share the id of the API's message, which is the sighting's Group. Usage is repeated
// in each of these rows and is given once, when the next answer begins. Most rows are the program's own affairs: they
// are skipped, and [rows.Report] counts them by kind, so that a kind that is new to us shows. A fork of a session
// begins with a copy of the session it was made of; copied rows are counted and not given again. [Rows] remembers
// which session had a row first, for files in which copies are not marked.
//
// [Spawned] reads the small file beside the session file of a sub-agent, which names the call that began it.
// [Hook] turns the payload of one hook into sightings. Hooks have no times, do not name the answers of the model but
// for the calls of one (PostToolBatch), make the paths among parameters absolute, and tell neither what the model
// thought nor how a call ended that the program's settings refuse.
//
// What holds for both:
//
//   - A turn is a prompt's id, promptId in files and prompt_id in hooks. Messages of the program, such as the news
//     that a sub-agent ended, begin turns, too; [attach.Prompted] says so.
//   - A call's description is one of its parameters. It tells what the call does, and is no reason.
//   - What is sealed or not text is dropped at once, and counted in bytes: signatures, redacted thoughts, images.
//   - Texts longer than a bound are cut, and so are results; [rows.Report] counts them.
//   - Whatever a row or a payload holds, nothing is made up: a row that does not have the types it should is lost, and
//     counted.
//
// The program's formats have no public schema. What is read here was recorded from version 2.1.330, which
// attach/claude/realtest runs. To read a new kind of row, add a case to Reader.take; of block, to Reader.part; of
// hook, to payload.sightings; and a recorded example to testdata.
package claude
