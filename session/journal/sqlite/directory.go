package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"iter"

	"candor/session/journal"
)

// queryer is a connection or a pool of them.
type queryer interface {
	QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row
}

// Open returns the id of the user's session, which is id if the user has none.
func (e *engine) Open(ctx context.Context, user, id string) (session string, err error) {
	if user == "" || id == "" {
		return "", errors.New("a user and a session need a name")
	}
	session, ok, err := e.sessionOf(ctx, e.reads, user)
	if err == nil && ok {
		return session, nil
	}
	if session, ok := e.findings.ownedBy(user); ok {
		if _, there := e.findings.rowOf(session); there {
			return session, nil // as its own row says
		}
		return "", fmt.Errorf("%w: the row that names this user's session is gone", journal.ErrDamaged)
	}
	if err != nil {
		return "", e.failed(err)
	}
	err = e.writer.submit(ctx, false, func(g *group) (err error) {
		session, err = g.openUser(user, id)
		return err
	})
	return session, err
}

// sessionOf looks up the session of a user; ok is false if they have none.
func (e *engine) sessionOf(ctx context.Context, q queryer, user string) (session string, ok bool, err error) {
	var name []byte
	var sum int64
	err = q.QueryRowContext(context.WithoutCancel(ctx), "SELECT session, sum FROM users WHERE user = ?",
		[]byte(user)).Scan(&name, &sum)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return "", false, nil
	case err != nil:
		return "", false, err
	case sum != userSum([]byte(user), name):
		return "", false, fmt.Errorf("%w: the row that names a user's session was altered", journal.ErrDamaged)
	}
	return string(name), true, nil
}

// userSum returns the checksum of a user's row.
func userSum(user, session []byte) int64 { return checksum(rowUser, nil, user, session) }

// ownerOf returns how the row of a session, and the witness, name its user: by a hash, so that a name that was removed
// is in no file.
func ownerOf(user string) []byte {
	sum := sha256.Sum256([]byte(user))
	return sum[:16]
}

// openUser returns the user's session, which it makes if there is none.
func (g *group) openUser(user, id string) (string, error) {
	session, ok, err := g.w.engine.sessionOf(background(), g.w.conn, user)
	if err != nil || ok {
		return session, err
	}
	if _, taken, err := g.session(id); err != nil || taken {
		return "", errors.Join(err, fmt.Errorf("session %s is not new", id))
	}
	if _, err := g.open(id, ownerOf(user)); err != nil {
		return "", err
	}
	return id, g.exec("INSERT INTO users (user, session, sum) VALUES (?, ?, ?)",
		[]byte(user), []byte(id), userSum([]byte(user), []byte(id)))
}

// userPage is how many users are read at once. Between pages nothing is held, so a user who is added meanwhile may
// be among the rest.
const userPage = 256

// Users yields all users by name, and those whose rows are damaged, as far as their names are known.
func (e *engine) Users(ctx context.Context) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		for _, u := range e.findings.known() {
			if !yield(u, nil) {
				return
			}
		}
		after, more := []byte{}, true
		for more {
			var page []journal.Entry
			var err error
			page, after, more, err = e.usersAfter(ctx, after)
			for _, u := range page {
				if !yield(u, nil) {
					return
				}
			}
			if err != nil {
				yield(journal.Entry{}, e.failed(err))
				return
			}
		}
	}
}

// usersAfter reads some of the users whose names follow after. last is the name of the last of them.
func (e *engine) usersAfter(ctx context.Context, after []byte) (
	page []journal.Entry, last []byte, more bool, err error,
) {
	if err := ctx.Err(); err != nil {
		return nil, nil, false, err
	}
	e.erasing.RLock()
	defer e.erasing.RUnlock()
	rows, err := e.reads.QueryContext(context.WithoutCancel(ctx),
		"SELECT user, session, sum FROM users WHERE user > ? ORDER BY user LIMIT ?", after, userPage)
	if err != nil {
		return nil, nil, false, err
	}
	defer rows.Close()
	read := 0
	for ; rows.Next(); read++ {
		var session []byte
		var sum int64
		if err := rows.Scan(&last, &session, &sum); err == nil && sum == userSum(last, session) {
			page = append(page, journal.Entry{User: string(last), Session: string(session)})
		}
	}
	return page, last, read == userPage, rows.Err()
}

// Remove forgets a user and everything that is kept of their session.
func (e *engine) Remove(ctx context.Context, user string) error {
	return e.writer.submit(ctx, true, func(g *group) error { return g.removeUser(user) })
}

// removeUser deletes the rows of a user, also if those are damaged. If the row of the session itself is damaged,
// nobody knows which frames are the session's, so nothing is deleted and the damage is the answer.
func (g *group) removeUser(user string) error {
	name, ok, err := g.w.engine.sessionOf(background(), g.w.conn, user)
	if err != nil {
		return err
	}
	if !ok {
		if name, ok = g.w.engine.findings.ownedBy(user); !ok {
			return nil
		}
	}
	r, ok, err := g.lookUp(name)
	if err != nil {
		return err
	}
	if !ok {
		return g.w.engine.findings.of(name) // nil unless there are frames that nothing leads to
	}
	return errors.Join(g.removeSession(r), g.exec("DELETE FROM users WHERE user = ? OR session = ?",
		[]byte(user), []byte(name)))
}

// removeSession deletes the rows of a session.
func (g *group) removeSession(r row) error {
	delete(g.rows, r.name)
	g.gone[r.name] = true
	g.before = append(g.before, witnessLine(lineGone, r.name, ending{})...)
	return errors.Join(
		removeIndex(IndexPath(g.w.engine.dir, r.name)),
		g.exec("DELETE FROM frames WHERE id BETWEEN ? AND ?", frameID(r.id, 0), frameID(r.id, maxNumber)),
		g.exec("DELETE FROM snapshots WHERE id = ?", r.id),
		g.exec("DELETE FROM sessions WHERE id = ?", r.id),
	)
}
