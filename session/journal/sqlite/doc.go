// Package sqlite keeps journals in an SQLite database in a directory of one process.
//
// # The directory
//
//	candor.db      the database; candor.db-wal and candor.db-shm stand beside it while it is open
//	witness        the last number of each session, against which Open compares the database
//	lock           locked while the engine is open, so that a second process cannot use the directory
//
// Open makes the directory with mode 0700 and the files with mode 0600. [OpenToRead] reads it beside the process
// that has it open, for a backup. A copy of the files is a backup only if Candor was stopped; a copy of a
// running one may have the witness ahead of the database, which looks like damage. What SQLite's own tools do to the
// database while Candor is stopped does no harm, as long as they write nothing: they may move the log into the
// database without tidying it.
//
// # How frames are kept
//
// One goroutine, the writer, has the only connection that writes. It takes what waits as a group, keeps it
// in one transaction, and answers all of it after the one sync of the disk. Reads have connections of their
// own and wait for no append. They read in batches, so that a slow reader keeps no old state of the
// database alive.
//
// The number of a session and the last number of a frame make one key, so the frames of a session
// lie side by side in the order they are read. Every row has a checksum over all that it says.
//
// # What is noticed
//
// SQLite has no checksums in its database, and drops the end of its write-ahead log behind a damaged place
// without a word. So the row of a session has its last number, and Read fails if the frames up to it
// are not all there and as they were written. The witness has the last numbers once more, in another file:
// Open names the sessions whose end is gone, and Read and Append of these fail with journal.ErrDamaged
// while the others serve.
//
// A user's row is witnessed in the same way, so that nobody gets a new session because their row was damaged. What
// the witness says of a damaged session stays in it. To go on with what is left of a session, delete the file
// witness while Candor is stopped; to be rid of it, remove its user.
//
// # Sync
//
// With Always an append is answered when it is on the disk. With Interval it is answered when the system has it,
// and a second later at the latest it is on the disk: the end of the process loses nothing, the end of the machine
// may lose the last second. That is a warning at the next Open and no damage, and events get the numbers of the lost
// ones. Loss of what was on the disk is damage in both ways.
//
// # Erasure
//
// The database runs with secure_delete, which overwrites what is deleted. That is not all: when SQLite divides or
// joins pages, a row that moves to another page stays where it was as well, in the gap that the page takes for
// empty, and is not overwritten when it is deleted later. So the writer moves the write-ahead log into the database
// itself, and before that it overwrites the gaps of the pages in it. After Replace, Remove and Save it does so at
// once, and then truncates the log.
//
// # Adding to it
//
// A new table is a line of schema, with a checksum in each row, and a new formatVersion. What must not be lost in
// silence has to be in the witness, too. What can be damaged is added to TestAFlippedByteIsNeverSilentLoss.
package sqlite
