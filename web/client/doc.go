// Package client is what a program in Go needs to chat with a Candor server and to
// watch why its agent does what it does.
//
//	c, err := client.New("http://127.0.0.1:8080", token)
//	sent, err := c.Send(ctx, "", "what time is it?")
//	for e, err := range c.Events(ctx, client.Stream{Threads: []string{sent.ThreadID}}) { … }
//
// # Guarantees
//
// A Client is safe for concurrent use, starts no goroutine that outlives a call, and
// repeats no request that changes something. It follows no redirect, so that the
// token reaches no other server. What it reads of an answer or an event is bounded.
//
// [Client.Events] yields every event once and in order, whatever happens to the
// connection: it comes back by itself and goes on behind the last event it saw.
//
// # What it does not do
//
// Text is what the server sent, as it came. Whoever shows it to a person has to make
// it safe for where it is shown.
package client
