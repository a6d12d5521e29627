// Package sqlite keeps journals in an SQLite database in a directory of one process.
//
// # The directory
//
//	candor.db      the database; candor.db-wal and candor.db-shm stand beside it while it is open
//	witness        the last number of each session, against which Open compares the database
//	lock           locked while the engine is open, so that a second process cannot use the directory
//
// Open makes the directory with mode 0700 and the files with mode 0600.
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
// # Erasure
//
// The database runs with secure_delete, which overwrites what is deleted, and after Replace, Remove and Save
// the writer moves the write-ahead log into the database and truncates it.
package sqlite
