package session_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"candor/safety"
	"candor/session"
)

// part publishes one part of what an agent says in a step.
func part(s *session.Session, ref session.Ref, step, index int, text string) {
	cleaned, _ := cleaner.Mask(text)
	s.PublishText(session.StepText{Ref: ref, Step: step, Index: index, Text: cleaned})
}

// follow starts a reader behind an event and returns its lines so far: the number of each
// event, and index and text of each part. A reader with a gate waits for it before each line.
func follow(t *testing.T, s *session.Session, after uint64, gate <-chan struct{}) func() []string {
	ctx, cancel := context.WithCancel(t.Context())
	var got []string
	done := make(chan struct{})
	go func() {
		defer close(done)
		for up, err := range s.WatchLive(ctx, after) {
			assert.NoError(t, err)
			if gate != nil {
				<-gate
			}
			if up.Text != nil {
				got = append(got, fmt.Sprintf("%s%d:%d %s", up.Text.Agent, up.Text.Step, up.Text.Index, up.Text.Text))
			} else {
				got = append(got, fmt.Sprint(up.Event.Seq))
			}
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
	return func() []string { synctest.Wait(); return got }
}

func TestPartsOfAStepComeBetweenTheEventsAroundThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, ref := newTurn(t)
		lines := follow(t, s, 0, nil)
		part(s, ref, 1, 0, "I look. ")
		part(s, ref, 1, 1, "Now. ")
		synctest.Wait() // the reader has the parts before what they are parts of
		add(t, s, ref, session.Narrated{Step: 1, Text: safety.Literal("I look. Now.")})
		part(s, ref, 2, 0, "Done. ")
		synctest.Wait()
		add(t, s, ref, session.TurnCompleted{Response: safety.Literal("Done.")})
		assert.Equal(t, []string{"1", "2", "1:0 I look. ", "1:1 Now. ", "3", "2:0 Done. ", "4"}, lines())
		assert.Equal(t, uint64(4), s.Head(), "parts are not in the log")
	})
}

func TestAReaderThatIsBehindGetsThePartsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, ref := newTurn(t)
		gate := make(chan struct{})
		lines := follow(t, s, 1, gate)
		gate <- struct{}{}
		assert.Equal(t, []string{"2"}, lines())
		part(s, ref, 1, 0, "I look. ")
		synctest.Wait() // the reader holds this part while all the rest happens
		add(t, s, ref, session.Narrated{Step: 1, Text: safety.Literal("I look.")})
		part(s, ref, 2, 0, "Done. ")
		part(s, ref, 2, 1, "Really. ")
		add(t, s, ref, session.TurnCompleted{Response: safety.Literal("Done. Really.")})
		close(gate)
		assert.Equal(t, []string{"2", "1:0 I look. ", "3", "2:0 Done. ", "2:1 Really. ", "4"}, lines())
	})
}

func TestALateReaderGetsWhatTheRunningStepHasSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, ref := newTurn(t)
		part(s, ref, 1, 0, "I look. ")
		add(t, s, ref, session.Narrated{Step: 1, Text: safety.Literal("I look.")})
		part(s, ref, 2, 0, "A draft. ")
		part(s, ref, 2, 0, "Done. ")
		sub := ref
		sub.Agent = "a"
		part(s, sub, 1, 0, "I help. ")
		add(t, s, sub, session.Handoff{Call: "call_1", From: "a", Text: safety.Literal("I help.")})
		lines := follow(t, s, 1, nil)
		assert.Equal(t, []string{"2", "3", "4", "2:0 Done. "}, lines(),
			"the texts of settled steps, and what was replaced, are not repeated")
		part(s, ref, 2, 1, "Really. ")
		assert.Equal(t, []string{"2", "3", "4", "2:0 Done. ", "2:1 Really. "}, lines())
		part(s, sub, 2, 0, "More. ")
		add(t, s, ref, session.TurnInterrupted{})
		late := follow(t, s, 5, nil)
		assert.Empty(t, late(), "the end of the turn settles all its agents")
	})
}

func TestAReaderThatIsFarBehindStartsTheRunningStepAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, ref := newTurn(t)
		gate := make(chan struct{})
		lines := follow(t, s, 2, gate)
		synctest.Wait()
		part(s, ref, 1, 0, "First. ")
		synctest.Wait() // the reader holds the first part
		for i := 1; i <= 1000; i++ {
			part(s, ref, 1, i, "And on. ")
		}
		close(gate)
		got := lines()
		assert.Equal(t, "1:0 First. ", got[0])
		assert.Equal(t, "1:0 First. ", got[1], "it has missed parts, so it starts anew")
		assert.Equal(t, "1:1000 And on. ", got[len(got)-1])
		assert.Len(t, got, 1002)
	})
}

func TestASessionKeepsABoundedAmountOfLiveText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, ref := newTurn(t)
		gate := make(chan struct{})
		behind := follow(t, s, 2, gate)
		synctest.Wait()
		part(s, ref, 1, 0, "First. ")
		synctest.Wait()
		for i := 1; i <= 100; i++ {
			part(s, ref, 1, i, strings.Repeat("long ", 2000))
		}
		late := strings.Join(follow(t, s, 2, nil)(), "")
		assert.LessOrEqual(t, len(late), 129<<10)
		close(gate)
		assert.LessOrEqual(t, len(strings.Join(behind(), "")), 400<<10)
	})
}

func TestPartsOfATurnThatDoesNotRunAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, ref := newTurn(t)
		add(t, s, ref, session.TurnInterrupted{})
		lines := follow(t, s, 1, nil)
		part(s, ref, 1, 0, "Too late. ")
		part(s, session.Ref{Thread: ref.Thread, Turn: 7}, 1, 0, "No such turn. ")
		part(s, session.Ref{Thread: "other", Turn: 1}, 1, 0, "No such thread. ")
		assert.Equal(t, []string{"2", "3"}, lines())
	})
}

func TestWatchLiveEndsWithItsContextAndItsLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, ref := newTurn(t)
		for up := range s.WatchLive(t.Context(), 1) {
			assert.Equal(t, uint64(2), up.Event.Seq)
			break
		}
		part(s, ref, 1, 0, "I look. ")
		for up := range s.WatchLive(t.Context(), 2) {
			assert.Equal(t, "I look. ", up.Text.Text.String())
			break
		}
		add(t, s, ref, session.TurnInterrupted{})
		for _, err := range s.WatchLive(t.Context(), 9) {
			assert.ErrorIs(t, err, session.ErrUnknownCursor)
		}
	})
}

// What waits may be stopped while another turn of its thread runs, whose text goes on.
func TestTheEndOfAWaitingTurnLeavesTheTextOfTheRunningOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, ref := newTurn(t)
		waiting := accept(t, s, ref.Thread)
		part(s, ref, 1, 0, "I look. ")
		add(t, s, waiting, session.TurnInterrupted{})
		assert.Equal(t, []string{"1:0 I look. "}, follow(t, s, s.Head(), nil)())
	})
}
