// Package workflow runs workflows as turns of a conversation. The nodes of a workflow work one
// after the other and are recorded in the same log as all turns.
//
// # What it does
//
// A [Catalog] holds the workflows of a server. Each is a [Definition], a JSON file in the folder
// definitions that [Load] reads and checks. Clients start them by their ids, see web/openwop. The
// run of the workflow [Chat] is a turn of the agent's own loop. All others have a runner,
// [Definition.Runner], which package agent lets work on the turn instead. They are fixtures: they
// exist so that clients can be tested, their ids begin with "conformance-", and a server has them
// only if its operator enables them.
//
// # Nodes
//
//	core.noop                     does nothing
//	core.identity                 returns the run's inputs
//	core.delay                    waits
//	core.approvalGate             asks a person, and fails if they refuse
//	core.conformance.messages     folds messages, see [Apply]
//	core.conformance.failure      fails
//	core.conformance.mock-agent   runs an agent whose model follows the node's config
//
// Every node gets the inputs of the run. The types that begin with "core.conformance." are refused
// in workflows whose ids are not those of fixtures.
//
// A mock agent is a real agent with a model that needs no network. It says mockReasoning, makes
// the mockToolCalls one after the other, gives the mockHandoff to another agent, and makes the
// mockDecision with the built-in tool decide. All of this passes the same recording, safety
// layer, operator's rules and questions to persons as for other agents. Its node fails if a
// person refuses the decision.
//
// # What it guarantees
//
//   - A run ends once, as every turn: completed when all nodes have ended, failed with the first
//     node that fails or panics, interrupted when it is stopped. Package agent records that end.
//   - session.NodeStarted and session.NodeEnded enclose the work of a node. The node in which
//     the run was stopped has no end.
//   - A run has cleaned inputs and outputs only. The server of a protocol bounds the inputs.
//   - Two runs of a workflow with equal inputs and answers record the same.
//
// # Where to add things
//
// A workflow is a file in definitions. A type of nodes is a worker, in worker.go or a file of its
// own, and a line in newWorker.
package workflow
