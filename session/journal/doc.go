// Package journal keeps the events of sessions in an engine that outlives the process.
//
// A session's journal is a chain of frames, and each frame has what one append added: one event
// or several, as bytes that package session encodes and that no engine looks into. The package
// defines what an engine has to do ([Frames], [Directory], [Snapshots]) and adds what all of them
// need: a [Journal] numbers the frames, links them by hashes, and finds loss, damage and repeats
// when it reads them back.
//
// # The chain
//
// A frame has the numbers of its first and last event, the hash of the frame before it, a hash of
// its own over all that it has, the id of the process that wrote it, and an id of the append. So
// a frame that is missing, altered, out of its place or there twice is seen by whoever reads it or
// the frame behind it: the read fails with [ErrDamaged] and a [Damage] that names the session and
// the place. A frame of an unknown version or kind is refused in the same way.
//
// # What an append promises
//
// [Journal.Append] returns nil only when the engine says that it keeps the frame, as durably as it
// was told to. It returns [ErrConflict] if somebody else appended first, and nothing was kept then. If
// the engine does not know what became of an append, the journal reads back what stands in its
// place and compares the ids: unknown is not failed.
//
// # Erasure
//
// [Journal.Erase] puts an erased frame in the place of those that it covers. Their bytes are gone
// from the engine; an erased frame has the hashes that link the frames around it and nothing else.
// Every append has a random id among what its hash covers, and the id goes with its frame, so
// nobody can find out what was erased by hashing guesses.
//
// # Backups
//
// Package backup copies the frames of all sessions to a file, and from a file into an engine.
//
// # Adding an engine
//
// An engine is a package beside this one, such as sqlite, with a function Open that returns an
// [Engine]. It has to pass the suite in package journaltest.
package journal
