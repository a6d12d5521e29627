// Package mew is the gateway of MEW v0.4, the protocol of spaces that agents and people share:
// everything that is said in a space is seen by all of it, reasoning included.
//
// # What it guarantees
//
//   - A message is broadcast as the bytes that came. Only what its sender left out is added:
//     protocol, id, ts, from. In a space with "clean", its payload passes the safety layer first.
//   - from is the participant whom the token belongs to; system/… and the other answers of a
//     gateway come from the gateway alone; an id is accepted once, unless its own participant
//     has joined anew.
//   - Sockets and HTTP obey the same rules, since [space.say] is the one way in. A refusal
//     reaches its sender only.
//   - Everybody sees messages in one order. A reader may ask for less with a filter, which never
//     hides mcp/… or what is addressed to that reader.
//   - Nobody holds up the others: what waits for a socket is bounded, and a socket that reads too
//     slowly is closed. limits.go has all bounds; what is kept is charged to the owner's session.
//
// # What a message goes through
//
// size, the participant's rate, parsing (package wire), sender, the context's rate,
// capabilities, duplicate id, the effect's own checks (effects.go, streams.go), the context
// ([Collector].Admit), room, cleaning; then it is kept, observed by the collector, and
// broadcast, and its effect applied. Until "kept" nothing has changed.
//
// # Locks and goroutines
//
// Each space has one lock, under which everything is said, so that there is one order of messages.
// Nothing blocks while it is held: sockets have queues, event streams are woken and read for
// themselves. The gateway's own lock guards the list of spaces, and is never taken under that of a
// space; that of the table of tokens is a leaf. Each socket is read by the goroutine of its
// request and written by one more, and one goroutine of the gateway lets contexts expire.
//
// # What is kept
//
// A space keeps its latest messages with their numbers, for GET and for event streams, and the
// hashes of more ids than that. Frames of streams, refusals, welcomes and the tokens of
// invitations are not kept. Nothing of it outlives the process: the id of a space is random, so a
// reader who comes back to another life of it gets a resync.
//
// # Where things are
//
// A socket is a link (link.go, join.go), what waits for it a queue. http.go posts and reads
// without a socket, events.go is the event stream, which resumes, owner.go the API of those
// who own spaces, and person.go what the page's routes for chats, interrupts and approvals do in
// a space. config.go reads the file of spaces.
//
// Whoever takes part is told by a token alone, of which tokens.go keeps a hash. The owner of a
// space takes part without one, as a participant named like the user.
//
// To add a kind that the gateway acts upon, add an effect to the table in effects.go.
package mew
