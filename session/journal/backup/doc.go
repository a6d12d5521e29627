// Package backup writes the sessions of any engine to one file, and reads them back into any other.
//
// [Write] reads all users and the frames of their sessions from a [Source], checks each session's chain as it reads,
// and writes the frames unchanged: numbers, hashes, ids of appends and erased frames are the same in the file as in
// the engine. [Read] checks a file from its first byte to its last and passes its content to a [Sink]. [Restore]
// reads a file twice: first to check all of it, then to put it into an engine that has no sessions.
//
// # What a backup contains
//
// A backup has the log of each session at one moment: when reading it began. These moments may differ, since sessions
// are independent of each other. Later events are not in the backup. If a part of a session is erased before it was
// read, the session is read again. A user who is removed while their session is read is left out, and so are
// snapshots, which a server makes anew.
//
// # What is checked
//
// Every record has a checksum, the frames have their chain, and the file ends with a hash of everything
// before it. So a file that was cut, altered, extended or made by another program is refused with a [Fault]
// that names the byte and the session. The hashes detect accidents, not forgery: anyone who can write the
// file can compute them.
//
// # Damaged sessions
//
// A session whose chain is broken in the engine is left out, and named in the report and in the file. The
// others are complete. [Salvage] takes what is whole of such a session and names what is not: an erased frame stands
// in its place, with the hashes of its neighbours, so that the restored session goes on as any other.
//
// # Adding to it
//
// format.go describes the file. A new kind of record needs a new version of the format, since a reader refuses
// unknown kinds: silently leaving data out is worse than refusing a backup. Content beside sessions, such as the
// key of a server, is an [Item], which the caller names.
package backup
