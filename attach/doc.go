// Package attach defines the form in which Candor receives facts about agents that other programs run. The facts arrive
// by several channels: hooks that the agent calls, its session file, its telemetry, and a wrapper around its MCP
// servers.
//
// A [Sighting] is one fact from one channel. The packages below attach turn a program's output into sightings and do
// not know Candor's log: attach/claude does so for Claude Code, for example, and attach/dialect for telemetry. The
// program's own ids join the channels, so that two channels that report the same call yield one decision. Package
// web/attached does the joining.
//
// A sighting holds the other program's text unchanged and not yet cleaned. The server cleans it before it stores any of
// it.
package attach
