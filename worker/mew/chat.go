package mew

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"candor/agent"
	"candor/session"
)

// maxWaiting is how many chats wait for their turn.
const maxWaiting = 16

// hearChat keeps a chat in the conversation, or makes it wait for a turn if it is a question for
// the participant.
func (m *member) hearChat(e envelope) {
	switch e.Kind {
	case "chat/cancel":
		m.cancelChat(e)
		return
	case "chat":
	default:
		return
	}
	text := textOf(e)
	if text == "" || !m.isNew(e) {
		return
	}
	if m.isQuestion(e, text) {
		m.enqueue(e)
		return
	}
	if len(e.contexts()) == 0 || m.isMine(e) {
		from := m.heard(e.From, text)
		m.mu.Lock()
		m.memory.add(from)
		m.mu.Unlock()
	}
}

// textOf returns a chat's text.
func textOf(e envelope) string {
	var in struct{ Text, Message string }
	e.read(&in)
	if in.Text == "" {
		return strings.TrimSpace(in.Message) // as drafts of the protocol had it
	}
	return strings.TrimSpace(in.Text)
}

// isQuestion reports whether a chat begins a turn. An answer to something that the participant
// said does so only if it is addressed to it, so that two agents that mention each other do not
// go on for ever.
func (m *member) isQuestion(e envelope, text string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case slices.Contains(e.To, m.id):
		return true
	case len(e.To) > 0 || len(e.contexts()) > 0:
		return false
	case len(e.Correlation) > 0:
		return mentions(text, m.id) && !m.memory.said(e.Correlation)
	}
	return mentions(text, m.id) || !m.AddressedOnly
}

// mentions reports whether a text has an id after an @, as a word of its own.
func mentions(text, id string) bool {
	for rest := text; ; {
		_, after, found := strings.Cut(rest, "@"+id)
		if !found {
			return false
		}
		next, _ := utf8.DecodeRuneInString(after)
		if after == "" || !unicode.IsLetter(next) && !unicode.IsDigit(next) && next != '_' && next != '-' {
			return true
		}
		rest = after
	}
}

// isMine reports whether a message belongs to the reasoning of the turn that runs.
func (m *member) isMine(e envelope) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.running != nil && m.running.owns(e)
}

// enqueue makes a chat wait for its turn, and acknowledges it if it cannot begin at once.
func (m *member) enqueue(e envelope) {
	m.mu.Lock()
	status := ""
	switch {
	case len(m.waiting) >= maxWaiting:
		status = "rejected"
	case m.running != nil || m.paused || len(m.waiting) > 0:
		status = "queued"
	}
	if status != "rejected" {
		m.waiting = append(m.waiting, e)
	}
	m.mu.Unlock()
	signal(m.wake)
	switch status {
	case "queued":
		m.tell("chat/acknowledge", "", []string{e.From}, object{"status": status}, e.ID)
	case "rejected":
		m.tell("chat/acknowledge", "", []string{e.From},
			object{"status": status, "reason": "Too many questions wait already; ask again later."}, e.ID)
	}
}

// cancelChat forgets a question whose author takes it back, or stops its turn.
func (m *member) cancelChat(e envelope) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waiting = slices.DeleteFunc(m.waiting, func(q envelope) bool { return q.From == e.From && e.names(q.ID) })
	if t := m.running; t != nil && t.trigger.From == e.From && e.names(t.trigger.ID) {
		t.interrupt(m.stoppedBy(e))
	}
}

// runTurns answers questions one after the other until ctx ends.
func (m *member) runTurns(ctx context.Context) {
	for {
		if q, ok := m.nextQuestion(); ok {
			m.answer(ctx, q)
			continue
		}
		select {
		case <-m.wake:
		case <-ctx.Done():
			return
		}
		if ctx.Err() != nil {
			return
		}
	}
}

// nextQuestion takes the question that has waited for longest, unless the participant is paused.
func (m *member) nextQuestion() (q envelope, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.paused || len(m.waiting) == 0 {
		return envelope{}, false
	}
	q, m.waiting = m.waiting[0], m.waiting[1:]
	return q, true
}

// answer runs the turn of a question.
func (m *member) answer(ctx context.Context, q envelope) {
	ctx, cancel := context.WithCancelCause(agent.WithUser(ctx, m.user()))
	defer cancel(nil)
	question := attributed(m.nameOf(q.From), textOf(q))
	t := newTurn(m, q, cancel)
	m.mu.Lock()
	if ctx.Err() != nil {
		m.mu.Unlock()
		return
	}
	m.running = t
	messages := append(m.memory.messages(m.id), agent.Message{Role: agent.RoleUser, Text: question})
	m.mu.Unlock()
	t.begin(question)
	err := m.Dispatcher.Run(ctx, t.newRecorder(), messages, t.peerTools()...)
	t.finish()
	m.mu.Lock()
	m.running = nil
	folded, said := t.folded()
	m.memory.add(newEntry(agent.Conversation([]session.Turn{folded}, nil), said...))
	m.mu.Unlock()
	m.Log.Info("turn ended", "interrupted", errors.Is(err, context.Canceled), "failed", err != nil)
}
