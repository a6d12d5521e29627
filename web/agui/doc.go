// Package agui serves AG-UI, the protocol by which front ends such as CopilotKit run
// agents. POST /agui takes a conversation and streams one run of it, over the same loop
// and the same log as every other route of package web, which mounts [Server.Routes].
//
// # The format
//
// AG-UI is specified at docs.ag-ui.com: the input is its RunAgentInput, and the answer is
// a stream of server-sent events whose data is a JSON event with a "type". types.go has
// the events that are sent, input.go the accepted input. Facts for which AG-UI has no
// member, such as a parallel group or the source of a rationale, are in "metadata" under
// a key that begins with "candor:". Three routes are Candor's own: /agui/capabilities,
// the replay of a thread, and interrupting it.
//
// # Runs and turns
//
// One turn may take several runs. A run ends with its turn, or when the turn cannot
// continue without the front end: a call waits for a person, or for a tool that the
// front end runs. The turn then waits in the log, and the run that brings the answer
// continues it. A front end that disconnects ends its run, never the turn.
//
// # How a request flows
//
// post parses and validates the input, act turns it into answers or a new turn, and stream
// follows the session's log. [Projector] converts each event of the log, together with the
// resulting turn, into AG-UI events. It depends only on these events, so live and replayed runs
// are equal. It closes everything that it opens, in order, and ends each run with one terminal
// event; the verifier in the tests checks it against the rules that AG-UI's own client
// enforces. A call that the front end runs is sent only when it may run, since a front end runs
// every call that it receives. reduce makes snapshots from the projected events, so they
// contain exactly what was streamed, or the latest part that fits.
//
// # Versions
//
// A client of 1.0 sends its version in the input. A client that sends none is treated as
// 0.x, which fails on cancelled runs, on pending calls in an outcome, and on unknown
// types of events. It receives the same facts as values that it knows.
//
// # Reasoning
//
// [Level] limits what a caller is shown. The server's options, the token and the request
// each set a level; the lowest counts. Narratives and rationales are reasoning messages.
// Opaque reasoning that a provider requires back is an encrypted value, which a client
// keeps and returns: on the first call of a step, or on the reasoning message of the step
// that answers. That message precedes the answer, and has no content if there is no
// narrative to show.
//
// AG-UI's own Go SDK is not used: it is untagged, behind version 1.0, and drops members that the model needs back.
//
// To show a new event of the log, add a case to Projector.body, and to reduce if it
// changes a message.
package agui
