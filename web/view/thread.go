package view

import (
	"time"

	"candor/session"
)

// ThreadInfo describes a conversation. TurnCount includes turns that wait, failed, or were
// dropped from memory, which DroppedTurns counts alone. Title is absent until the first
// message. PendingRequests has the request_id of each call that waits for a person.
type ThreadInfo struct {
	ID        string    `json:"id"`
	State     string    `json:"state"` // idle or processing
	TurnCount int       `json:"turn_count"`
	Title     string    `json:"title,omitempty"` // the start of its first message
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`

	PendingRequests []string `json:"pending_requests,omitempty"`

	DroppedTurns int         `json:"dropped_turns,omitempty"`
	Origin       *OriginInfo `json:"origin,omitempty"` // of an observed thread: whose turns it has

	Attached *AttachedInfo `json:"attached,omitempty"` // of the session of another program's agent
}

// maxTitle is the length of a thread's title in characters.
const maxTitle = 80

// Thread describes t. Every state but processing is shown as idle.
func Thread(t session.Thread) ThreadInfo {
	state := "idle"
	if t.State == session.Processing {
		state = "processing"
	}
	return ThreadInfo{
		ID: t.ID, State: state, TurnCount: t.Turns, Title: truncate(t.Title.String(), maxTitle),
		CreatedAt: t.CreatedAt, UpdatedAt: t.UpdatedAt, DroppedTurns: t.Dropped,
		PendingRequests: t.Requests, Origin: originInfo(t.Origin), Attached: attachedInfo(t),
	}
}

// truncate shortens text to a number of characters and appends an ellipsis if it
// cut any off.
func truncate(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	n := 0
	for i := range text {
		if n++; n > limit {
			return text[:i] + "…"
		}
	}
	return text
}
