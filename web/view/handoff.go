package view

import (
	"time"

	"candor/safety"
	"candor/session"
)

// HandoffInfo is a task that one agent gave another, or the answer to it.
type HandoffInfo struct {
	CallID string      `json:"call_id"`
	From   string      `json:"from"` // empty for the main agent
	To     string      `json:"to"`
	Text   safety.Text `json:"text"`
	At     time.Time   `json:"at"`
	profile
}

// profile says who the agent is that gets a task, for people: its name, which other agents may have too, its model and
// the effort of reasoning that the model is told to make. What is not known is absent, as is all of it from an answer.
type profile struct {
	Name   *safety.Text `json:"name,omitempty"`
	Model  *safety.Text `json:"model,omitempty"`
	Effort *safety.Text `json:"effort,omitempty"`
}

func profileOf(p session.Profile) profile {
	return profile{orNull(p.Name), orNull(p.Model), orNull(p.Effort)}
}

// handoffFrame tells what one agent gave another, or got back.
type handoffFrame struct {
	frameHead
	CallID string      `json:"call_id"`
	From   string      `json:"from"`
	To     string      `json:"to"`
	Text   safety.Text `json:"text"`
	profile
}
