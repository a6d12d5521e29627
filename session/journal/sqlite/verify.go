package sqlite

import (
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"sync"

	"candor/session/journal"
)

// maxNamed is how many damaged sessions a warning names.
const maxNamed = 10

// findings are what is known to be damaged since the directory was opened. Damage inside a log is not among them: Read
// finds it each time, and goes on behind it.
type findings struct {
	mu     sync.RWMutex
	damage map[string]*journal.Damage // by session
	rows   map[string]row             // of sessions that were found without the tree that should lead to them
	owners map[string]string          // sessions whose user's row is gone, by ownerOf the user
	users  map[string]string          // their sessions, as far as their names are known
	claims map[string]ending          // what the witness says of damaged sessions
	said   []string                   // sentences for the status
}

// of returns the damage of a session; nil if none is known.
func (f *findings) of(session string) error {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if d := f.damage[session]; d != nil {
		return d
	}
	return nil
}

// about returns the damage of a session, nil if none is known, and how the witness says that it ended.
func (f *findings) about(session string) (*journal.Damage, ending) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.damage[session], f.claims[session]
}

// rowOf returns the row of a session to which SQLite does not lead.
func (f *findings) rowOf(session string) (r row, ok bool) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	r, ok = f.rows[session]
	return r, ok
}

// ownedBy returns the session of a user whose row is gone.
func (f *findings) ownedBy(user string) (session string, ok bool) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if session, ok = f.users[user]; !ok {
		session, ok = f.owners[string(ownerOf(user))]
	}
	return session, ok
}

// known returns the users whose rows are damaged and whose names are known.
func (f *findings) known() (all []journal.Entry) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	for _, user := range sortedKeys(f.users) {
		all = append(all, journal.Entry{User: user, Session: f.users[user]})
	}
	return all
}

// warnings returns sentences for the status.
func (f *findings) warnings() []string {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return slices.Clone(f.said)
}

// forget drops what was known of a session that was removed.
func (f *findings) forget(session string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.damage, session)
	delete(f.claims, session)
	delete(f.rows, session)
	for user, s := range f.users {
		if s == session {
			delete(f.users, user)
		}
	}
	for owner, s := range f.owners {
		if s == session {
			delete(f.owners, owner)
		}
	}
}

func (f *findings) say(format string, args ...any) {
	f.said = append(f.said, fmt.Sprintf(format, args...))
}

// inventory is what the database says that it has.
type inventory struct {
	rows    map[string]row
	users   map[string]string // by their sessions
	listed  map[string]bool   // sessions that are found by their names
	altered []string          // what damaged rows say are users
	spoiled int               // rows that are damaged, so that nobody knows whose they were
	broken  []error           // of tables that could not be read to their end
}

// allSessions is the query for the rows of all sessions.
const allSessions = "SELECT id, owner, head, tail, sum, name FROM sessions"

// takeInventory reads the rows of all sessions and users. Where SQLite cannot read on, the rest is missing, and
// compare finds out whose it is. The inventory is as large as the two tables, about 200 bytes for a user, and is
// dropped when Open returns.
func takeInventory(c *sql.Conn) (inv inventory, err error) {
	inv = inventory{rows: map[string]row{}, users: map[string]string{}, listed: map[string]bool{}}
	for text, scan := range map[string]func(*sql.Rows) error{
		allSessions:                            inv.session,
		"SELECT user, session, sum FROM users": inv.user,
		"SELECT name FROM sessions INDEXED BY sqlite_autoindex_sessions_1 ORDER BY name": inv.name,
	} {
		err := eachRow(c, text, scan)
		if isCorrupt(err) {
			inv.broken = append(inv.broken, err)
		} else if err != nil {
			return inv, err
		}
	}
	return inv, nil
}

// eachRow runs a query and calls scan for each of its rows.
func eachRow(c *sql.Conn, text string, scan func(*sql.Rows) error) error {
	rows, err := c.QueryContext(background(), text)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// session takes in a session's row.
func (inv *inventory) session(rows *sql.Rows) error {
	r, ok := scanRow(rows)
	if ok {
		inv.rows[r.name] = r
	} else {
		inv.spoiled++
	}
	return nil
}

// name takes in the name of a session from the index of names.
func (inv *inventory) name(rows *sql.Rows) error {
	var name []byte
	if err := rows.Scan(&name); err == nil {
		inv.listed[string(name)] = true
	}
	return nil
}

// scanRow reads a row of allSessions; ok is false if it is damaged, which may have changed the types of its columns.
func scanRow(rows *sql.Rows) (r row, ok bool) {
	var sum int64
	var name []byte
	err := rows.Scan(&r.id, &r.owner, &r.head, &r.tail, &sum, &name)
	r.name = string(name)
	return r, err == nil && sum == r.sum()
}

// user takes in a user's row.
func (inv *inventory) user(rows *sql.Rows) error {
	var user, session []byte
	var sum int64
	if err := rows.Scan(&user, &session, &sum); err != nil || sum != userSum(user, session) {
		inv.spoiled++
		inv.altered = append(inv.altered, string(user))
	} else {
		inv.users[string(session)] = string(user)
	}
	return nil
}

// compare finds out what is damaged: what the witness or the users name and the database does not have.
//
// Whoever is missed has to be known from somewhere else. A session is named by the witness and by the row of its
// user, a user by the witness and by the row of their session. So one damaged place cannot hide either, and two
// can only if they meet.
func compare(inv inventory, t testimony) *findings {
	f := &findings{damage: map[string]*journal.Damage{}, rows: map[string]row{}, owners: map[string]string{},
		users: map[string]string{}, claims: map[string]ending{}}
	for session, end := range t.firm {
		if d := inv.missing(session, end); d != nil {
			f.damage[session], f.claims[session] = d, end
		}
		if end.owner != "" && inv.users[session] == "" {
			f.owners[end.owner], f.claims[session] = session, end
		}
	}
	for session := range inv.users {
		if _, ok := inv.rows[session]; !ok && f.damage[session] == nil {
			f.damage[session] = &journal.Damage{Session: session, Reason: rowGone}
		}
	}
	for session, r := range inv.rows {
		if len(r.owner) > 0 && inv.users[session] == "" {
			f.owners[string(r.owner)] = session
		}
		if !inv.listed[session] && f.damage[session] == nil {
			f.damage[session], f.rows[session] = &journal.Damage{Session: session, Reason: rowGone}, r
			f.claims[session] = r.ending()
		}
	}
	f.describe(inv, t)
	return f
}

// rowGone is why a session is damaged of which all frames may be there.
const rowGone = "its row is gone or was altered"

// recover finds the rows to which no tree leads, and the users whose rows are damaged, by what else says whose session
// is whose.
func (f *findings) recover(q queryer, inv inventory) error {
	if len(f.damage)+len(f.owners)+inv.spoiled+len(inv.broken) == 0 {
		return nil
	}
	rows, users, err := rowsOf(q)
	if err != nil && !isCorrupt(err) {
		return err
	}
	for session, r := range rows {
		if _, ok := inv.rows[session]; !ok && f.damage[session] != nil {
			f.rows[session] = r
		}
	}
	f.lookUp(q, inv)
	for _, session := range f.owners {
		if r, ok := inv.rows[session]; ok {
			f.rows[session] = r
		}
	}
	for user, session := range users {
		if f.owners[string(ownerOf(user))] == session {
			f.users[user] = session
		}
	}
	for _, name := range inv.altered {
		if user, ok := f.mended(name); ok {
			f.users[user] = f.owners[string(ownerOf(user))]
		}
	}
	return nil
}

// lookUp looks for each row that is there as those who need it do: where a tree is damaged, the way to others may lead
// astray.
func (f *findings) lookUp(q queryer, inv inventory) {
	for session, r := range inv.rows {
		var id int64
		found := q.QueryRowContext(background(), "SELECT id FROM sessions WHERE name = ?", []byte(session))
		if err := found.Scan(&id); err == nil && id == r.id {
			continue
		}
		f.rows[session] = r
		if f.damage[session] == nil {
			f.damage[session] = &journal.Damage{Session: session, Reason: rowGone}
			f.claims[session] = r.ending()
		}
	}
	for session, user := range inv.users {
		var found []byte
		answer := q.QueryRowContext(background(), "SELECT session FROM users WHERE user = ?", []byte(user))
		if err := answer.Scan(&found); err != nil || string(found) != session {
			f.users[user], f.owners[string(ownerOf(user))] = session, session
		}
	}
}

// mended returns the user whose row was damaged, if their name is as it was but for one bit: the session's row has its
// hash.
func (f *findings) mended(name string) (user string, ok bool) {
	for bit := -1; bit < 8*len(name); bit++ {
		raw := []byte(name)
		if bit >= 0 {
			raw[bit/8] ^= 1 << (bit % 8)
		}
		if f.owners[string(ownerOf(string(raw)))] != "" {
			return string(raw), true
		}
	}
	return "", false
}

// missing returns what is gone of a session that ended so; nil if nothing is. A session may have more than the witness
// says, which may lie behind.
func (inv inventory) missing(session string, end ending) *journal.Damage {
	d := &journal.Damage{Session: session, Last: end.last}
	r, ok := inv.rows[session]
	switch {
	case !ok:
		d.Last, d.Reason = 0, rowGone
	case r.head < end.last:
		d.First, d.Reason = r.head+1, "they were kept and are gone"
	case r.head == end.last && end.tail != 0 && r.tail != end.tail:
		d.First, d.Reason = end.last, "another one was kept"
	default:
		return nil
	}
	return d
}

// describe says in sentences what was found, for people who operate Candor. Names of users are not among them; ids of
// sessions are random.
func (f *findings) describe(inv inventory, t testimony) {
	const repair = "stop Candor and restore the directory from a backup, " +
		"or take what is whole with candor backup --salvage"
	named := 0
	for _, session := range sortedKeys(f.damage) {
		if named++; named <= maxNamed {
			f.say("%v; what is whole of the session can be read, and nothing is added to it: %s.", f.damage[session],
				repair)
		}
	}
	if named > maxNamed {
		f.say("%d further sessions are damaged.", named-maxNamed)
	}
	if n := len(f.owners); n > 0 {
		f.say("The rows that name the users of %d sessions are damaged: %s.", n, repair)
	}
	if inv.spoiled > 0 {
		f.say("%d rows of sessions and users are damaged: %s.", inv.spoiled, repair)
	}
	for _, err := range inv.broken {
		f.say("SQLite cannot read all sessions and users (%v): %s.", err, repair)
	}
	for _, session := range sortedKeys(t.soft) {
		if r, ok := inv.rows[session]; !ok || r.head < t.soft[session].last {
			f.say("Session %s ended with event %d, and now it ends with %d: what was behind was not yet on the disk "+
				"when the machine stopped, which --sync interval allows.", session, t.soft[session].last, r.head)
		}
	}
	if t.spoiled > 0 {
		f.say("%d lines of the file witness are damaged, so that a loss in the sessions they named may not be seen.",
			t.spoiled)
	}
	if t.missing && len(inv.rows) > 0 {
		f.say("The file witness is gone or empty, so that nobody can tell whether the ends of sessions are.")
	}
}

// sortedKeys returns the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
