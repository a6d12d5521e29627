package web

import "sync/atomic"

// Load is what a server has open now, and what became of its event streams since it was made.
// Streams are those of chats and jobs; the streams of protocols are requests of their own.
type Load struct {
	Streams  int // open event streams, of all users
	Requests int // under way, of all users and workers, streams not counted

	Resumed  uint64 // streams that continued from a position that their client named
	Resynced uint64 // times that a client was told that its position is gone
	CutOff   uint64 // streams that ended because their client did not read
	Guesses  uint64 // known secrets in texts of people who do not own them
}

// Load returns what the server has open, and its counts.
func (s *Server) Load() Load {
	_, streams := s.open.count("")
	_, requests := s.requests.count("")
	return Load{
		Streams: streams, Requests: requests, Resumed: s.resumed.Load(), Resynced: s.resynced.Load(),
		CutOff: s.streams.CutOff(), Guesses: s.options.Guesses.Total(),
	}
}

// streamCounts count what became of event streams. They are safe for concurrent use.
type streamCounts struct{ resumed, resynced atomic.Uint64 }
