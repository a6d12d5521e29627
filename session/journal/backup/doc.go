// Package backup writes the sessions of any engine to one file, and reads them back into any other.
//
// [Write] reads all users and the frames of their sessions from a [Source], checks each session's chain as
// it reads, and writes the frames as they stand: numbers, hashes, ids of appends and what was erased are the same
// in the file as in the engine. [Read] checks a file from its first byte to its last and tells a [Sink] of what is in
// it; [Restore] reads a file twice: once to check all of it, and then to put it into an engine that has no sessions.
//
// # What a backup is
//
// The log of each session in it is the log at one moment: that at which its reading began. Sessions have nothing in
// common, so these moments may differ. What is appended later is not in it. If a part of the session is erased before
// it was read, the session is read again. A user who is removed while their session is read is left out. So are
// snapshots, which a server makes anew.
//
// # What is checked
//
// Every record has a checksum, the frames have their chain, and the file ends with a hash of all that stands
// before it. So a file that was cut, altered, continued or made by another program is refused with a [Fault]
// that says at which byte, and in which session. The hashes find accidents; whoever can write the file can
// write hashes.
//
// # Damaged sessions
//
// A session whose chain is broken in the engine is named in the report and in the file, and left out. The
// others are whole.
//
// # Adding to it
//
// format.go describes the file. A new kind of record is a new version of it, since a reader refuses kinds that it
// does not know: to leave something out in silence is worse than to refuse a backup. What a file holds beside
// sessions, such as the key of a server, is an [Item], which the caller names.
package backup
