// Package attach has the form in which Candor hears of agents that other programs run, whatever way it hears
// of them: hooks that the agent calls, its session file, its telemetry, a wrapper around its tools.
//
// A [Sighting] is one fact of one channel. The packages below turn what a program writes into sightings and know
// nothing of Candor's log: attach/claude those of Claude Code, attach/dialect those of
// telemetry. The program's own ids join the channels, so that two
// of them that tell of the same call are one decision; see package web/attached, which does it.
//
// What is here is text of strangers, as it came: nothing of it is clean. The server cleans it before anything keeps it.
package attach
