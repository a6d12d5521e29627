package agent

import (
	"errors"
	"time"

	"candor/session"
)

// settleEvery is how often the end of a turn is tried to be recorded while the storage takes nothing.
const settleEvery = time.Second

// settle sees to it that a turn has an end: one whose end the storage did not keep fails as soon as it keeps
// anything again. Until then the thread's next messages wait, which could not be recorded either. It
// gives up when the chat is stopped; whoever opens the session next interrupts the turn.
func (c *Chat) settle(p *pending, rec chatRecorder) {
	for {
		t, err := p.session.Turn(p.event.Thread, p.event.Turn)
		if err != nil || t.State.Ended() || t.FirstSeq != p.event.Seq {
			return // it has ended, or its thread was deleted, and another may have begun under its name
		}
		err = rec.Record(session.TurnFailed{Error: notKept})
		if !errors.Is(err, session.ErrStorage) {
			return
		}
		again := time.NewTimer(settleEvery)
		select {
		case <-again.C:
		case <-c.ctx.Done():
			again.Stop()
			return
		}
	}
}
