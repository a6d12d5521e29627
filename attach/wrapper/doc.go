// Package wrapper stands between an MCP client and an MCP server and takes down which tools are called, and why.
//
// A [Conn] sees each message of one connection. It adds the property rationale to the input schemas that a server
// lists, as our own loop does, takes the property out of the arguments of a call before the server sees them, and turns
// each call and its result into sightings (facts.go). [Relay] moves the messages: it reads lines from one side and
// writes them to the other. A [Recorder] sends the sightings, beside the messages and never before them.
//
// # What stays as it is
//
// A message is changed in two cases only, and then by an edit of its bytes (edit.go): a list of tools gains the
// property, and arguments lose it. Order, spacing and spelling of everything else are those of whoever wrote it. That
// goes for messages that are no JSON, have members twice, or have a method that we do not know.
//
// The property is taken out only where this connection added it. A tool that has a property rationale of its own
// keeps it, and so does one whose schema cannot be read as an object: schema.go decides. A tool that is listed twice
// with different answers to that question keeps its arguments as they are.
//
// # What is told
//
// Nobody tells a wrapper of prompts or of what the model said. So its session is a connection, begins with the first
// call, and ends with the connection; a turn is a fixed number of calls. A call is known by a number of ours, as
// clients count their requests anew in each connection. The reason stands beside the parameters, which are those that
// the server got.
//
// # Over HTTP
//
// A server that speaks HTTP gets the same bytes in a request for each message (posting.go), and what it answers becomes
// lines again (exchange.go, stream.go). A request that gets no answer is answered with an error by us. The Conn between
// them knows no difference.
//
// # Bounds
//
// A message of more than [MaxMessage] bytes is passed on as it arrives and is not recorded, but for the property, which
// is still taken out if it stands in the part that was read by then. Tools and calls that are open are bounded in
// number, facts that wait in bytes; the oldest are dropped first, and counted.
//
// # Goroutines
//
// A Relay starts none: its two directions run where they are called. A Recorder has one, from [Record] to
// [Recorder.Close]. A [Remote], which is a server over HTTP, has one for each request, one for the server's own stream,
// one that reads the client's messages and one that sends those without an answer, from [Remote.Run] to its return.
//
// To record another kind of message, add its method to Conn.FromClient and a kind of pending request.
package wrapper
