// Package agui serves AG-UI, by which front ends run agents: POST /agui takes a
// conversation and streams a run of it, over the same loop and the same log as every
// other route.
//
// # Runs and turns
//
// A turn of ours may take several runs. A run ends where its turn does, or where the
// turn cannot go on without the front end: a call waits for a person, or for the
// front end's own tool. The turn waits in the log; the run that brings the answer
// goes on with it. A front end that leaves ends its run, never the turn.
//
// # Events
//
// [Projector] turns an event of the log, and the turn it led to, into AG-UI events.
// It is pure but for what it has open, so live and replayed runs cannot differ.
// Everything it opens it closes, in order, and each run ends with one terminal event.
// [Verifier] holds it to that, by the rules that the client of AG-UI 1.0 enforces.
//
// # Versions
//
// A client of 1.0 says so in its input. One that says nothing is taken for 0.x, which
// breaks on a run that is cancelled, on pending calls in an outcome, and on kinds of
// events it does not know; it is told the same in older words.
package agui
