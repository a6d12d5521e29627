package journal

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"time"
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

// Errors of leases and commands.
var (
	// ErrHeld means that another process has the lease.
	ErrHeld = errors.New("another process has the lease")
	// ErrLost means that a lease ended before it was renewed, so that another process may have it.
	ErrLost = errors.New("the lease was lost")
	// ErrNobody means that no process serves a command's key.
	ErrNobody = errors.New("no process serves it")
	// ErrTooLarge means that a command or its reply has more bytes than may be sent.
	ErrTooLarge = errors.New("it is too large to send")
)

// Cluster is an engine that several processes share, each with what it needs to know of the
// others.
type Cluster struct {
	Engine
	Feed
	Leases
	Commands
}

// Feed tells in which sessions somebody appended.
type Feed interface {
	// Changes yields a Change after each append of any process, this one included; several
	// appends to a session may become one. The first Change names no session and comes when
	// every later append will be told. The sequence ends with ctx, or with an error.
	Changes(ctx context.Context) iter.Seq2[Change, error]
}

// Change names a session that somebody appended to. It names none if any session may have
// changed, as after a lost connection.
type Change struct{ Session string }

// Leases are held by one process at a time and end by themselves if it dies.
type Leases interface {
	// Acquire takes the lease of a key for a time, of at least a second, or fails with ErrHeld.
	// Whether it was taken is decided by the storage; a process whose lease has ended may not have noticed
	// yet, so what it does has to be fenced by an append of its own.
	Acquire(ctx context.Context, key string, ttl time.Duration) (Lease, error)
	// Freed yields the keys of leases that ended or were released while it runs, some of them twice. It yields
	// an empty key if any lease may have ended: at first, and after a lost connection. It ends with
	// ctx or an error.
	Freed(ctx context.Context) iter.Seq2[string, error]
}

// Lease is a lease that this process holds.
type Lease interface {
	// Fence returns the number of the lease, which is greater than that of any lease of the key before.
	Fence() uint64
	// Renew holds the lease for its time once more. It fails with ErrLost if it had ended.
	Renew(ctx context.Context) error
	// Release ends the lease. A lease that was lost is no error.
	Release(ctx context.Context) error
}

// Handler answers a command.
type Handler func(ctx context.Context, payload []byte) (reply []byte, err error)

// Commands reach the process that serves a key, such as the one that runs a turn.
type Commands interface {
	// Serve answers the commands of a key with do, which may run several times at once, until stop
	// is called; stop waits for those that run.
	Serve(key string, do Handler) (stop func(), err error)
	// Send asks the process that serves a key. It fails at once with ErrNobody if there is
	// none, and with the text of the handler's error if that failed.
	Send(ctx context.Context, key string, payload []byte) (reply []byte, err error)
}

// Index finds the turns and jobs of one session that have words. It is made from the session's log, so it may be
// lost, and is then made anew. All methods are safe for concurrent use.
type Index interface {
	// Put records turns and jobs, each in the place of what the index has of it, and that it has what happened
	// up to an event. It returns how much memory the index takes, 0 if it is in a file.
	Put(docs []IndexDoc, through uint64) (size int, err error)
	// Find returns the latest turns and jobs with most of the terms.
	Find(q IndexQuery) (IndexFound, error)
	// Erase removes a thread's turns up to a number, or all of a thread or job if that is 0. When it
	// returns, their bytes are in none of the index's files. It returns what Put does.
	Erase(place string, through int) (size int, err error)
}

// OpenedIndex is an index that its opener closes, and up to which event of the log it has what happened.
type OpenedIndex struct {
	Index
	Through uint64
	Close   func() error
}

// IndexRef names a turn, by its thread and number, or a job, whose number is 0.
type IndexRef struct {
	Place  string
	Number int
}

// IndexDoc is what an index has of a turn or a job. Words have letters and digits in lower case only.
type IndexDoc struct {
	IndexRef
	Strong, Weak     []string // the words of what was done and why, and the others
	Facets           []string // values that a query may ask for, of letters and digits
	Decisions, Texts int      // that there are to be found
}

// IndexTerm is something to look for.
type IndexTerm struct {
	// Any has lists of words, of which one has to be there completely. A word with a star at its end stands for
	// all that begin with it.
	Any [][]string
	// Near reports whether a word stands for the term where nothing has any of the lists.
	Near func(word string) bool
}

// IndexQuery says what to find: what has most of the terms, and of each group of facets any value.
type IndexQuery struct {
	Terms  []IndexTerm
	Facets [][]string
	Limit  int
}

// IndexFound is what an index finds, the best first, how much there is in it, and up to which event it has what
// happened. More says that there is more than the limit of the query.
type IndexFound struct {
	Refs             []IndexRef
	More             bool
	Through          uint64
	Decisions, Texts int
}
