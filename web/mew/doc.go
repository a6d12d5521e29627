// Package mew is the gateway of MEW v0.4, the protocol of spaces that agents and people share.
// Every participant of a space sees all of its messages, reasoning included.
//
// # What it guarantees
//
//   - A message is broadcast byte for byte. The gateway adds only members that its sender left
//     out: protocol, id, ts, from. In a space with "clean", its payload passes the safety layer
//     first.
//   - from is the participant whom the token belongs to; system/… and the other answers of a
//     gateway come from the gateway alone; an id is accepted once, unless its own participant
//     has joined anew.
//   - Sockets and HTTP obey the same rules, since both go through [space.say]. Only its
//     sender receives a refusal.
//   - Every participant sees messages in the same order. A reader may receive fewer with a
//     filter, which never hides mcp/… or messages addressed to that reader.
//   - No participant delays the others: a socket's queue is bounded, and a socket that reads too
//     slowly is closed. pace.go has all bounds; kept messages are charged to the owner's
//     session.
//
// # The path of a message
//
// A message passes these steps: size, the participant's rate, parsing (package wire),
// sender, the context's rate, capabilities, duplicate id, the effect's own checks
// (effects.go, streams.go), the context ([Collector].Admit), room, cleaning. Then it is
// kept, observed by the collector and broadcast, and its effect is applied. Until it is
// kept, nothing has changed.
//
// # Locks and goroutines
//
// Each space has one lock, held for every message, so that there is one order of messages. Nothing
// blocks while it is held: sockets have queues, and event streams are woken and then read by
// themselves. The gateway's own lock guards the list of spaces, and is never taken while holding
// that of a space; no other lock is taken while holding that of the table of tokens. Each socket
// is read by the goroutine of its request and written by one more, and one goroutine of the
// gateway lets contexts expire.
//
// # What is kept
//
// A space keeps its latest messages with their numbers, for GET and for event streams, and the
// hashes of more ids than that. It does not keep frames of streams, refusals, welcomes and the
// tokens of invitations. Nothing of it outlives the process: the id of a space is random, so a
// reader who returns after a restart gets a resync.
//
// # Where things are
//
// A socket is a link (link.go, join.go) with a queue. http.go posts and reads without a socket,
// events.go is the event stream, which resumes, owner.go the API of the owners of spaces, and
// person.go the page's routes for chats, interrupts and approvals in a space. config.go reads
// the file of spaces.
//
// A token alone identifies a participant; owner.go keeps its hash. The owner of a space
// participates without a token, under the user's name.
//
// To make the gateway act on another kind, add an effect to the table in effects.go.
package mew
