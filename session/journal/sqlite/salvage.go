package sqlite

import (
	"cmp"
	"encoding/binary"
	"slices"

	"candor/session/journal"
)

// This file finds rows without the trees that lead to them. Any place of any page may begin a row, and a row whose
// checksum holds is one, whatever the page says of itself. So a damaged pointer, page or index costs no other row.

// maxLocal is how many bytes of a row stand in its own page, and minLocal how many at least of one that continues
// in others. Those of an index continue earlier, and are left out then: names of users are not that long.
const (
	maxLocal   = pageSize - 35
	minLocal   = (pageSize-12)*32/255 - 23
	pageRest   = pageSize - 4
	maxColumns = 6
)

// place is where a frame's row stands.
type place struct {
	first, last uint64
	page        uint32
	at          int
}

// eachPage calls do with the pages of the database as they are now, with their numbers.
func eachPage(q queryer, do func(number uint32, page []byte)) error {
	rows, err := q.QueryContext(background(), "SELECT pgno, data FROM sqlite_dbpage")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var number uint32
		var page []byte
		if err := rows.Scan(&number, &page); err != nil {
			return err
		}
		if len(page) == pageSize {
			do(number, page)
		}
	}
	return rows.Err()
}

// pageOf returns a page; nil if it cannot be read.
func pageOf(q queryer, number uint32) (page []byte) {
	found := q.QueryRowContext(background(), "SELECT data FROM sqlite_dbpage WHERE pgno = ?", number)
	if err := found.Scan(&page); err != nil || len(page) != pageSize {
		return nil
	}
	return page
}

// rowAt reads what may be a row of a table at a place of a page: its id and its record, which begins in this page.
// size is the record's, and rest is the page in which it goes on, 0 if it does not.
func rowAt(page []byte, at int) (id int64, record []byte, size int, rest uint32) {
	length, n := varint(page[at:])
	at += n
	key, m := varint(page[min(at, len(page)):])
	at += m
	if n == 0 || m == 0 || length == 0 || length > maxRow {
		return 0, nil, 0, 0
	}
	size = int(length)
	local := size
	if size > maxLocal {
		if local = minLocal + (size-minLocal)%pageRest; local > maxLocal {
			local = minLocal
		}
		if at+local+4 > len(page) {
			return 0, nil, 0, 0
		}
		rest = binary.BigEndian.Uint32(page[at+local:])
	}
	if at+local > len(page) {
		return 0, nil, 0, 0
	}
	return int64(key), page[at : at+local], size, rest
}

// maxRow bounds what is taken for the length of a row.
const maxRow = 1 << 28

// whole returns a record of which a part was read, with the part that stands in other pages; nil if they do not
// have it.
func whole(q queryer, record []byte, size int, rest uint32) []byte {
	record = slices.Clone(record)
	for len(record) < size {
		page := pageOf(q, rest)
		if page == nil {
			return nil
		}
		rest = binary.BigEndian.Uint32(page)
		record = append(record, page[4:4+min(pageRest, size-len(record))]...)
	}
	return record
}

// column is a value of a record: a number or bytes.
type column struct {
	number int64
	bytes  []byte
}

// columns reads the columns of a record, as many as were asked for; nil if it has others. Of one that goes on in other
// pages the bytes are not there yet; then it tells the kinds alone.
func columns(record []byte, n int, cut bool) (all []column) {
	head, at := varint(record)
	if at == 0 || head > uint64(len(record)) || n > maxColumns {
		return nil
	}
	body := int(head)
	for at < int(head) {
		kind, k := varint(record[at:head])
		if k == 0 || len(all) == n {
			return nil
		}
		at += k
		size := [...]int{0, 1, 2, 3, 4, 6, 8, 0, 0, 0}
		c := column{}
		width := 0
		switch {
		case kind == 9:
			c.number = 1
		case kind < 7:
			width = size[kind]
		case kind >= 12 && kind%2 == 0:
			width = int(min((kind-12)/2, maxRow))
		case kind != 8:
			return nil
		}
		if body+width > len(record) {
			if !cut {
				return nil
			}
			body = len(record)
			all = append(all, c)
			continue
		}
		if c.bytes = record[body : body+width]; kind < 7 {
			c.number = signed(c.bytes)
		}
		body += width
		all = append(all, c)
	}
	if len(all) != n {
		return nil
	}
	return all
}

// signed reads a number of any width.
func signed(raw []byte) (n int64) {
	for i, b := range raw {
		if i == 0 {
			n = int64(int8(b))
			continue
		}
		n = n<<8 | int64(b)
	}
	return n
}

// varint reads a number as SQLite writes it, and how long it is; 0 if it is cut.
func varint(raw []byte) (n uint64, size int) {
	for i, b := range raw[:min(len(raw), 9)] {
		if i == 8 {
			return n<<8 | uint64(b), 9
		}
		n = n<<7 | uint64(b&0x7f)
		if b < 0x80 {
			return n, i + 1
		}
	}
	return 0, 0
}

// frameIn returns the frame at a place of a page, if a frame of the session is there as it was written.
func frameIn(q queryer, session string, page []byte, at int) (id int64, f journal.Frame, sum int64, ok bool) {
	id, record, size, rest := rowAt(page, at)
	if len(record) < 5 || record[1] != 0 || columns(record, 4, rest != 0) == nil {
		return 0, f, 0, false
	}
	if rest != 0 {
		record = whole(q, record, size, rest)
	}
	all := columns(record, 4, false)
	if all == nil {
		return 0, f, 0, false
	}
	f = journal.Frame{First: uint64(all[1].number), Last: uint64(id & maxNumber), Data: slices.Clone(all[2].bytes)}
	return id, f, all[3].number, all[3].number == frameSum(session, f)
}

// maxWrecks bounds of how many altered rows the bytes are kept.
const maxWrecks = 64

// framesOf finds the places of a session's frames from an event on, in their order. id is 0 if it is not known. wrecks
// are the beginnings of rows that were altered, by the numbers of their last events.
func framesOf(q queryer, session string, id int64, from uint64) (
	all []place, wrecks map[uint64][]byte, err error,
) {
	wrecks = map[uint64][]byte{}
	err = eachPage(q, func(number uint32, page []byte) {
		for at := range page {
			key, record, _, _ := rowAt(page, at)
			if record == nil || id != 0 && key>>numberBits != id || uint64(key&maxNumber) < from {
				continue
			}
			if _, f, _, ok := frameIn(q, session, page, at); ok {
				all = append(all, place{f.First, f.Last, number, at})
			} else if id != 0 && len(wrecks) < maxWrecks {
				wrecks[uint64(key&maxNumber)] = slices.Clone(record)
			}
		}
	})
	// Where an erasure left an old row behind, the wider one is the later.
	slices.SortFunc(all, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(b.last, a.last))
	})
	for _, p := range all {
		delete(wrecks, p.last)
	}
	return all, wrecks, err
}

// sessionIn returns the row of a session at a place of a page.
func sessionIn(page []byte, at int) (r row, ok bool) {
	id, record, _, rest := rowAt(page, at)
	if record == nil || rest != 0 || len(record) < 7 || record[1] != 0 {
		return row{}, false
	}
	all := columns(record, 6, false)
	if all == nil {
		return row{}, false
	}
	r = row{id: id, name: string(all[1].bytes), owner: slices.Clone(all[2].bytes), head: uint64(all[3].number),
		tail: all[4].number}
	return r, r.name != "" && all[5].number == r.sum()
}

// userIn returns the row of a user at a place of a page.
func userIn(page []byte, at int) (user, session string, ok bool) {
	size, n := varint(page[at:])
	if at += n; n == 0 || size < 4 || at+int(min(size, pageSize)) > len(page) {
		return "", "", false
	}
	all := columns(page[at:at+int(size)], 3, false)
	if all == nil || len(all[0].bytes) == 0 || len(all[1].bytes) == 0 {
		return "", "", false
	}
	return string(all[0].bytes), string(all[1].bytes), all[2].number == userSum(all[0].bytes, all[1].bytes)
}

// rowsOf finds the rows of sessions and users by their checksums. Of a session's rows the one with the most events
// counts: what an update left behind is older.
func rowsOf(q queryer) (sessions map[string]row, users map[string]string, err error) {
	sessions, users = map[string]row{}, map[string]string{}
	err = eachPage(q, func(_ uint32, page []byte) {
		for at := range page {
			if r, ok := sessionIn(page, at); ok && r.head >= sessions[r.name].head {
				sessions[r.name] = r
			} else if user, session, ok := userIn(page, at); ok {
				users[user] = session
			}
		}
	})
	return sessions, users, err
}
