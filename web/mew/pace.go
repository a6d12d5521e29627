package mew

import (
	"hash/maphash"
	"time"

	"golang.org/x/time/rate"

	"candor/web/mew/wire"
)

var tooFast = &wire.Refusal{Code: wire.CodeRate,
	Message: "You send faster than the space allows. Wait a moment and send again."}

// pace limits how fast a participant sends: all messages, those of each context, frames of
// streams, and requests. The space's lock guards it.
type pace struct {
	seed          maphash.Seed
	perContext    int
	all, frames   *rate.Limiter
	requests      *rate.Limiter // over HTTP, those that only read included
	contexts      map[uint64]*rate.Limiter
	lastContextAt map[uint64]time.Time
}

// newPace returns a pace of so many messages a second, and so many in one context.
func newPace(perSecond, perContext int) *pace {
	return &pace{
		seed: maphash.MakeSeed(), perContext: perContext,
		all: newLimiter(perSecond), frames: rate.NewLimiter(frameRate, frameRate), requests: newLimiter(requestRate),
		contexts: map[uint64]*rate.Limiter{}, lastContextAt: map[uint64]time.Time{},
	}
}

// newLimiter returns a limiter that lets some seconds' worth pass at once.
func newLimiter(perSecond int) *rate.Limiter {
	return rate.NewLimiter(rate.Limit(perSecond), burstSeconds*perSecond)
}

// take charges a limiter for a message of n bytes.
func take(l *rate.Limiter, n int, now time.Time) error {
	if !l.AllowN(now, min(1+n/paceUnit, l.Burst())) {
		return tooFast
	}
	return nil
}

// takeContext charges a context for a message of n bytes. The main context has no limit of
// its own. Of too many contexts, the one that was used least recently is forgotten: its rate begins
// anew, while that of the participant goes on.
func (p *pace) takeContext(path string, n int, now time.Time) error {
	if path == "" {
		return nil
	}
	key := maphash.String(p.seed, path)
	if p.contexts[key] == nil {
		if len(p.contexts) >= maxPaces {
			p.forgetOldest()
		}
		p.contexts[key] = newLimiter(p.perContext)
	}
	p.lastContextAt[key] = now
	return take(p.contexts[key], n, now)
}

// forgetOldest forgets the context in which nothing was said for the longest time.
func (p *pace) forgetOldest() {
	var oldest uint64
	var since time.Time
	for key, at := range p.lastContextAt {
		if since.IsZero() || at.Before(since) {
			oldest, since = key, at
		}
	}
	delete(p.contexts, oldest)
	delete(p.lastContextAt, oldest)
}

// idSet remembers the ids of a space's latest messages, as hashes under a key of its own.
type idSet struct {
	seed  maphash.Seed
	known map[uint64]use
	order []uint64 // a ring, once it is full
	next  int
}

// use says who has used an id, and in which of its visits to the space.
type use struct {
	by    uint64 // the participant's number, since the participant may be gone
	visit int
}

// newIDSet returns a set that has no id.
func newIDSet() *idSet { return &idSet{seed: maphash.MakeSeed(), known: map[uint64]use{}} }

// taken reports whether a participant may not use the id. Shipped clients count from 1 again when
// they restart, so a participant that has joined anew may use the ids of its earlier visits.
func (s *idSet) taken(id string, m *member) bool {
	used, ok := s.known[maphash.String(s.seed, id)]
	return ok && (used.by != m.number || used.visit == m.visits)
}

// add remembers an id, and forgets the oldest of too many.
func (s *idSet) add(id string, m *member) {
	hash := maphash.String(s.seed, id)
	_, again := s.known[hash]
	s.known[hash] = use{m.number, m.visits}
	if again {
		return
	}
	if len(s.order) < maxIDs {
		s.order = append(s.order, hash)
		return
	}
	delete(s.known, s.order[s.next])
	s.order[s.next] = hash
	s.next = (s.next + 1) % maxIDs
}

// Bounds of what participants can make a gateway hold. docs/limits.md lists those that people meet.
const (
	MaxMessage = 256 << 10 // bytes of a message or a frame

	maxSpaces          = 16       // of an owner
	maxParticipants    = 64       // of a space
	maxEver            = 1024     // participants that a space has had, beyond which only its owner adds more
	maxCapabilities    = 64       // of a participant, those granted included
	maxCapabilityBytes = 32 << 10 // of their JSON, for each participant
	maxLinks           = 64       // sockets and event streams of a space
	maxLinksEach       = 4        // sockets and event streams of a participant
	maxRequestsEach    = 8        // HTTP requests of a participant under way at once
	maxJoining         = 64       // sockets that have not said yet whose they are
	maxJoin            = 4 << 10  // bytes of a message that joins
	maxName            = 64       // bytes of the name of a space or a participant
	maxStreams         = 8        // open streams of a participant
	maxStreamTerms     = 8192     // bytes of a stream's request, which late joiners get

	// More than what one participant may send at once, so that nobody who reads is cut off by it.
	maxQueuedBytes = 4 << 20 // waiting for one socket
	maxQueued      = 8192    // messages waiting for one socket

	maxKept      = 4096    // messages of a space that readers may go back to
	maxKeptBytes = 8 << 20 // of these messages
	maxIDs       = 16384   // ids of a space that are refused as duplicates
	maxPaces     = 64      // contexts of a participant whose rate is counted apart

	maxPage      = 200     // messages of an answer
	maxPageBytes = 1 << 20 // of these messages

	entryCost = 512 // bytes that a kept message takes besides its own
)

// Times of a gateway.
const (
	joinTime    = 10 * time.Second // for a socket to say whose it is
	sendTime    = 10 * time.Second // for a socket to take a message
	goodbyeTime = 2 * time.Second  // for a socket that is closed to take what waits
	pingTime    = 30 * time.Second // between pings of a socket
	expireEvery = 5 * time.Second  // between looks for contexts that have gone idle
)

// The rates of a participant unless the options say otherwise, in messages a second, where
// each 4 KiB of a message count again. Four seconds' worth may come at once. One message of
// 10,000 characters, or twenty a second, are far below.
const (
	DefaultRate        = 200
	DefaultContextRate = 50 // within one context
	frameRate          = 1000
	requestRate        = 100 // over HTTP, reading included
	burstSeconds       = 4
	paceUnit           = 4 << 10
)
