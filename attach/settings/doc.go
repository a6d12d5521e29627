// Package settings adds hooks of ours to the settings of other programs, and takes them away again.
//
// The settings are a JSON object whose member hooks has a list of entries by event, as Claude Code has it and others
// after it. Files that people write keep each byte of what is in them: ours is inserted and cut out again. What is not
// of that form is an error, [ErrSettings], with the place and the cause, and nothing is changed. [Hooks] says what the
// entries of a program are, and which of those in a file are ours; [Commands] are those of a program that runs commands
// as hooks.
//
// # How a file comes back as it was
//
// Nothing of a file but its own bytes remembers what was there before. So the spaces of what is inserted say it:
//
//   - Into an object or a list that was there and empty, the first part is written right behind the bracket. One that
//     was made has a new line there, and is taken away with its last part.
//   - A file that was made begins with a line that has the opening bracket alone; one that was there and empty has an
//     empty line behind that, and its own spaces behind the object.
//   - All else is inserted behind a comma, and cut out with it.
//
// A person or a program that formats the file anew takes these marks away. Then the hooks are still found and taken
// away, but an empty list or object of theirs may go with them, or one of ours may stay.
//
// The package knows bytes only: the caller reads and writes the file.
package settings
