// Package terminal is Candor for people who live in one: a conversation with the
// reasons in view, and the words in which turns, threads and jobs are shown.
//
// # Layers
//
// At the bottom is [Clean], through which every word of a model, a tool, a worker or
// a server goes before it is printed. Above it, without input or output, are the
// renderers: a [Style] turns a turn into the reasoning block, a [Live] turns events
// into lines as they happen. On top is the [REPL], which reads lines, speaks to a
// server through package client, and prints what the renderers made.
//
// # Guarantees
//
// What is printed holds no control character that did not come from a Style or the
// line editor, no matter what a server sent: no text can move the cursor, set a
// title, ring, make a link, or turn the direction of writing. A Style without color
// adds none at all. A line of any length is cut, so it costs what is shown of it.
package terminal
