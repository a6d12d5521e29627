// Package client is the Go client of the chat API: it sends messages to a Candor
// server and reads the agent's decisions and reasons, live and afterwards.
//
//	c, err := client.New("http://127.0.0.1:8080", token)
//	sent, err := c.Send(ctx, "", "what time is it?")
//	for e, err := range c.Events(ctx, client.Stream{Threads: []string{sent.ThreadID}}) { … }
//
// chat.go has a method for each route, events.go the event stream, types.go the data.
// [candor/web/view] makes the same data on the server. A new member of the API is a
// field here; programs that need members this package does not know find them in
// Turn.Raw and Event.Raw.
//
// # Guarantees
//
// A Client is safe for concurrent use. It starts no goroutine that outlives a call,
// and never repeats a request that changes something. It follows no redirect, so the
// token reaches no other server. What it reads of an answer or an event is bounded.
//
// [Client.Events] yields every event once and in order, whatever happens to the
// connection: it reconnects and continues behind the last event.
//
// Errors are of three kinds: *[Error], a refusal with a code and the server's words;
// *[Unreachable], a server that does not answer; and the error of the caller's
// context. None of them repeats the token or what the user wrote.
//
// # What it does not do
//
// Text is passed on as the server sent it. A program that shows it to a person must
// make it safe for the output, as terminal.Clean does for terminals.
package client
