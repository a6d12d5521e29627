package jetstream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	js "github.com/nats-io/nats.go/jetstream"

	"candor/session/journal"
)

// directory keeps which session is whose, each user in a cell.
type directory struct{ s *store }

// userCell is the name of a user's cell, which says nothing of who they are.
func userCell(user string) string {
	sum := sha256.Sum256([]byte(user))
	return hex.EncodeToString(sum[:])
}

// Open reads the user's cell, or makes it unless another process is first.
func (d directory) Open(ctx context.Context, user, id string) (string, error) {
	value, err := json.Marshal(userEntry{User: []byte(user), Session: []byte(id)})
	if err != nil {
		return "", err
	}
	for range attempts(ctx) {
		// Whoever is second reads what the first wrote, and so does this process if it was not told
		// what became of its own message.
		there, _, err := d.entry(ctx, user)
		if err != nil || there.Session != "" {
			return there.Session, err
		}
		_, err = d.s.setCell(ctx, cellUser, userCell(user), value, 0)
		if err == nil {
			return id, nil
		}
		if !errors.Is(err, journal.ErrConflict) && !errors.Is(err, journal.ErrUnknown) {
			return "", err
		}
	}
	return "", fmt.Errorf("%w: the user's session could not be noted", journal.ErrUnavailable)
}

// entry returns what a user's cell says, and the number of its message, or zeros if there is none.
func (d directory) entry(ctx context.Context, user string) (e journal.Entry, seq uint64, err error) {
	m, err := d.s.cell(ctx, cellUser, userCell(user))
	if err != nil || m.seq == 0 {
		return e, 0, err
	}
	if e, err = decodeEntry(m); err == nil && e.User != user {
		err = fmt.Errorf("%w: the entry of a user names another", journal.ErrDamaged)
	}
	return e, m.seq, err
}

// userEntry is a user's cell. Names may have any bytes.
type userEntry struct{ User, Session []byte }

// decodeEntry reads a user's cell back.
func decodeEntry(m message) (journal.Entry, error) {
	var e userEntry
	if err := json.Unmarshal(m.data, &e); err != nil || len(e.Session) == 0 {
		return journal.Entry{}, fmt.Errorf("%w: the entry of a user in message %d cannot be read",
			journal.ErrDamaged, m.seq)
	}
	return journal.Entry{User: string(e.User), Session: string(e.Session)}, nil
}

// Users yields all users. It fails at its end if a server gave fewer than there are.
func (d directory) Users(ctx context.Context) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		subject := d.s.names.prefix + ".state." + cellUser + ".*"
		before, err := d.s.count(ctx, d.s.names.state(), subject)
		if err != nil {
			yield(journal.Entry{}, err)
			return
		}
		// Any server may answer, so the one that leads says how many there are.
		given := 0
		for m, err := range d.s.all(ctx, d.s.names.state(), subject) {
			var e journal.Entry
			if err == nil {
				e, err = decodeEntry(m)
			}
			if !yield(e, err) || err != nil {
				return
			}
			given++
		}
		after, err := d.s.count(ctx, d.s.names.state(), subject)
		if err == nil && given < min(before, after) {
			err = fmt.Errorf("%w: NATS gave %d of %d users", journal.ErrUnavailable, given, before)
		}
		if err != nil {
			yield(journal.Entry{}, err)
		}
	}
}

// count returns how many subjects have messages, by the server that leads.
func (s *store) count(ctx context.Context, stream, subject string) (int, error) {
	st, err := s.js.Stream(ctx, stream)
	if err != nil {
		return 0, askError(err)
	}
	info, err := st.Info(ctx, js.WithSubjectFilter(subject))
	if err != nil {
		return 0, askError(err)
	}
	return len(info.State.Subjects), nil
}

// Remove ends the user's log with a message that nothing can follow, overwrites all that stands
// before it, and forgets the user last, so that a removal that was cut short can be repeated.
func (d directory) Remove(ctx context.Context, user string) error {
	e, seq, err := d.entry(ctx, user)
	if err != nil || seq == 0 {
		return err
	}
	if err := d.s.everyNode(ctx, e.Session); err != nil {
		return err
	}
	// Nobody can append behind this message, so what stands before it is all there is.
	err = d.s.endWith(ctx, e.Session, func(h head) (record, bool) {
		return record{kind: kindRemoved, first: h.last, last: h.last}, h.kind != kindRemoved
	})
	if err != nil {
		return err
	}
	h, err := d.s.askHead(ctx, e.Session)
	if err != nil {
		return err
	}
	log, subject := d.s.names.log(e.Session)
	if err := d.s.eraseBefore(ctx, log, subject, h.seq); err != nil {
		return err
	}
	if err := snapshots(d).Save(ctx, e.Session, nil); err != nil {
		return err
	}
	for _, kind := range []string{cellErased, cellErasing} {
		if err := d.s.eraseCell(ctx, kind, e.Session, endOfStream); err != nil {
			return err
		}
	}
	return d.s.eraseCell(ctx, cellUser, userCell(user), endOfStream)
}
