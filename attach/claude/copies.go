package claude

import "hash/maphash"

// maxRows bounds the rows that Rows remembers. Each takes about 40 bytes.
const maxRows = 1 << 18

// Rows remembers which session had a row first, so that the readers of a folder's files yield it once. The zero value
// is ready to use. It remembers a bounded number of rows and does not compare later ones. It is not safe for concurrent
// use.
type Rows struct {
	seed  maphash.Seed
	first map[uint64]uint64 // session by row, both hashed
}

// copied reports whether another session had the row; else the row is the session's from now on.
func (r *Rows) copied(uuid, session string) bool {
	if uuid == "" {
		return false
	}
	if r.first == nil {
		r.seed, r.first = maphash.MakeSeed(), map[uint64]uint64{}
	}
	key, owner := maphash.String(r.seed, uuid), maphash.String(r.seed, session)
	had, known := r.first[key]
	if !known && len(r.first) < maxRows {
		r.first[key] = owner
	}
	return known && had != owner
}
