// Package agent runs the loop in which a model writes text and calls tools until it
// answers, and records why it makes each call.
//
// # What it does
//
// A [Dispatcher] runs one turn of a conversation. It asks a [Provider], records the narrative of
// each step and the rationale of each call through a [Recorder], runs the calls of a step
// together as a batch, and returns the results to the model. A [Chat] decides when turns run:
// one at a time in each thread, the others waiting in order. A [Delegate] is a tool that runs
// another agent within the same turn. A turn may have a [Runner] instead of the loop, such as
// the runs of package workflow.
//
// # The path of one call
//
//	Provider.Respond         provider.go       the model names a tool, arguments and perhaps a reason
//	agentRun.step            loop.go           the text before the calls becomes the step's narrative
//	batch.preflight, check   batch.go          known tool? arguments fit the schema? policy agrees?
//	batch.takeStated         rationale.go      the reason and the confidence are removed from the arguments
//	batch.recordCall         batch.go          records ToolCalled: cleaned reason, parameters and name
//	rationale                rationale.go      chooses the reason: argument, provider's field, fallback
//	thinking.Strip           safety/thinking   drops private thoughts from the reason
//	safety.Layer.Clean       package safety    masks secrets, or withholds the text
//	batch.confidence         confidence.go     compares how sure the model is with the threshold
//	batch.requestApproval    approval.go       asks a person where the tool, what safety found or a doubt requires it
//	batch.run, runOne        batch.go          runs the tool, or waits for approval or the front end
//	batch.postflight         batch.go          records ToolReturned: cleaned result or error
//	Recorder.Record          recorder.go       appends to a thread's log (chat_recorder.go) or a job's
//
// # What it guarantees
//
//   - A turn ends with exactly one of session.TurnCompleted, session.TurnFailed and
//     session.TurnInterrupted, even when a provider, a tool or a runner panics.
//   - Every ToolCalled event has a rationale that is not empty. Its source says
//     whether the model wrote it or the fallback replaces a missing one.
//   - Every recorded text has passed package safety. The model and the tools of the
//     running turn see raw text, because they need the user's own words and the real
//     results; later turns are rebuilt from the cleaned log ([Conversation]).
//   - Recording never blocks the loop: an event that cannot be recorded is counted
//     and logged, and the turn continues.
//   - A turn is bounded in steps ([DefaultMaxSteps]), in calls per step, in depth of
//     delegation, and in memory ([DefaultMaxTurnBytes]).
//
// # Where to add things
//
// A model is a new Provider, in a folder of its own under agent/provider. A tool
// implements [Tool]; agent/tool has helpers for typed Go functions. A rule about which
// calls may run is a [Policy]. A destination for events implements [Recorder] and, if
// it can, [Approver], [AgentRecorder], [OpaqueKeeper] and [FrontEndRunner].
package agent
