package sqlite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// pageSize is the size of the database's pages. maxPages keeps the numbers of pages so low that the first byte of a
// page tells a part of a tree, which has one of the kinds below, from any other page, which begins with a
// page's number or with zeros. It makes 137 GB.
const (
	pageSize = 4096
	maxPages = 0x02000000 - 1
)

// A page of a tree begins with its kind, followed by the places of its rows, which stand at its end. What is between
// the two is the gap, into which both grow:
//
//	kind, free, rows, start | places of the rows | gap | rows
//
// Sizes in the first page of the database and in the write-ahead log, as sqlite.org/fileformat.html has them.
const (
	databaseHead = 100
	logHead      = 32
	logFrameHead = 24
)

// gap returns the bytes of a page between the pointers to its rows and the rows themselves, which SQLite
// takes for empty; nil if the page is no part of a tree. A row that moved to another page may have left a
// copy of itself here: secure_delete does not see to that.
func gap(number uint32, page []byte) []byte {
	head := page
	if number == 1 {
		head = page[databaseHead:]
	}
	start := len(page) - len(head)
	switch head[0] {
	case 2, 5: // inner pages of an index and of a table
		start += 12
	case 10, 13: // their leaves
		start += 8
	default:
		return nil
	}
	start += 2 * int(binary.BigEndian.Uint16(head[3:]))
	end := int(binary.BigEndian.Uint16(head[5:]))
	if start > end || end > len(page) {
		return nil
	}
	return page[start:end]
}

// isBlank reports whether data has only zeros.
func isBlank(data []byte) bool { return len(bytes.Trim(data, "\x00")) == 0 }

// maxLog is about how long the write-ahead log becomes before it is moved into the database. A page that was
// written often is moved once, so a long log saves writes; it costs disk, and time at the next Open after a crash.
const maxLog = 32 << 20

// boundLog moves the write-ahead log into the database when it is long, so that it is written from its start again.
// If that fails it stays long, which the next group finds.
func (w *writer) boundLog() {
	if w.logged > w.reserve.log() {
		_ = w.moveLog("RESTART")
	}
}

// moveLog moves the write-ahead log into the database, and in the way TRUNCATE also empties it, so that what was
// overwritten in the database stands in no file.
func (w *writer) moveLog(way string) error {
	if err := w.tidy(); err != nil {
		return err
	}
	w.engine.erasing.Lock()
	defer w.engine.erasing.Unlock()
	var busy, inLog, moved int
	found := w.conn.QueryRowContext(background(), "PRAGMA wal_checkpoint("+way+")")
	if err := found.Scan(&busy, &inLog, &moved); err != nil {
		return err
	}
	if busy != 0 {
		return errors.New("somebody else reads the database")
	}
	w.logged = 0
	w.synced() // SQLite syncs the log before it moves it
	return nil
}

// untidyPages returns the numbers of the pages of which the write-ahead log has a version with copies of rows in
// its gap. It does not check whether the version was committed or is the latest: a page that is named without need
// costs a look at it, and the page itself is read and written by SQLite.
func untidyPages(dir string) (numbers map[uint32]bool, err error) {
	f, err := os.Open(filepath.Join(dir, walFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	numbers = map[uint32]bool{}
	head, frame := make([]byte, logHead), make([]byte, logFrameHead+pageSize)
	if _, err := f.ReadAt(head, 0); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	for at := int64(logHead); ; at += int64(len(frame)) {
		if _, err := f.ReadAt(frame, at); errors.Is(err, io.EOF) {
			return numbers, nil
		} else if err != nil {
			return nil, err
		}
		if !bytes.Equal(head[16:24], frame[8:16]) {
			return numbers, nil // the rest is from before the log was last written from its start
		}
		number := binary.BigEndian.Uint32(frame)
		if !isBlank(gap(number, frame[logFrameHead:])) {
			numbers[number] = true
		}
	}
}

// tidy overwrites the gaps of the pages that the write-ahead log has, so that none gets into the database with
// copies of rows in it.
func (w *writer) tidy() error {
	numbers, err := untidyPages(w.engine.dir)
	if err != nil || len(numbers) == 0 {
		return err
	}
	g := &group{w: w}
	if err := g.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	for number := range numbers {
		if err := g.tidyPage(number); err != nil {
			return errors.Join(err, g.exec("ROLLBACK"))
		}
	}
	return g.exec("COMMIT")
}

// tidyPage overwrites the gap of a page, if there is something in it. The page keeps its rows, their places and
// its head, so that SQLite reads it as before.
func (g *group) tidyPage(number uint32) error {
	var page []byte
	found := g.w.sql.page.QueryRowContext(background(), number)
	if err := found.Scan(&page); err != nil {
		return err
	}
	empty := gap(number, page)
	if isBlank(empty) {
		return nil
	}
	clear(empty)
	_, err := g.w.sql.updatePage.ExecContext(background(), page, number)
	return err
}
