// Package openwop serves turns as runs of OpenWOP, an open protocol for workflows of agents. A
// turn is a run, and its agents' thoughts, calls and decisions are the run's events.
//
// [Projector] converts the events of a session's log into those of a run. It depends only on these
// events, so a live run and a replayed one are equal. [Snapshot] is the state of a run. Both
// support version 1 and 2 of the protocol; types.go has the names of events in both. If the
// protocol has no member for a fact, such as a parallel group or the source of a rationale, the
// member's name begins with "x-candor-".
//
// Payloads are made of cleaned texts, of numbers, and of names that the program itself made
// (the type ours), so nothing else can reach a client.
package openwop
