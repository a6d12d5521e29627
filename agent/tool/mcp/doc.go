// Package mcp gives an agent the tools of Model Context Protocol servers, over
// stdio or streamable HTTP, from a file of the familiar mcpServers shape.
//
// # Guarantees
//
// [Connect] starts a server's process, or opens a session with it, and keeps it
// up: one that dies is started again, at once the first time and then after
// pauses that double up to a minute. Its tools stay in the set meanwhile and
// answer with an error that says so. A call during which a server dies fails at
// once; it may or may not have taken effect and is not made again.
//
// A call ends with its context, and the server is told. What a server sends is
// bounded: 16 MiB a message, 512 tools, 1 MiB of a result as the model sees it.
// Pictures, sound and other bytes become a note of their type and size.
//
// What a server says is hostile text. Only a tool's own result or error carries
// it; logs and statuses have our words, plus names reduced to safe letters. The
// standard error stream of a process goes nowhere. A process sees a few
// variables of our environment (PATH, HOME and the like) and those its entry
// names, never the rest.
//
// We offer servers no sampling, no elicitation and no roots. A tool that needs
// one of them answers with an error, or a server does not list it to us.
//
// # Goroutines
//
// [Servers] owns one for each server, and each session a few more.
// [Servers.Close] stops them all, processes included, and waits for them.
package mcp
