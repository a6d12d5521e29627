// Package app assembles Candor from one plain struct of settings: a provider,
// tools, the safety layer, the agent loop, the session store and the HTTP server.
//
// [New] builds a server. It creates the parts in this order, each from those before
// it:
//
//	Settings ─▶ safety.Layer ─▶ model (a provider and what it brings along)
//	         ─▶ team (one dispatcher per agent) ─▶ toolkit (workspace, built-in tools, MCP servers)
//	         ─▶ agent.Chat over a session store ─▶ mew.Server, the gateway of the spaces
//	         ─▶ web.Server, with the routes of AG-UI, OpenWOP and MEW, and the page
//
// [StartInProcess] runs that server over connections in memory, for a conversation in
// the terminal. [NewAgent] builds the agent alone, for a worker. The caller of one of
// the three closes its result; Close stops every goroutine and every child process
// that the parts started.
//
// The package reads the environment for one purpose: the keys, addresses and model
// names of providers, and the variables that --secret-env names. Everything else is in
// [Settings], which package command fills from flags. Errors name the flag at fault,
// and never contain the value of a key or a secret.
//
// To add a provider, add a case to newProvider and to ModelSettings.Describe. To add a
// built-in tool that is off by default, add a case to newToolkit. To add a protocol,
// pass its routes to New, as agui.go does for AG-UI.
package app
