package app

import (
	"candor/attach/claude"
	"candor/attach/codex"
	"candor/attach/gemini"
	"candor/safety"
	"candor/session"
	"candor/web/attached"
)

// newAttached returns what takes in the work of agents that other programs run. Hooks that may wait for a person wait
// as long as calls of our own agent do.
func newAttached(s Settings, store session.Store, layer *safety.Layer) *attached.Server {
	return attached.New(attached.Options{
		Store: store, Safety: layer, Wait: s.ApprovalTimeout,
		Hooks:  map[string]attached.Hook{"claude": claude.Hook, "codex": codex.Hook, "gemini": gemini.Hook},
		Askers: map[string]attached.Asker{"claude": {Question: claude.Question, Reply: claude.Reply}},
	})
}
