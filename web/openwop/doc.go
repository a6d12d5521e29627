// Package openwop shows turns as runs of OpenWOP, an open protocol for workflows that agents
// work on. A turn is a run, and what the agents thought, called and decided in it are its events.
//
// [Projector] converts the events of a session's log into those of a run, and depends on nothing
// but the events it was given, so a live run and a replayed one are equal. [Snapshot] is the state
// of a run. Both know version 1 and 2 of the protocol; names.go has the names of events in both.
// Where the protocol has no member for something, such as a parallel group or the source of a
// rationale, its name begins with "x-candor-".
//
// Payloads are made of cleaned texts, of numbers, and of names that the program itself made
// (the type ours), so nothing else can reach a client.
package openwop
