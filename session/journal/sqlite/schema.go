package sqlite

import (
	"crypto/sha256"
	"encoding/binary"
)

// formatVersion is the user_version of a database of this layout, and applicationID tells SQLite's own
// tools and us whose it is: "Cndr".
const (
	formatVersion = 1
	applicationID = 0x436e6472
)

// schema is how SQLite itself writes the tables down, so Open compares it with what it finds. They are in the order
// of their names.
//
// frames has a row for each frame. Its id is its session's, shifted, plus the number of its last event, so that the
// frames of a session lie side by side in their order, and the frame that has an event is the first whose id is not
// smaller. Damage to one page concerns one session or two.
//
// sessions has a row for each session: its name, whose it is, the number of its last event and the checksum of its
// last frame. Appends compare with that row, and reads go up to it, so that an end which SQLite does not find any
// more is missed.
//
// snapshots has the latest snapshot of a session. users has the session of each user; the owner in a session's
// row says the same from the other side, so that the loss of either is noticed.
//
// Texts are blobs, since they may have any bytes. Each sum is a checksum over the rest of its row.
var schema = []string{
	`CREATE TABLE frames (id INTEGER PRIMARY KEY, first INTEGER NOT NULL, data BLOB NOT NULL, sum INTEGER NOT NULL)`,
	`CREATE TABLE sessions (id INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE, owner BLOB NOT NULL,` +
		` head INTEGER NOT NULL, tail INTEGER NOT NULL, sum INTEGER NOT NULL)`,
	`CREATE TABLE snapshots (id INTEGER PRIMARY KEY, data BLOB NOT NULL, sum INTEGER NOT NULL)`,
	`CREATE TABLE users (user BLOB PRIMARY KEY, session BLOB NOT NULL, sum INTEGER NOT NULL) WITHOUT ROWID`,
}

// numberBits is how many bits of a frame's id are for the event's number; the other 23 are for the session. That is
// a trillion events in each of eight million sessions.
const (
	numberBits = 40
	maxNumber  = 1<<numberBits - 1
	maxSession = 1<<23 - 1
)

// frameID returns the id of a session's frame that ends with an event.
func frameID(session int64, last uint64) int64 { return session<<numberBits | int64(last) }

// The kinds of rows, so that a row moved from one table to another has a wrong checksum.
const (
	rowFrame    = 'f'
	rowSession  = 's'
	rowSnapshot = 'p'
	rowUser     = 'u'
)

// checksum returns the checksum of a row: the first bytes of a SHA-256 over its kind, numbers and texts. It finds
// what was altered by accident. Who can write the files can write checksums, too.
func checksum(kind byte, numbers []int64, texts ...[]byte) int64 {
	h := sha256.New()
	head := make([]byte, 0, 64)
	head = append(head, kind)
	for _, n := range numbers {
		head = binary.BigEndian.AppendUint64(head, uint64(n))
	}
	for _, t := range texts {
		head = binary.BigEndian.AppendUint64(head, uint64(len(t)))
	}
	h.Write(head)
	for _, t := range texts {
		h.Write(t)
	}
	var sum [sha256.Size]byte
	return int64(binary.BigEndian.Uint64(h.Sum(sum[:0])))
}
