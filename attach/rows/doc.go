// Package rows holds what the readers of session files share. Such a file has one JSON value per row, another program
// writes it, and its content is not trusted.
//
// [Place.Each] reads lines of at most [MaxRow] bytes and remembers the offset, so that a later call continues a file
// that grows. [Shorten] and [BoundJSON] bound the content of a row. [IsID] and [Time] accept only plausible ids and
// times. [Report] counts what was read and what was lost: readers invent nothing, and count what they leave out.
// [Decode] finds the rows in a damaged line, and [Calls] tells apart calls that have one id, or none. [Complete] adds
// to
// a hook's payload what the session file contains.
//
// The packages that know what a program's rows mean are beside this one, such as attach/claude.
package rows
