package journal

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
)

// Errors of engines and journals. They may be wrapped with more detail.
var (
	// ErrConflict means that the session's last frame is not the one that the append expected,
	// because somebody else appended. Nothing was kept.
	ErrConflict = errors.New("another writer was first")
	// ErrUnknown means that an engine cannot tell whether it kept a frame.
	ErrUnknown = errors.New("the storage did not say whether it kept it")
	// ErrUnavailable means that an engine cannot keep or read anything for now: its disk is full
	// or cannot be written, or too few of its machines answer. Nothing was kept.
	ErrUnavailable = errors.New("the storage does not take it")
	// ErrDiskFull means that an engine takes only what frees room, because its disk is full. It wraps ErrUnavailable.
	ErrDiskFull = fmt.Errorf("%w: its disk is full", ErrUnavailable)
	// ErrDamaged means that frames are missing or altered. The error is a *Damage.
	ErrDamaged = errors.New("the log is damaged")
	// ErrLocked means that another process uses the same storage.
	ErrLocked = errors.New("another process uses it")
	// ErrClosed means that the engine was closed.
	ErrClosed = errors.New("the storage is closed")
	// ErrNoSnapshot means that an engine has no snapshot of a session.
	ErrNoSnapshot = errors.New("no snapshot")
)

// Damage says where a session's log is damaged. It wraps ErrDamaged.
type Damage struct {
	Session string
	First   uint64 // the numbers of the events concerned; 0 if they are not known
	Last    uint64
	Reason  string // without any text of the events
	Found   []byte // what is in their place, in which anything may be altered; nil if nothing is
}

// Error says which events are concerned and why.
func (d *Damage) Error() string {
	if d.First == 0 {
		return fmt.Sprintf("%v in session %s: %s", ErrDamaged, d.Session, d.Reason)
	}
	if d.First == d.Last {
		return fmt.Sprintf("%v at event %d of session %s: %s", ErrDamaged, d.First, d.Session, d.Reason)
	}
	return fmt.Sprintf("%v at events %d to %d of session %s: %s", ErrDamaged, d.First, d.Last, d.Session, d.Reason)
}

// Unwrap returns ErrDamaged.
func (d *Damage) Unwrap() error { return ErrDamaged }

// Frame is what an engine keeps of one append: the numbers of its events, and its bytes, which
// say more than the numbers and are the journal's own.
type Frame struct {
	First, Last uint64
	Data        []byte
}

// Frames keeps the frames of sessions. All methods are safe for concurrent use.
type Frames interface {
	// Append keeps f as the last frame of a session, whose last frame so far ends at f.First-1, or
	// is none if f.First is 1. It returns when f is as durable as the engine promises. It fails
	// with ErrConflict if the last frame is another, with ErrUnavailable if nothing was kept, and with
	// ErrUnknown if it cannot tell. The end of ctx is one reason for that.
	Append(ctx context.Context, session string, f Frame) error
	// Read yields the frames of a session in order, beginning with the one that has the event
	// with number from, or with the first behind it. It yields those that were there when it began.
	// The caller owns what it gets, and may take its time or call the engine from within the loop.
	// An error ends the sequence, but for a *Damage behind which the caller goes on: what an engine has behind the
	// damage follows. It is ErrConflict if frames that were still to come were replaced, or
	// the session was removed, since the read began; the caller may read again.
	Read(ctx context.Context, session string, from uint64) iter.Seq2[Frame, error]
	// Replace puts each of the frames in the place of all frames of the session within its
	// numbers, all of them or none, and returns when the bytes of the old ones are in none of the
	// engine's files. The frames are in order, do not overlap, and cut no other frame. A frame that
	// is already as given is no error.
	Replace(ctx context.Context, session string, with []Frame) error
}

// Entry is a user and the session that is theirs.
type Entry struct{ User, Session string }

// Directory keeps which session is whose. All methods are safe for concurrent use.
type Directory interface {
	// Open returns the id of the user's session. If the user has none, id, which must be new,
	// becomes it.
	Open(ctx context.Context, user, id string) (session string, err error)
	// Users yields all users, in any order. An error ends the sequence.
	Users(ctx context.Context) iter.Seq2[Entry, error]
	// Remove forgets a user, with all frames and the snapshot of their session, so that their
	// bytes are in none of the engine's files. A user who is not there is no error.
	Remove(ctx context.Context, user string) error
}

// Snapshots keeps the latest snapshot of each session, which is never needed to read a log but
// makes it quicker. All methods are safe for concurrent use.
type Snapshots interface {
	// Save keeps data in the place of the session's snapshot before, whose bytes are then in none
	// of the engine's files. Empty data removes it.
	Save(ctx context.Context, session string, data []byte) error
	// Load returns the session's snapshot, or ErrNoSnapshot. It fails with ErrDamaged if the snapshot
	// is not as it was saved; then the log itself tells the same.
	Load(ctx context.Context, session string) ([]byte, error)
}

// Status is what an engine says of itself. It has no text of users.
type Status struct {
	Name     string   // for people, such as "SQLite in /var/lib/candor"
	Ready    error    // why it can keep nothing now; nil if it can
	Bytes    int64    // that it uses on disk, without what is free to be used again; 0 if unknown
	Waiting  int      // appends that wait to be kept
	Warnings []string // what it found when it was opened, such as loss, in sentences
}

// heldBack is the key of what HeldBack adds to a context.
type heldBack struct{}

// HeldBack returns a context for an append that frees room, or without which a session could not be closed: an
// engine that holds room back for such appends keeps it when it takes no other.
func HeldBack(ctx context.Context) context.Context { return context.WithValue(ctx, heldBack{}, true) }

// MayUseHeldBack reports whether a context comes from HeldBack.
func MayUseHeldBack(ctx context.Context) bool { return ctx.Value(heldBack{}) != nil }

// wanted is the key of what Wanting adds to a context.
type wanted struct{}

// Wanting returns a context for a read of about so many events, so that an engine reads no more at first.
func Wanting(ctx context.Context, events uint64) context.Context {
	return context.WithValue(ctx, wanted{}, events)
}

// Wanted returns how many events a context from Wanting is for, the most there can be for another.
func Wanted(ctx context.Context) uint64 {
	if n, ok := ctx.Value(wanted{}).(uint64); ok {
		return max(1, n)
	}
	return math.MaxUint64
}

// Engine is an opened engine. Whoever opened it closes it, once no journal uses it.
type Engine struct {
	Frames
	Directory
	Snapshots
	Status func() Status
	Close  func() error
	// Size returns how many bytes a session takes; nil if the engine cannot tell.
	Size func(ctx context.Context, session string) (int64, error)
}
