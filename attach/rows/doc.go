// Package rows has what readers of session files share: files of one JSON value a row, which other programs write and
// which are not trusted.
//
// [Place.Each] reads lines, each of at most [MaxRow] bytes, and remembers how far it came, so that a file that grows is
// read on later. [Shorten] and [BoundJSON] bound what is in a row, [IsID] and [Time] say what is believed of it, and
// [Report] counts what was read and what was lost: whatever a row holds, nothing is made up, and what is not given is
// counted. [Complete] adds to the payload of a hook what its file tells.
//
// The packages that know what the rows of a program mean are beside this one, such as attach/claude.
package rows
