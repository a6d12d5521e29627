// Package opencode turns what OpenCode writes into sightings: its database of sessions, and what a plugin of ours posts
// while the program works.
//
// The program keeps sessions, their messages and the parts of these in SQLite, in opencode.db. [Reader] reads it and
// never writes: one look is one transaction, which no program waits for, and yields what is new since the last look. A
// message of the model is one answer and thus one group; its parts are, in their order, thoughts, texts, calls with how
// they ended, and what the answer cost. A sub-agent is a session below another one, begun by a call of the tool task.
// A fork is a session that begins with copies of another's messages, which are older than the session itself: they
// are counted and not given.
//
// [Plugin] is the file that makes OpenCode report while it works, and [Hook] reads what it posts: a message with some
// of its parts, as the program itself has them. So both channels have the same facts, made by the same functions. The
// plugin posts a person's text, a text or thought of the model once it is whole, a call as it begins and as it ends,
// and an answer when it is over; the program waits for none of it.
//
// [Approving] gives the plugin a hook that the program does wait for, in which a call waits for a person ([Question],
// [Reply]). The program reads nothing of the hook but an error, by which the call does not run; so the plugin stops a
// call where a person denied it or the program gave it up, and never for a fault of its own or of the server.
//
// What to know:
//
//   - A turn is the id of the person's message. Messages of a sub-agent belong to the turn of the call that began it.
//   - A call of a tool that does not exist is kept by the program as one of a tool named invalid that ended well.
//     It is given as what it is: a call of that tool, without parameters, which failed.
//   - A command that ends with another status than 0 is no failure to the program; the result has the status.
//   - Thoughts are given as a summary. What only the provider can read is dropped and counted in bytes.
//   - Texts and results longer than a bound are cut, and [rows.Report] counts them, as it counts rows that are lost or
//     of a kind that is not read. Nothing is made up in their place.
//
// How a look works: the sessions are listed, those that were changed last are looked at each time and the others once
// their own row has changed. Of a session the messages are read from its latest answer on, since whatever stands before
// that no longer changes; rows that are as they were are not given again. A look that fails is made again as a whole.
// Who is given a fact twice has to know it again, as package web/attached does.
//
//	tables.go    the database: how it is opened, its statements, and what is wrong with it in words
//	reader.go    a look, and what it says of sessions that came or went
//	session.go   a session: which rows are new, in which turn they stand, what is lost
//	facts.go     a message: what its parts tell, and how it ends
//	call.go      a call: its parameters, the sub-agent that it began, how it ended
//	hook.go      what the plugin posts
//	ask.go       what it asks about a call, and the answer
//	plugin.go    the plugin's file, whose text is plugin.js, and approve.js where calls wait
//	row.go       the program's own forms of all these
//
// A row is not trusted to be of the types that its table declares, nor to be of any length: the statements convert what
// they select, and leave out data that is too long, which is counted. Rows that belong to no message or session are
// counted, too, when a database is read first.
//
// The format has no public description. What is read here was recorded from version 1.18.33, which
// attach/opencode/realtest runs. To read a new kind of part, add a case to taking.facts and a recorded example to
// testdata; a database whose tables changed is refused by tables.go, which names the columns.
package opencode
