package journal

import (
	"context"
	"errors"
	"iter"
	"time"
)

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
