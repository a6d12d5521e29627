package mew

import (
	"fmt"
	"time"
)

// cancelReasoning stops the turn whose reasoning somebody cancels: its own or one below it.
// Whoever the gateway lets send the message may do so.
func (m *member) cancelReasoning(e envelope) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.running != nil && m.running.owns(e) {
		m.running.interrupt(m.stoppedBy(e))
	}
}

// stoppedBy says who stopped a turn, and why.
func (m *member) stoppedBy(e envelope) string {
	var in struct{ Reason string }
	e.read(&in)
	reason, _ := m.layer().Limit(1000).Mask(oneLine(in.Reason))
	if reason.Empty() {
		return fmt.Sprintf("Stopped by %s.", m.nameOf(e.From))
	}
	return fmt.Sprintf("Stopped by %s: %s", m.nameOf(e.From), reason)
}

// obey does what a message of the group participant/ asks of the participant.
func (m *member) obey(e envelope) {
	if !m.isToMe(e) || !m.isNew(e) {
		return
	}
	switch e.Kind {
	case "participant/pause":
		m.pause(true)
	case "participant/resume":
		m.pause(false)
	case "participant/request-status":
		m.report(e)
	case "participant/forget":
		m.forget(e)
	case "participant/clear":
		m.clear()
	case "participant/compact":
		m.compact(e)
	case "participant/restart":
		m.restart(e)
	case "participant/shutdown":
		m.leave(e)
	}
}

// pause makes the participant fall silent, or go on. While it is silent no turn begins, and what
// the running turn says waits.
func (m *member) pause(paused bool) {
	m.mu.Lock()
	m.paused = paused
	m.mu.Unlock()
	m.out.hold(paused)
	signal(m.wake)
}

// report says how the participant is.
func (m *member) report(e envelope) {
	began := time.Now()
	m.mu.Lock()
	status := "idle"
	switch {
	case m.paused:
		status = "paused"
	case m.running != nil:
		status = "busy"
	}
	payload := object{
		"messages_in_context": m.memory.count(), "tokens": m.memory.tokens(),
		"max_tokens": maxMemoryBytes / bytesPerToken, "status": status, "waiting": len(m.waiting),
	}
	m.mu.Unlock()
	payload["latency_ms"] = time.Since(began).Milliseconds()
	m.tell("participant/status", "", []string{e.From}, payload, e.ID)
}

// forget drops a number of entries of the conversation, from its older or its newer end.
func (m *member) forget(e envelope) {
	in := struct {
		Direction string
		Entries   int
	}{Entries: 1}
	e.read(&in)
	m.mu.Lock()
	defer m.mu.Unlock()
	for ; in.Entries > 0 && len(m.memory.entries) > 0; in.Entries-- {
		at := 0
		if in.Direction == "newest" {
			at = len(m.memory.entries) - 1
		}
		m.memory.forget(at)
	}
}

// clear drops the whole conversation.
func (m *member) clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.memory.clear()
}

// compact drops the oldest entries until the conversation has the size that is asked for, or
// half of what it had, and says how much that was.
func (m *member) compact(e envelope) {
	var in struct {
		Target int `json:"target_tokens"`
	}
	e.read(&in)
	m.mu.Lock()
	messages, tokens := m.memory.count(), m.memory.tokens()
	if in.Target <= 0 {
		in.Target = tokens / 2
	}
	for m.memory.tokens() > in.Target && len(m.memory.entries) > 0 {
		m.memory.forget(0)
	}
	payload := object{
		"freed_messages": messages - m.memory.count(), "freed_tokens": tokens - m.memory.tokens(),
		"status": "compacted",
	}
	if payload["freed_messages"] == 0 {
		payload = object{"skipped": true, "reason": "The conversation is no longer than that."}
	}
	m.mu.Unlock()
	m.tell("participant/compact-done", "", []string{e.From}, payload, e.ID)
}

// restart stops the turn, and forgets what waits and the conversation.
func (m *member) restart(e envelope) {
	m.mu.Lock()
	m.waiting = nil
	m.memory.clear()
	if m.running != nil {
		m.running.interrupt(m.stoppedBy(e))
	}
	m.mu.Unlock()
	m.pause(false)
}

// leave ends the participant's Run. The turn is stopped, and says so.
func (m *member) leave(e envelope) {
	m.mu.Lock()
	m.waiting = nil
	if m.running != nil {
		m.running.interrupt(m.stoppedBy(e))
	}
	m.mu.Unlock()
	m.Log.Info("told to leave the space")
	m.stop(errLeave)
}
