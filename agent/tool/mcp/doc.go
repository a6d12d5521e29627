// Package mcp gives an agent the tools of Model Context Protocol servers, over stdio or
// streamable HTTP, from a configuration file of the familiar mcpServers shape.
//
// # How it works
//
// [Load] (config.go) parses the file into a [Config]. [Connect] (servers.go) runs one
// supervisor per server (supervisor.go), which opens a session (session.go) over a
// connection: a process (stdio.go, messages.go) or HTTP (http.go). It lists the tools
// (listing.go), checks and converts their schemas (schema.go), and publishes them under names
// that are unique among all servers (names.go). A call (tool.go) goes through the server's
// current session, and its answer is converted for the model (result.go). A new kind of
// transport needs a function that returns a connection, and a case in Endpoint.dialer.
//
// What a server gets wrong is mended before the SDK reads it (mend.go): one bad part of a
// result, or one bad tool of a list, costs only itself.
//
// # Guarantees
//
// Callers never wait for a server to start: Connect returns at once, and servers join as
// they answer. A server that fails is tried again: at once the first time, then after
// pauses that double up to a minute. While it is down its tools stay in the set and fail
// with an error that says so. A call during which its server dies fails at once; it may or
// may not have taken effect, and is never repeated. A call of a tool that its server has
// changed since is not made.
//
// A call ends with its context or at its server's time limit, and the server is notified.
// Data from a server is bounded: 16 MiB per message, 512 tools in 4 MiB of lists, and 1 MiB
// of a result as the model sees it. Images, audio and other binary content are reduced to
// their type and size. Log messages that a server causes are bounded, too: repeated warnings
// are counted.
//
// A server's text is not trusted. It appears only in its own tools' names and descriptions,
// which [Options].Clean has cleaned, and in their results and errors. Logs contain fixed words
// (session.go) and cleaned names. Output of a process to its standard error is discarded, and
// non-messages on its standard output are skipped. A process inherits a few of Candor's
// environment variables (PATH, HOME and the like) in addition to those in its entry.
//
// Candor offers servers no sampling, no elicitation and no roots. Servers do not list tools
// that need one of them, or those tools fail, and say why. A task that a server begins is
// awaited within its call (tasks.go).
//
// # Goroutines
//
// [Servers] owns one goroutine per server, and each session a few more. [Servers.Close]
// ends them all, including the processes, and waits for them.
package mcp
