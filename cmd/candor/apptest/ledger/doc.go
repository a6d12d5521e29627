// Package ledger drives servers that may die at any moment and judges what they lost.
//
// A [Ledger] has clients that send messages, open jobs and post to them, and decide on calls that
// wait for a person; and readers that follow a user's stream and resume it wherever it breaks. It notes
// what was acknowledged: a message with its turn's number and its id, a decision, a job, a post. When the
// servers are quiet, [Ledger.Judge] reads everything back and compares.
//
// # What is judged
//
//   - A message that was acknowledged stands in its thread exactly once, with the number and the id that
//     its client was told. One that was refused or cut off, of which the client knows nothing, stands
//     there once or not at all.
//   - The turns of a thread are numbered 1, 2, 3, …, and all of them have ended.
//   - An approval that was acknowledged is in the history of its call, and a turn whose interruption was
//     acknowledged did not complete.
//   - A job's posts stand in it in the order in which its worker sent them, each once, although the worker
//     sends each again until it is acknowledged.
//   - A reader that resumed at its last id, at whatever server, received the very frames, byte for byte, that
//     a reader receives afterwards who is never cut off: none is missing, none comes twice, none is in
//     another place.
//   - No client was told that what it asked for is wrong or that it may not ask for it.
//
// The ledger knows the API only, so it judges any storage, one server or several. Its own tests give it a
// real server whose answers are altered on the way: a message that is gone, a post that stands twice, a turn
// that goes on for ever.
//
// # How to use it
//
// Start the servers, set the fields of a Ledger, and ask for each user's [Ledger.Origin]. Then run clients
// and readers side by side, kill servers as you like, and stop the clients. [Ledger.Settle] waits until
// nothing goes on, and [Ledger.Mark] puts an end to each stream, at which the readers stop. Read each stream
// once more with [Ledger.Follow], and give all of it to [Ledger.Judge].
//
// # Adding something to judge
//
// A new kind of client is a method that notes what was acknowledged, in a file of its own such as asked.go,
// and a method that compares it, which Judge calls. Add a way to alter the answer to the table of
// TestWhatAServerLosesOrAltersIsJudgedAsThat, since a judge that never objects proves nothing.
package ledger
