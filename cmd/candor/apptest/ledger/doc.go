// Package ledger drives servers that may die at any moment and judges what they lost.
//
// A [Ledger] has clients that send messages, open jobs and post to them, and decide on calls that wait
// for a person; and readers that follow a user's stream and resume it wherever it breaks. It notes every
// acknowledged action: a message with its turn's number and its id, a decision, a job, a post. When the
// servers are idle, [Ledger.Judge] reads everything back and compares.
//
// # What is judged
//
//   - An acknowledged message is in its thread exactly once, with the number and the id that its client
//     received. A message that was refused or cut off, whose outcome the client does not know, is there
//     once or not at all.
//   - The turns of a thread are numbered 1, 2, 3, …, and all of them have ended.
//   - An acknowledged approval is in the history of its call, and a turn whose interruption was
//     acknowledged did not complete.
//   - A job's posts are in it in the order in which its worker sent them, each once, although the worker
//     repeats each until it is acknowledged.
//   - What hooks told of an attached agent, a run of OpenWOP and a message in a MEW space is there once, however often
//     its client sent it before it was acknowledged. These are counted by kind ([Verdict.Kinds]).
//   - A reader that resumed at its last id, at any server, received byte for byte the frames that an
//     uninterrupted reader receives afterwards: none is missing, repeated or out of order.
//   - No client's request was refused as invalid or forbidden.
//
// The ledger uses only the API, so it judges any storage, one server or several. Its own tests give it a
// real server whose answers are altered on the way: a missing message, a repeated post, a turn that never
// ends.
//
// # How to use it
//
// Start the servers, set the fields of a Ledger, and ask for each user's [Ledger.Origin]. Then run clients
// and readers side by side, kill servers as you like, and stop the clients. [Ledger.Settle] waits until
// nothing is in progress, and [Ledger.Mark] marks the end of each stream, at which the readers stop. Read
// each stream once more with [Ledger.Follow], and give all of it to [Ledger.Judge].
//
// # Adding a check
//
// A new kind of client is a method that notes what was acknowledged, in a file of its own such as asked.go,
// and a method that compares it, which Judge calls. Add a way to alter the answer to the table of
// TestWhatAServerLosesOrAltersIsJudgedAsThat, to prove that the judge detects it.
package ledger
