// Package claude turns Claude Code's session files and hook payloads into sightings.
//
// [Reader] reads a session file row by row in bounded memory. A row is a block of an answer, a prompt, or the result of
// a call. The rows of one answer share the id of the API's message, which becomes the sighting's Group. Each of these
// rows repeats the answer's usage; Reader yields it once, when the next answer begins. Most rows concern only the
// program itself: Reader skips them, and [rows.Report] counts them by kind, so that an unknown kind shows. A forked
// session begins with a copy of the original session's rows, which Reader counts and does not yield again. [Rows]
// remembers which session had a row first, for files that do not mark their copies.
//
// [Spawned] reads the metadata file beside a sub-agent's session file, which names the call that started the sub-agent.
//
// [Hook] turns one hook's payload into sightings. Hooks have these gaps:
//
//   - They carry no times.
//   - They do not name the model's answers; only PostToolBatch lists the calls of one.
//   - They make the paths among parameters absolute.
//   - They report neither the model's thoughts nor the end of a call that the program's settings refuse.
//
// For both, the following holds:
//
//   - A turn is identified by the prompt's id, promptId in files and prompt_id in hooks. Messages that the program
//     writes, such as the notice that a sub-agent ended, begin turns, too; [attach.Prompted] marks them.
//   - A call's description is one of its parameters. It says what the call does and is never taken for a reason.
//   - Signatures, redacted thoughts and images are dropped at once and counted in bytes.
//   - Texts and results beyond a bound are cut; [rows.Report] counts them.
//   - Nothing is invented: a row whose members have unexpected types is dropped and counted.
//
// The program's formats have no public schema. This package reads what version 2.1.330 was recorded to write, which
// attach/claude/realtest runs. To read a new kind of row, add a case to Reader.take; of block, to Reader.part; of hook,
// to payload.sightings; and add a recorded example to testdata.
package claude
