// Package journal keeps the events of sessions in an engine that outlives the process.
//
// A session's journal is a chain of frames. Each frame holds what one append added: one event or
// several, as bytes that package session encodes and that engines do not interpret. The package
// defines the methods of an engine ([Frames], [Directory], [Snapshots]) and adds what all of them
// need: a [Journal] numbers the frames, links them by hashes, and detects loss, damage and
// repeats when it reads them back.
//
// # The chain
//
// A frame has the numbers of its first and last event, the hash of the frame before it, a hash of
// its own content, the id of the process that wrote it, and an id of the append. A frame that is
// missing, altered, misplaced or repeated is detected when it or the next frame is read: the read
// yields [ErrDamaged] with a [Damage] that names the session and the place, and goes on behind it if the caller does.
// A frame of an
// unknown version or kind is refused in the same way.
//
// # Appending
//
// [Journal.Append] returns nil only when the engine confirms that it keeps the frame, as durably as it
// was configured to. It returns [ErrConflict] if another process appended first, and then stores
// nothing. If the engine does not know the outcome of an append, the journal reads the frame in its
// place and compares the ids, so an unknown outcome is not reported as a failure.
//
// # Erasure
//
// [Journal.Erase] replaces the frames that it covers with an erased frame. Their bytes are gone
// from the engine; an erased frame has the hashes that link the frames around it and nothing else.
// Every append has a random id in its hashed content, and the id goes with its frame, so nobody
// can find out what was erased by hashing guesses.
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
