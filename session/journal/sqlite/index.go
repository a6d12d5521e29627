package sqlite

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"candor/session/journal"
)

// indexVersion is the user_version of an index. One of another version is made anew.
const indexVersion = 1

// indexDir is the folder of the indexes beside the database.
const indexDir = "search"

// indexSchema is what an index consists of. texts has the words of each turn or job, docs has which it is, and words
// has each word once, for those that were mistyped.
var indexSchema = []string{
	"CREATE VIRTUAL TABLE texts USING fts5(strong, weak, facet, detail=column, tokenize='ascii')",
	"INSERT INTO texts(texts, rank) VALUES('secure-delete', 1)",
	"CREATE TABLE docs (id INTEGER PRIMARY KEY, place TEXT NOT NULL, number INTEGER NOT NULL," +
		" decisions INTEGER NOT NULL, texts INTEGER NOT NULL, UNIQUE (place, number))",
	"CREATE TABLE words (word TEXT PRIMARY KEY) WITHOUT ROWID",
	"CREATE TABLE state (through INTEGER NOT NULL)",
	fmt.Sprintf("PRAGMA user_version = %d", indexVersion),
}

// searchIndex is the FTS5 index of one session, in a file or in memory. It has one connection, which mu guards.
type searchIndex struct {
	path string

	mu      sync.Mutex
	db      *sql.DB
	counted bool               // found has the decisions and texts of all docs
	found   journal.IndexFound // without refs
}

// IndexPath returns where the index of a session is in a directory.
func IndexPath(dir, session string) string {
	return filepath.Join(dir, indexDir, url.PathEscape(session)+".db")
}

// OpenIndex opens the index in a file, or a new one in memory if path is empty, of a log that ends with the event
// head. A file that is damaged, of another version, or ahead
// of its log, is made anew.
func OpenIndex(path string, head uint64) (opened journal.OpenedIndex, err error) {
	x := &searchIndex{path: path}
	through, err := x.open()
	if err == nil && through > head {
		err = errOtherIndex
	}
	if err != nil && path != "" && (isCorrupt(err) || errors.Is(err, errOtherIndex)) {
		if err = errors.Join(x.close(), removeIndex(path)); err == nil {
			through, err = x.open()
		}
	}
	if err != nil {
		return opened, errors.Join(fmt.Errorf("cannot open the index for searches: %w", translated(err)), x.close())
	}
	x.found.Through = through
	return journal.OpenedIndex{Index: x, Through: through, Close: x.shut}, nil
}

var errOtherIndex = errors.New("the index is of another version or another log")

// removeIndex deletes the files of an index.
func removeIndex(path string) error {
	var errs []error
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + suffix); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// open connects to the database, and makes its tables if it is new.
func (x *searchIndex) open() (through uint64, err error) {
	settings := url.Values{"_dqs": {"0"}, "_pragma": {"secure_delete(on)", "temp_store(memory)",
		"journal_mode(wal)", "synchronous(normal)"}}
	name := ":memory:?" + settings.Encode()
	if x.path != "" {
		if err := os.MkdirAll(filepath.Dir(x.path), dirMode); err != nil {
			return 0, err
		}
		if err := prepareFile(x.path); err != nil {
			return 0, err
		}
		path, err := filepath.Abs(x.path)
		if err != nil {
			return 0, err
		}
		name = (&url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: settings.Encode()}).String()
	}
	if x.db, err = sql.Open("sqlite", name); err != nil {
		return 0, err
	}
	x.db.SetMaxOpenConns(1)
	var version, made int
	if err := errors.Join(
		x.db.QueryRow("PRAGMA user_version").Scan(&version),
		x.db.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&made),
	); err != nil {
		return 0, err
	}
	if made == 0 {
		return 0, x.write(func(tx *sql.Tx) error {
			for _, text := range indexSchema {
				if _, err := tx.Exec(text); err != nil {
					return err
				}
			}
			_, err := tx.Exec("INSERT INTO state VALUES (0)")
			return err
		})
	}
	if version != indexVersion {
		return 0, errOtherIndex
	}
	return through, x.db.QueryRow("SELECT through FROM state").Scan(&through)
}

// shut closes the index once nobody uses it.
func (x *searchIndex) shut() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.close()
}

func (x *searchIndex) close() error {
	if x.db == nil {
		return nil
	}
	err := x.db.Close()
	x.db = nil
	return err
}

// locked calls do with the lock held, unless the index is closed. An index that turns out to be damaged is deleted.
func (x *searchIndex) locked(do func() error) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.db == nil {
		return journal.ErrClosed
	}
	err := do()
	if isCorrupt(err) && x.path != "" {
		return errors.Join(journal.ErrDamaged, x.close(), removeIndex(x.path))
	}
	return translated(err)
}

// write calls do within a transaction.
func (x *searchIndex) write(do func(tx *sql.Tx) error) error {
	tx, err := x.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Put implements journal.Index.
func (x *searchIndex) Put(docs []journal.IndexDoc, through uint64) (size int, err error) {
	err = x.locked(func() error {
		x.counted = false
		disk, free, known := diskSpace(filepath.Dir(x.path))
		if x.path != "" && known && free < 2*min(maxReserve, disk/8) {
			return errNoRoom
		}
		err := x.write(func(tx *sql.Tx) error {
			for _, d := range docs {
				if err := putDoc(tx, d); err != nil {
					return err
				}
			}
			_, err := tx.Exec("UPDATE state SET through = ?", through)
			return err
		})
		if err == nil {
			x.found.Through = through
		}
		return errors.Join(err, x.measure(&size))
	})
	return size, err
}

// errNoRoom means that an index has no room to grow.
var errNoRoom = fmt.Errorf("%w: the disk is nearly full", journal.ErrUnavailable)

// measure sets how much memory an index in memory takes.
func (x *searchIndex) measure(size *int) error {
	if x.path != "" {
		return nil
	}
	return x.db.QueryRow("SELECT (page_count - freelist_count) * page_size" +
		" FROM pragma_page_count, pragma_freelist_count, pragma_page_size").Scan(size)
}

// putDoc records one turn or job. What there was of it goes first.
func putDoc(tx *sql.Tx, d journal.IndexDoc) error {
	if err := eraseDocs(tx, "place = ? AND number = ?", d.Place, d.Number); err != nil {
		return err
	}
	var id int64
	if err := tx.QueryRow("INSERT INTO docs (place, number, decisions, texts) VALUES (?, ?, ?, ?) RETURNING id",
		d.Place, d.Number, d.Decisions, d.Texts).Scan(&id); err != nil {
		return err
	}
	if _, err := tx.Exec("INSERT INTO texts (rowid, strong, weak, facet) VALUES (?, ?, ?, ?)", id,
		strings.Join(d.Strong, " "), strings.Join(d.Weak, " "), strings.Join(d.Facets, " ")); err != nil {
		return err
	}
	words, err := json.Marshal(slices.Concat(d.Strong, d.Weak))
	if err == nil {
		_, err = tx.Exec("INSERT OR IGNORE INTO words SELECT value FROM json_each(?)", string(words))
	}
	return err
}

// eraseDocs removes the turns and jobs for which a condition holds, and the words that no other has.
func eraseDocs(tx *sql.Tx, where string, args ...any) error {
	ids, err := integers(tx.Query("SELECT id FROM docs WHERE "+where, args...))
	if err != nil || len(ids) == 0 {
		return err
	}
	words := map[string]bool{}
	for _, id := range ids {
		var strong, weak string
		if err := tx.QueryRow("SELECT strong, weak FROM texts WHERE rowid = ?", id).Scan(&strong, &weak); err != nil {
			return err
		}
		for _, w := range slices.Concat(strings.Fields(strong), strings.Fields(weak)) {
			words[w] = true
		}
		for _, text := range []string{"DELETE FROM texts WHERE rowid = ?", "DELETE FROM docs WHERE id = ?"} {
			if _, err := tx.Exec(text, id); err != nil {
				return err
			}
		}
	}
	for w := range words {
		if _, err := tx.Exec("DELETE FROM words WHERE word = ? AND NOT EXISTS"+
			" (SELECT 1 FROM texts WHERE texts MATCH ?)", w, "{strong weak}: "+quoted(w)); err != nil {
			return err
		}
	}
	return nil
}

// Erase implements journal.Index.
func (x *searchIndex) Erase(at string, through int) (size int, err error) {
	err = x.locked(func() error {
		x.counted = false
		err := x.write(func(tx *sql.Tx) error {
			if through == 0 {
				return eraseDocs(tx, "place = ?", at)
			}
			return eraseDocs(tx, "place = ? AND number BETWEEN 1 AND ?", at, through)
		})
		if err == nil && x.path != "" {
			err = x.tidy()
		}
		if err != nil && x.path != "" { // as on a full disk: it is made anew, and what was to be erased is gone
			return errors.Join(x.close(), removeIndex(x.path))
		}
		return errors.Join(err, x.measure(&size))
	})
	return size, err
}

// tidy overwrites the gaps of all pages, in which rows that moved have left copies, and empties the log.
func (x *searchIndex) tidy() error {
	if err := x.emptyLog(); err != nil {
		return err
	}
	f, err := os.Open(x.path)
	if err != nil {
		return err
	}
	defer f.Close()
	err = x.write(func(tx *sql.Tx) error {
		page := make([]byte, pageSize)
		for number := uint32(1); ; number++ {
			if n, _ := f.ReadAt(page, int64(number-1)*pageSize); n < pageSize {
				return nil
			}
			empty := gap(number, page)
			if isBlank(empty) {
				continue
			}
			clear(empty)
			if _, err := tx.Exec("UPDATE sqlite_dbpage SET data = ? WHERE pgno = ?", page, number); err != nil {
				return err
			}
		}
	})
	return errors.Join(err, x.emptyLog())
}

// emptyLog moves the write-ahead log into the database.
func (x *searchIndex) emptyLog() error {
	var busy, inLog, moved int
	err := x.db.QueryRow("PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &inLog, &moved)
	if err == nil && busy != 0 {
		return errors.New("somebody else reads the index")
	}
	return err
}

// maxCounted is how many of the latest turns and jobs with a term are compared by how many terms they have, where too
// few have all.
const maxCounted = 20_000

// Find implements journal.Index. It takes the latest that have all terms among what was done and why, then
// those that have all terms, then those that have most.
func (x *searchIndex) Find(q journal.IndexQuery) (found journal.IndexFound, err error) {
	err = x.locked(func() error {
		ids, more, err := x.match(q)
		if err != nil {
			return err
		}
		if err := x.count(); err != nil {
			return err
		}
		found = x.found
		found.More = more
		for _, id := range ids {
			var r journal.IndexRef
			const named = "SELECT place, number FROM docs WHERE id = ?"
			if err := x.db.QueryRow(named, id).Scan(&r.Place, &r.Number); err != nil {
				return err
			}
			found.Refs = append(found.Refs, r)
		}
		return nil
	})
	return found, err
}

// count counts what there is to be found.
func (x *searchIndex) count() error {
	if x.counted {
		return nil
	}
	err := x.db.QueryRow("SELECT coalesce(sum(decisions), 0), coalesce(sum(texts), 0) FROM docs").
		Scan(&x.found.Decisions, &x.found.Texts)
	x.counted = err == nil
	return err
}

// match returns the ids of what answers a query.
func (x *searchIndex) match(q journal.IndexQuery) (ids []int64, more bool, err error) {
	var facets strings.Builder
	for _, values := range q.Facets {
		fmt.Fprintf(&facets, " AND {facet}: (%s)", strings.Join(eachWord(values, quoted), " OR "))
	}
	filter := facets.String()
	var terms []string
	for _, t := range q.Terms {
		term, err := x.term(t)
		if err != nil {
			return nil, false, err
		}
		if term != "" {
			terms = append(terms, term)
		}
	}
	latest := func(match string, limit int) ([]int64, error) {
		return integers(x.db.Query("SELECT rowid FROM texts WHERE texts MATCH ?"+
			" ORDER BY rowid DESC LIMIT ?", match, limit))
	}
	all := strings.Join(terms, " AND ")
	switch {
	case len(q.Terms) == 0 && filter == "":
		ids, err = integers(x.db.Query("SELECT id FROM docs ORDER BY id DESC LIMIT ?", q.Limit+1))
	case len(q.Terms) == 0:
		ids, err = latest(strings.TrimPrefix(filter, " AND "), q.Limit+1)
	case len(terms) > 0:
		if ids, err = latest("{strong}: ("+all+")"+filter, q.Limit+1); err == nil && len(ids) <= q.Limit {
			var rest []int64
			rest, err = latest("{strong weak}: ("+all+")"+filter, q.Limit+1)
			ids = distinct(ids, rest)
		}
		if len(terms) == 1 || err != nil || len(ids) > q.Limit {
			break
		}
		has := map[int64]int{}
		for _, t := range terms {
			some, err := latest("{strong weak}: "+t+filter, maxCounted)
			if err != nil {
				return nil, false, err
			}
			for _, id := range some {
				has[id]++
			}
		}
		rest := make([]int64, 0, len(has))
		for id := range has {
			rest = append(rest, id)
		}
		slices.SortFunc(rest, func(a, b int64) int { return cmp.Or(has[b]-has[a], cmp.Compare(b, a)) })
		ids = distinct(ids, rest)
	}
	return ids[:min(len(ids), q.Limit)], len(ids) > q.Limit, err
}

// term returns a term as FTS5 reads it, "" if nothing has it.
func (x *searchIndex) term(t journal.IndexTerm) (string, error) {
	var any []string
	for _, words := range t.Any {
		any = append(any, "("+strings.Join(eachWord(words, quoted), " AND ")+")")
	}
	term := "(" + strings.Join(any, " OR ") + ")"
	if len(any) > 0 {
		var one int
		err := x.db.QueryRow("SELECT 1 FROM texts WHERE texts MATCH ? LIMIT 1", "{strong weak}: "+term).Scan(&one)
		if !errors.Is(err, sql.ErrNoRows) {
			return term, err
		}
	}
	rows, err := x.db.Query("SELECT word FROM words")
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var near []string
	for rows.Next() && len(near) < maxNearWords {
		var word sql.RawBytes
		if err := rows.Scan(&word); err != nil {
			return "", err
		}
		if w := string(word); t.Near(w) {
			near = append(near, quoted(w))
		}
	}
	if len(near) == 0 {
		return "", rows.Err()
	}
	return "(" + strings.Join(near, " OR ") + ")", rows.Err()
}

// maxNearWords bounds the words that stand for one that nothing has.
const maxNearWords = 64

// quoted returns a word as FTS5 reads it.
func quoted(word string) string {
	if start, ok := strings.CutSuffix(word, "*"); ok {
		return `"` + start + `"*`
	}
	return `"` + word + `"`
}

// eachWord returns what a function makes of each word.
func eachWord(words []string, do func(string) string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = do(w)
	}
	return out
}

// integers reads the only column of rows.
func integers(rows *sql.Rows, err error) (all []int64, _ error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, rows.Err()
}

// distinct adds to ids those of others that are not there.
func distinct(ids, others []int64) []int64 {
	has := map[int64]bool{}
	for _, id := range ids {
		has[id] = true
	}
	for _, id := range others {
		if !has[id] {
			ids = append(ids, id)
		}
	}
	return ids
}
