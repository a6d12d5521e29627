// Package gemini turns Gemini CLI's session files and hook payloads into sightings.
//
// [Reader] reads a session file row by row in bounded memory. A row is a message, and the program writes it again,
// under the same id, when the message gains content: an answer of the model appears first with its text, and again with
// its calls and their results when all of them have ended. Reader yields only what a repeated row adds. An answer is
// one row, so the row's id is the Group of its sightings, and all calls in it are one parallel group. A person's
// message begins a turn, and its id names the turn.
//
// When the program resumes a session, or shortens the conversation that it sends to the model, it writes all messages
// again in one row, $set. These copies have no results, carry the time of copying, and include texts that nobody wrote.
// Reader counts them and does not yield them. $rewindTo removes messages from the conversation sent to the model; their
// sightings stay.
//
// The file does not mark the end of a turn. A turn ends with the next prompt; in a file that does not grow, an answer
// without calls at its end is taken for the turn's answer. Calls that ran side by side are recorded together when the
// last of them ended, so only a call that ran alone has a time.
//
// Versions before the files of rows kept a session as one object, in a file .json; [OldReader] reads these.
//
// A sub-agent has a file of its own, which names neither the turn nor the call. The row of the call names the file, so
// Reader reads the sub-agent's rows there, when its call has ended.
//
// [Hook] turns one hook's payload into sightings. Hooks name neither the prompt nor the call, and report no texts,
// thoughts or tokens. [WithTurn] adds the turn, which it looks up in the session file when the hook is called. Calls
// stay unnamed; the code that joins sightings finds them in the file by tool, parameters and time. [Commands] returns
// the hooks that candor attach sets.
//
// To read a new kind of row, add a case to Reader.take; Reader.ended lists how a call may end. The program's formats
// have no public schema. This package reads what version 0.61.0 was recorded to write, which attach/gemini/realtest
// runs.
package gemini
