// Package settings adds hooks of ours to the settings of other programs, and takes them away again.
//
// The settings are a JSON object whose member hooks has a list of entries by event, as Claude Code has it and others
// after it. Files that people write keep what is in them, in its order; what is not of that form is an error,
// [ErrSettings], and nothing is changed. [Hooks] says what the entries of a program are, and which of those in a file
// are ours; [Commands] are those of a program that runs commands as hooks.
//
// The package knows bytes only: the caller reads and writes the file.
package settings
