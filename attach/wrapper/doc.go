// Package wrapper sits between an MCP client and an MCP server and records which tools are called, and why.
//
// A [Conn] sees each message of one connection. It adds the property rationale to the input schemas that a server
// lists, as Candor's own loop does, removes the property from the arguments of a call before the server sees them, and
// turns each call and its result into sightings (recorder.go). A [Relay] moves the messages: it reads lines from one
// side and writes them to the other. A [Recorder] sends the sightings in parallel with the messages and never delays
// them.
//
// # What stays unchanged
//
// The wrapper changes a message in two cases only, by editing its bytes (scan.go): a list of tools gains the property,
// and arguments lose it. Order, spacing and spelling of everything else stay as their writer chose, also in messages
// that are not JSON, have members twice, or have an unknown method.
//
// The property is removed only where the client has it from a wrapper. A tool that has a property rationale of its own
// keeps it, and so does one whose schema cannot be read as an object: schema.go decides. If a tool is listed twice and
// the two listings give different decisions, its arguments stay unchanged. A tool of which nothing is known loses it:
// the client may have the list of an earlier process. Members that are there twice lose it in each.
//
// # What is recorded
//
// A wrapper sees neither prompts nor the model's text. So its session is the connection: it begins with the first call
// and ends with the connection. A turn is a fixed number of calls. Candor numbers the calls itself, since clients
// number their requests from the start again in each connection. The reason is recorded beside the parameters, which
// are those that the server received. A client may give the reason beside the arguments, too (SEP-2817). A call that
// the server answers with a question, or with a task, has one end: that of the call which answers the question, or of
// the task (later.go).
//
// # Over HTTP
//
// A server that speaks HTTP receives the same bytes, one request per message, and its answers become lines again
// (exchange.go, stream.go). Requests of the newer revisions get the headers that these require (headers.go). If a
// request gets no answer, the wrapper answers it with an error. Conn does not know
// which transport is used.
//
// # Bounds
//
// A message of more than [MaxMessage] bytes is passed on as it arrives and is not recorded. The property is still
// removed if it lies in the part read by then. A bounded number of tools gain the property; further ones stay
// unchanged. Requests that wait for an answer are bounded in number, and waiting facts in bytes; of both the oldest are
// dropped first, and dropped facts are counted.
//
// # Goroutines
//
// A Relay starts none: each direction runs in the goroutine that calls Run. A Recorder has one, from [Record] to
// [Recorder.Close]. A [Remote], which is a server over HTTP, has one per request, one for the server's own stream, one
// that reads the client's messages and one that sends those without an answer, from [Remote.Run] to its return.
//
// To record another kind of message, add its method to Conn.FromClient and a kind of pending request.
package wrapper
