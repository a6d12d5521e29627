package app

import (
	"candor/attach/claude"
	"candor/attach/codex"
	"candor/safety"
	"candor/session"
	"candor/web"
	"candor/web/attached"
)

// attachedRoutes take what agents do that other programs run.
func attachedRoutes(store session.Store, layer *safety.Layer) []web.Route {
	hooks := map[string]attached.Hook{"claude": claude.Hook, "codex": codex.Hook}
	return attached.New(attached.Options{Store: store, Safety: layer, Hooks: hooks}).Routes()
}
