// Package agent runs the loop: a model speaks and calls tools until it answers,
// and every word of why is captured on the way.
//
// A [Dispatcher] runs one turn: it asks a [Provider], records the narrative of
// each step and the rationale of each call through a [Recorder], runs the calls
// of a step together as a batch, and ends with exactly one of
// session.TurnCompleted, TurnFailed or TurnInterrupted. What it records has
// passed package safety; what the model and the tools see within the turn has
// not, since they need the user's own words and the real results.
//
// [Chat] owns the turns of all threads: one at a time in each, the rest waiting
// in order.
//
// Capture never blocks the loop: what cannot be recorded is logged and counted,
// and the turn goes on.
package agent
