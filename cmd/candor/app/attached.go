package app

import (
	"candor/attach/claude"
	"candor/attach/codex"
	"candor/attach/gemini"
	"candor/attach/opencode"
	"candor/safety"
	"candor/session"
	"candor/web"
	"candor/web/attached"
	"candor/web/telemetry"
)

// newAttached returns what takes in the work of agents that other programs run. Hooks that may wait for a person wait
// as long as calls of our own agent do.
func newAttached(s Settings, store session.Store, layer *safety.Layer) *attached.Server {
	return attached.New(attached.Options{
		Store: store, Safety: layer, Wait: s.ApprovalTimeout,
		Hooks: map[string]attached.Hook{"claude": claude.Hook, "codex": codex.Hook, "gemini": gemini.Hook,
			"opencode": opencode.Hook, "qwen": gemini.QwenHook},
		Askers: map[string]attached.Asker{
			"claude": {Question: claude.Question, Reply: claude.Reply},
			"codex": {Question: codex.Question, Reply: codex.Reply, Escalation: codex.Escalation,
				AllowEscalation: codex.AllowEscalation},
			"gemini":   {Question: gemini.Question, Reply: gemini.Reply},
			"opencode": {Question: opencode.Question, Reply: opencode.Reply},
			"qwen":     {Question: gemini.QwenQuestion, Reply: gemini.Reply},
		},
		Reminders: map[string]func([]byte) any{"claude": claude.Remind, "codex": codex.Remind,
			"gemini": gemini.Remind, "qwen": gemini.RemindQwen},
	})
}

// clean takes secrets out of a text of other programs.
func (a *App) clean(text string) string {
	masked, _ := a.attached.Safety.Mask(text)
	return masked.String()
}

// mountAttached mounts the routes by which agents of other programs report: hooks, sightings and telemetry. It makes
// the server of telemetry, which records by that of the others, and registers its figures.
func (a *App) mountAttached(server *web.Server, figures *metrics) {
	clean := func(user, text string) string {
		masked, _ := a.attached.Safety.By(user).Mask(text)
		return masked.String()
	}
	a.telemetry = telemetry.New(telemetry.Options{Recorder: a.attached, Clean: clean, Log: a.log})
	server.Mount(append(a.attached.Routes(), a.telemetry.Routes()...)...)
	figures.register(telemetryCollector{a.telemetry})
}
