// Package settings adds hooks of ours to the settings of other programs, and takes them away again.
//
// The settings are a JSON object whose member hooks has a list of entries by event, as Claude Code has it and others
// after it. Files that people write keep each byte of what is in them: ours is inserted and cut out again. What is not of
// that form is an error, [ErrSettings], with the place and the cause, and nothing is changed. [Hooks] says what the entries of a program are, and which of those in a file
// are ours; [Commands] are those of a program that runs commands as hooks.
//
// The package knows bytes only: the caller reads and writes the file.
package settings
