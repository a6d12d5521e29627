// Package opencode turns OpenCode's session database, and the posts of a plugin that runs inside the program, into
// sightings.
//
// The program keeps sessions, messages and the parts of messages in SQLite, in opencode.db. [Reader] only reads it: one
// look is one transaction, which blocks no program, and yields what is new since the last look. A message of the model
// is one answer and thus one group. Its parts are, in order, thoughts, texts, calls with how they ended, and the
// answer's usage. A sub-agent is a session below another one; a call of the tool task starts it. A fork is a session
// that begins with copies of another session's messages, which are older than the session itself: Reader counts them
// and does not yield them.
//
// [Plugin] is the file that makes OpenCode report while it works, and [Hook] reads its posts: a message with some of
// its parts, in the program's own form. Both channels therefore have the same facts, made by the same functions. The
// plugin posts a person's text, a text or thought of the model once it is complete, a call as it begins and as it ends,
// and an answer when it is over. The program waits for none of these posts.
//
// [Approving] returns a plugin with a further hook, for which the program does wait while a person decides about a call
// ([Question], [Reply]). The program reads nothing of this hook but an error, which stops the call. So the plugin stops
// a call only if a person denied it or the program gave it up, never because of a fault of its own or of the server.
//
// Facts about the format:
//
//   - A turn is identified by the person's message id. Messages of a sub-agent belong to the turn of the call that
//     started it.
//   - The program stores a call of a tool that does not exist as a successful call of a tool named invalid. Reader
//     yields it as a failed call of the tool that the model named, without parameters.
//   - The program does not treat a command's exit status other than 0 as a failure; the result has the status.
//   - Thoughts are yielded as a summary. Content that only the provider can read is dropped and counted in bytes.
//   - Texts and results beyond a bound are cut. [rows.Report] counts them, and the rows that are lost or of an unknown
//     kind. Nothing is invented in their place.
//
// A look works like this: it lists the sessions, reads those that changed last each time, and the others once their own
// row has changed. Of a session it reads the messages from the latest answer on, since earlier ones no longer change,
// and does not yield unchanged rows again. A look that fails is repeated as a whole, so a receiver must recognize facts
// that it already has, as package web/attached does.
//
//	tables.go    the database: opening it, its statements, and its faults in words
//	reader.go    a look, and reports of sessions that appeared or disappeared
//	session.go   a session: new rows, their turn, lost rows
//	facts.go     a message: the facts in its parts, and how it ends
//	call.go      a call: its parameters, the sub-agent that it started, how it ended
//	ask.go       the plugin's posts
//	ask.go       the plugin's question about a call, and the answer
//	plugin.go    the plugin's file, whose text is plugin.js, and approve.js where calls wait
//	row.go       the program's own forms of all these
//
// Reader does not rely on the types that a table declares, nor on the length of a row: the statements convert what they
// select and leave out data that is too long, which is counted. The first look at a database also counts rows that
// belong to no message or session.
//
// The format has no public description. This package reads what version 1.18.33 was recorded to write, which
// attach/opencode/realtest runs. To read a new kind of part, add a case to taking.facts and a recorded example to
// testdata. tables.go refuses a database whose tables changed, and names the columns.
package opencode
