// Package web serves sessions over HTTP: messages in, history out, and what
// happens meanwhile as server-sent events.
//
// Each file holds one group of routes, and each handler reads, makes one call
// and encodes. Every answer that is not a success has one shape, [Problem].
//
// A user sees only their own session. Another user's thread answers exactly like
// one that does not exist.
//
// Nothing here cleans text: what a session holds is cleaned already, and its
// types say so. The package does not know the agent loop; it names the two
// methods it needs of it.
package web
