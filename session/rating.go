package session

import (
	"errors"
	"fmt"
	"time"

	"candor/safety"
)

// Rating says what a person thinks of a decision.
type Rating string

// The ratings.
const (
	Good    Rating = "good"
	Bad     Rating = "bad"
	Unrated Rating = "none" // withdraws the rating before
)

// Known reports whether the rating is one of the three.
func (r Rating) Known() bool { return r == Good || r == Bad || r == Unrated }

// The bounds of ratings, those that were changed or withdrawn included.
const (
	MaxCallRatings = 20     // of one decision
	MaxRatings     = 10_000 // of all decisions in a session's threads
)

// A rating is about one call of one turn. It is no part of what the agents did: no model sees it, and
// neither the state of a turn nor the order of conversations depends on it.

// DecisionRated records what the user of the session thinks of a decision. The latest rating of a
// decision stands. It may come at any time, also long after the turn has ended.
type DecisionRated struct {
	Call     string
	Rating   Rating
	Note     safety.Text // why, in the user's words; may be empty
	Findings []safety.Finding
}

// Feedback is the rating of a decision that stands.
type Feedback struct {
	Rating Rating      // Good or Bad
	Note   safety.Text // may be empty
	At     time.Time
}

// Verdict returns the rating, "" where there is no feedback.
func (f *Feedback) Verdict() Rating {
	if f == nil {
		return ""
	}
	return f.Rating
}

// Why returns the words of the note, "" where there is no feedback, or none with words.
func (f *Feedback) Why() string {
	if f == nil {
		return ""
	}
	return f.Note.String()
}

// rateTries is how often a turn in the storage is read until it stays as it is.
const rateTries = 10

// errRatedMeanwhile means that a turn in the storage has got another event since it was read.
var errRatedMeanwhile = errors.New("the turn has changed meanwhile")

// Rate records what the user thinks of a decision of a turn, which may be open or have ended. A
// rating that stands already is not recorded again. Rate fails with ErrNoThread, ErrNoTurn,
// ErrDropped, ErrNoCall or ErrTooManyRatings, and with ErrFull, ErrServerFull or ErrStorage; it
// then changes nothing.
func (s *Session) Rate(ref Ref, b DecisionRated) error {
	for range rateTries {
		t, err := s.Turn(ref.Thread, ref.Turn)
		if err == nil {
			err = s.rate(t, ref, b)
		}
		if err != errRatedMeanwhile {
			return err
		}
	}
	return fmt.Errorf("%w: turn %d is not what was read of it", ErrStorage, ref.Turn)
}

// rate records a rating of a call of t, which is used where the turn is not in memory.
func (s *Session) rate(t Turn, ref Ref, b DecisionRated) error {
	cost := costOf(b)
	return s.charged(cost, func() (int, error) {
		th, err := s.lookup(ref.Thread)
		if err != nil {
			return 0, err
		}
		// Where the turn is in memory, that is how it is now. Else it is as it was read, unless it has
		// got another event since then.
		now := t
		f, err := th.turn(ref.Turn)
		switch {
		case err == errCold && th.mark(ref.Turn).last != t.LastSeq:
			return 0, errRatedMeanwhile
		case err == nil:
			now = f.turn()
		case err != errCold:
			return 0, err
		}
		c, known := now.Call(b.Call)
		switch {
		case !known:
			return 0, fmt.Errorf("turn %d: %w", ref.Turn, ErrNoCall)
		case c.Feedback.says(b):
			return 0, nil // and nothing is used up
		case c.ratings >= MaxCallRatings, s.ratings() >= MaxRatings:
			return 0, ErrTooManyRatings
		}
		_, err = s.add(Ref{Thread: ref.Thread, Turn: ref.Turn, Agent: c.Agent}, b)
		return cost, err
	})
}

// says reports whether the feedback, nil for none, is what a rating would make it.
func (f *Feedback) says(b DecisionRated) bool {
	if f == nil || b.Rating == Unrated {
		return f == nil && b.Rating == Unrated
	}
	return f.Rating == b.Rating && f.Note.String() == b.Note.String()
}

// ratings returns how many ratings the threads of the session have. The caller holds mu.
func (s *Session) ratings() (n int) {
	for _, th := range s.threads {
		n += th.ratings
	}
	return n
}

// rate returns the turn with the rating of one of its calls. An unknown call, which [Session.Rate]
// refuses, changes nothing but what safety found.
func (t Turn) rate(e Event, b DecisionRated) Turn {
	t.Steps = t.editCall(b.Call, func(c *Call) {
		c.ratings++
		if c.Feedback = nil; b.Rating != Unrated {
			c.Feedback = &Feedback{b.Rating, b.Note, e.At}
		}
	})
	t.Findings = Merge(t.Findings, b.Findings)
	return t.remember(b.Call)
}
