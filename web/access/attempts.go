package access

import (
	"hash/maphash"
	"net"
	"time"

	"golang.org/x/time/rate"
)

// Attempts limits how often an address may try to log in. It uses a fixed amount of
// memory: addresses with the same hash share a limit. It is safe for concurrent use.
type Attempts struct {
	seed   maphash.Seed
	limits [256]*rate.Limiter
}

// loginsPerMinute is how often an address may try per minute, also in one burst.
const loginsPerMinute = 20

// NewAttempts returns limits that no attempt has used.
func NewAttempts() *Attempts {
	a := &Attempts{seed: maphash.MakeSeed()}
	for i := range a.limits {
		a.limits[i] = rate.NewLimiter(rate.Every(time.Minute/loginsPerMinute), loginsPerMinute)
	}
	return a
}

// Allow counts an attempt and reports whether it may proceed. remoteAddr is the
// connection's host:port; an address from a header would be the client's choice.
func (a *Attempts) Allow(remoteAddr string) bool {
	host, _, err := net.SplitHostPort(remoteAddr)
	if err != nil {
		host = remoteAddr
	}
	return a.limits[maphash.String(a.seed, host)%uint64(len(a.limits))].Allow()
}
