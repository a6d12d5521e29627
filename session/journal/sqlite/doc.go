// Package sqlite keeps journals in an SQLite database in a directory of one process.
//
// # The directory
//
//	candor.db      the database; candor.db-wal and candor.db-shm stand beside it while it is open
//	witness        the last number of each session, against which Open compares the database
//	lock           locked while the engine is open, so that a second process cannot use the directory
//
// Open makes the directory with mode 0700 and the files with mode 0600. [OpenToRead] reads the directory while
// another process has it open, for a backup. A copy of the files is a backup only if Candor was stopped; in a copy
// made while it runs, the witness may be ahead of the database, which looks like damage. SQLite's own tools do no
// harm while Candor is stopped, as long as they write nothing, although even then they may move the log into the
// database without overwriting the gaps in its pages.
//
// # How frames are kept
//
// One goroutine, the writer, has the only connection that writes. It takes waiting appends as a group,
// stores them in one transaction, and answers all of them after the one sync of the disk. Reads have
// connections of their own and wait for no append. They read in batches, so that a slow reader does not
// keep an old state of the database alive.
//
// The number of a session and the last number of a frame form one key, so the frames of a session
// are stored side by side in reading order. Every row has a checksum over all of its columns.
//
// # Damage
//
// SQLite has no checksums in its database, and silently drops the end of its write-ahead log after a
// damaged place. So the row of a session has its last number, and Read names the frames up to it that are
// not there and intact, and gives the others. The witness has the last numbers once more, in another file: Open names
// the sessions whose end is gone, and Append to these fails with journal.ErrDamaged while the others work.
//
// A user's row is witnessed in the same way, so that nobody gets a new session because their row was damaged. Where
// SQLite finds no row because a page of a tree is damaged, all pages are searched for rows whose checksums hold
// (salvage.go), so that one bit costs no more than its own row. A session's row says by a hash whose it is, and a
// frame by its checksum of which session.
//
// The witness keeps its entry for a damaged session. To continue with what is whole, salvage it into a backup
// ([OpenDamaged]) and restore that; to discard the session, remove its user.
//
// # Sync
//
// With Always an append is answered when it is on the disk. With Interval it is answered when the system has it, and
// it is on the disk at most a second later: if the process ends, nothing is lost; if the machine fails, the last
// second may be. The next Open reports that as a warning, not as damage, and events get the numbers of the lost
// ones. Loss of frames that were on the disk is damage in both modes. With Interval a sync that failed is not repeated:
// the system may have dropped what it could not write, and a second sync would succeed and mean nothing.
//
// # Erasure
//
// The database runs with secure_delete, which overwrites deleted rows. That is not enough: when SQLite splits or
// joins pages, a row that moves to another page also stays where it was, in a gap that the page treats as free, and
// is not overwritten when it is deleted later. So the writer itself moves the write-ahead log into the database,
// and first overwrites the gaps of the pages in it. After Replace, Remove and Save it does so at once, and then
// truncates the log.
//
// # Adding to it
//
// A new table is a line of schema, with a checksum in each row, and a new formatVersion. Data that must not be
// lost silently must be in the witness, too. Add each new kind of damage to TestAFlippedByteIsNeverSilentLoss.
package sqlite
