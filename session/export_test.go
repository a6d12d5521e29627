package session

import (
	"context"
	"crypto/sha256"

	"candor/session/journal"
)

// CostOf is costOf for tests.
var CostOf = costOf

// Recount computes anew what the session should be charged for its events.
func (s *Session) Recount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := sessionCost
	for _, e := range s.log.events {
		n += costOf(e.Body)
		if _, opens := e.Body.(ThreadOpened); opens {
			n += threadCost - eventCost
		}
	}
	for _, j := range s.jobs {
		if !j.State.Ended() {
			n += jobPromise
		}
	}
	for _, th := range s.threads {
		for _, f := range th.turns[th.ended:] {
			t := f.head
			if !t.State.Ended() && !th.origin.Attached() {
				n += turnPromise
			}
			if t.State == Queued {
				n += t.startCost()
			}
		}
	}
	return n
}

// Codec encodes events and decodes them again, as numbers from first on.
func Codec(id string, first uint64, events []Event) ([]Event, error) {
	return DecodeEvents(id, journal.Batch{
		First: first, Last: first + uint64(len(events)) - 1, Payload: encodeEvents(events),
	})
}

// The decoder, and the encoder of events, for tests.
var (
	DecodeEvents = decodeEvents
	EncodeEvents = encodeEvents
)

// DecodeSnapshot decodes a snapshot and encodes it again.
func DecodeSnapshot(data []byte) (again []byte, ok bool) {
	k, ok := decodeSnapshot(data)
	return k.record(), ok
}

// WithChecksum returns a snapshot's content with the version and the checksum that it needs.
func WithChecksum(content []byte) []byte {
	data := append([]byte{snapshotVersion}, content...)
	sum := sha256.Sum256(data)
	return append(data, sum[:]...)
}

// Unload makes the session hold as little as it can.
func (s *Session) Unload() { s.unload(1 << 40) }

// Charge computes anew what the session should be charged.
func (s *Session) Charge() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.charge() - s.noticed + s.strays()
}

// Batch returns what a reader behind a position gets at a time.
func (s *Session) Batch(after uint64) []Event {
	events, _, _ := s.log.read(context.Background(), after)
	return events
}

// Ratings returns how many ratings the threads of a session have.
func Ratings(s *Session) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ratings()
}

// SetRatings sets how many ratings a thread has.
func SetRatings(s *Session, thread string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.threads[thread].ratings = n
}

// ColdTurns returns how many of the first turns of a thread are not in memory.
func ColdTurns(s *Session, thread string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.threads[thread].cold
}
