package attached

import (
	"slices"
	"strings"
	"time"

	"candor/attach"
)

// The bounds of what is remembered of what agents say.
const (
	maxText     = 64 << 10 // of a text that comes in pieces, in bytes
	maxSpeakers = 100      // agents of a session
	maxLate     = 16       // pieces of a text that come once its call has begun
)

// speaker is an agent of a session, with what it said last and the answer of its model that is under way.
type speaker struct {
	pieces []piece // of the text that belongs to the next call, or to the one below
	at     time.Time
	turn   string // that the text was said in
	call   string // that the text belongs to, "" as long as it has not begun
	late   int    // pieces that came once it had

	calls []string // of the answer that is under way, as they began
	told  bool     // that answer has a text
	ended []string // calls of the answer before it
}

// piece is a part of a message that a hook told.
type piece struct {
	message string // its id; "" of agents that name none, whose pieces are complete once a call begins
	index   int    // its place in the message
	text    string
}

// say adds a piece of what the agent says, and returns the text as it is now if its call has begun. The pieces of a
// message belong together, and the last of them may be told when the call has begun: a program shows a line when it
// has ended. So a text that is told first while calls of an answer without one are under way belongs to these calls,
// too. A piece beyond the bound is dropped whole, so that no text is cut where it may hold half a secret.
func (k *speaker) say(s attach.Sighting) []attach.Sighting {
	k.meet(s.Turn)
	p := piece{message: s.Said.Message, index: s.Index, text: strings.Clone(s.Said.Text)}
	if last := len(k.pieces) - 1; k.call != "" && (p.message == "" || p.message != k.pieces[last].message) {
		k.pieces, k.call, k.late = nil, "", 0
	}
	if len(k.text())+len(p.text) > maxText || k.late == maxLate {
		return nil
	}
	if len(k.pieces) == 0 {
		if k.at = s.At; p.message != "" && len(k.calls) > 0 && !k.told {
			k.call, k.told = k.calls[0], true
		}
	}
	k.add(p)
	if k.call == "" {
		return nil
	}
	k.late++
	return []attach.Sighting{k.tell(s)}
}

// meet forgets what was said and called in another turn: that is over, though no hook may have told of its end.
func (k *speaker) meet(turn string) {
	if k.turn == turn {
		return
	}
	ended := k.ended
	if len(k.calls) > 0 {
		ended = k.calls
	}
	*k = speaker{turn: turn, ended: ended}
}

// add puts a piece where its index belongs. One that is told again takes the place of itself.
func (k *speaker) add(p piece) {
	at := len(k.pieces)
	for p.message != "" && at > 0 && k.pieces[at-1].message == p.message && k.pieces[at-1].index >= p.index {
		at--
	}
	if at < len(k.pieces) && k.pieces[at].message == p.message && k.pieces[at].index == p.index {
		k.pieces[at] = p
		return
	}
	k.pieces = slices.Insert(k.pieces, at, p)
}

// begin returns the text that belongs to a call, once it begins. The end of a call, which tells its parameters again,
// takes no text from the call after it.
func (k *speaker) begin(s attach.Sighting) []attach.Sighting {
	if slices.Contains(k.calls, s.Call) || slices.Contains(k.ended, s.Call) {
		return nil
	}
	k.meet(s.Turn)
	if len(k.calls) == 0 {
		k.told = false
	}
	if k.calls = append(k.calls, s.Call); len(k.calls) > maxBatch {
		k.calls = slices.Delete(k.calls, 0, 1)
	}
	if len(k.pieces) == 0 || k.call != "" {
		return nil
	}
	k.call, k.told = s.Call, true
	text := k.tell(s)
	if k.pieces[len(k.pieces)-1].message == "" { // no piece of it follows
		k.pieces, k.call = nil, ""
	}
	return []attach.Sighting{text}
}

// end ends the answer that is under way, whose calls have ended. A text that is told first after that belongs to the
// next answer.
func (k *speaker) end(calls []string) { k.calls, k.ended = nil, slices.Clone(calls) }

// tell returns the text as a sighting beside another one of the same agent.
func (k *speaker) tell(s attach.Sighting) attach.Sighting {
	return attach.Sighting{
		Agent: s.Agent, Session: s.Session, Channel: s.Channel, At: k.at, Turn: s.Turn, Sub: s.Sub,
		Call: k.call, Said: &attach.Said{Text: k.text()},
	}
}

// text returns the pieces as one text, and messages as paragraphs of it.
func (k *speaker) text() string {
	var b strings.Builder
	for i, p := range k.pieces {
		if i > 0 && p.message != k.pieces[i-1].message {
			b.WriteString("\n\n")
		}
		b.WriteString(p.text)
	}
	return b.String()
}
