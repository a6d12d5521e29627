package agent

import (
	"context"
	"encoding/json"
)

// Provider is a model. Respond is called from many turns at once; it returns
// when the model has finished speaking, or with an error that wraps ctx's when
// ctx ended first.
type Provider interface {
	Respond(ctx context.Context, req Request) (Response, error)
}

// Request is one step's question to the model.
type Request struct {
	Messages []Message // oldest first; the last is the user's or a tool's
	Tools    []Spec    // what it may call; none means it has to answer in text
}

// Role says who speaks.
type Role string

// The roles a message can have.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one entry of the conversation as the model sees it.
type Message struct {
	Role   Role
	Text   string
	Calls  []Call // RoleAssistant: what it asked for
	CallID string // RoleTool: which call this answers
}

// Response is what the model said: tool calls with text before them, or, without
// calls, its answer.
type Response struct {
	Text  string
	Calls []Call
}

// Call is the model's wish to use a tool. It is raw: nothing in it is cleaned or
// checked.
type Call struct {
	ID        string // the provider's; may be empty or repeated
	Name      string
	Arguments json.RawMessage // as the model wrote them, kept for its own replay
	Reasoning string          // why, where the provider has a place for it
}
