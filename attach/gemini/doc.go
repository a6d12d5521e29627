// Package gemini turns what Gemini CLI writes into sightings: its session files and the payloads of its hooks.
//
// [Reader] reads a session file, row by row, in bounded memory. A row is a message, and the program writes it again,
// under the same id, when it knows more: an answer of the model first stands there with its text, and once more with
// its calls and their results when all of them have ended. Only what is new in such a row is given. An answer is one
// row, so the row's id is the Group of its sightings, and all calls in it are one parallel group. A message of a person
// begins a turn, and its id names the turn.
//
// When the program resumes a session, or shortens what the model is sent, it writes all messages again in one row,
// $set. These are copies, without results and with the time of copying, and among them are texts that nobody said. They
// are counted and not given. $rewindTo takes messages out of what the model is sent; what was done stays done.
//
// The file does not say that a turn is over. It is when the next prompt comes; and at the end of a file that does not
// grow an answer without calls is taken for the turn's. Calls that ran side by side are all recorded when the last of
// them ended, so that only a call that ran alone has a time.
//
// A sub-agent has a file of its own, which names neither the turn nor the call. The row of the call names the file, and
// so the sub-agent's rows are read there: when its call has ended.
//
// [Hook] turns the payload of one hook into sightings. Hooks name neither the prompt nor the call, and tell nothing of
// texts, thoughts and tokens. [WithTurn] adds the turn, which it looks up in the session file when the hook is called;
// calls stay unnamed, and whoever joins sightings finds them in the file by tool, parameters and time. [Settings] are
// the hooks that candor attach sets.
//
// To read a new kind of row, add a case to Reader.take; how a call may end is Reader.ended. The program's formats have
// no public schema. What is read here was recorded from version 0.61.0, which attach/gemini/realtest runs.
package gemini
