package access

import (
	"hash/maphash"
	"net"
	"net/netip"
	"time"

	"golang.org/x/time/rate"
)

// Attempts limits how often people may try to log in. What fails counts against the address
// that it came from, what succeeds against its user, and so do login codes. An IPv6 address counts
// as its first 64 bits, since whoever has one has all that begin like it. Behind a proxy everybody has the
// proxy's address, and nobody is kept out by the mistakes or the attack of another. Since a
// right guess passes after many wrong ones, a third and wider limit holds for all attempts
// from an address.
//
// Attempts uses a fixed amount of memory: keys with the same hash share a limit. It is safe
// for concurrent use.
type Attempts struct {
	seed                      maphash.Seed
	all, failed, known, codes limits
}

// limits are one for each hash of a key.
type limits [256]*rate.Limiter

// How often something may happen per minute, also in one burst.
const (
	triesPerMinute  = 300 // attempts of any outcome from an address
	loginsPerMinute = 20  // failures from an address; logins of a user, and codes for a user
)

// NewAttempts returns limits that no attempt has used.
func NewAttempts() *Attempts {
	a := &Attempts{seed: maphash.MakeSeed()}
	fill := func(l *limits, perMinute int) {
		for i := range l {
			l[i] = rate.NewLimiter(rate.Every(time.Minute/time.Duration(perMinute)), perMinute)
		}
	}
	fill(&a.all, triesPerMinute)
	fill(&a.failed, loginsPerMinute)
	fill(&a.known, loginsPerMinute)
	fill(&a.codes, loginsPerMinute)
	return a
}

// Begin counts an attempt before it is looked at and reports whether it may be. remoteAddr
// is the connection's host:port; an address from a header would be the client's choice.
func (a *Attempts) Begin(remoteAddr string) bool { return a.allow(&a.all, addressOf(remoteAddr)) }

// Failed counts an attempt with a wrong token or code. It reports false if there were too
// many from this address, which the answer may say instead of what was wrong.
func (a *Attempts) Failed(remoteAddr string) bool { return a.allow(&a.failed, addressOf(remoteAddr)) }

// Known counts a login of a user and reports whether it may proceed.
func (a *Attempts) Known(user string) bool { return a.allow(&a.known, user) }

// Code counts a login code for a user and reports whether there may be one.
func (a *Attempts) Code(user string) bool { return a.allow(&a.codes, user) }

func (a *Attempts) allow(l *limits, key string) bool {
	return l[maphash.String(a.seed, key)%uint64(len(l))].Allow()
}

// networkBits are the bits of an IPv6 address that its holder cannot choose.
const networkBits = 64

// addressOf returns a connection's address without its port, of IPv6 the network.
func addressOf(remoteAddr string) string {
	host, _, err := net.SplitHostPort(remoteAddr)
	if err != nil {
		return remoteAddr
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	if ip = ip.Unmap().WithZone(""); ip.Is6() {
		ip = netip.PrefixFrom(ip, networkBits).Masked().Addr()
	}
	return ip.String()
}
