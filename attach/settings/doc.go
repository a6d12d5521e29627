// Package settings adds Candor's hooks to the settings files of other programs and removes them again.
//
// The settings are a JSON object whose member hooks lists entries by event: the form of Claude Code, which other
// programs have adopted. The package inserts and cuts out its own entries and leaves every other byte as it is. For
// settings of another form it returns [ErrSettings] with the place and the cause, and changes nothing. [Hooks] says
// which entries a program needs and recognizes Candor's entries in a file; [Commands] describes the hooks of a program
// that runs commands as hooks.
//
// # How a file returns to what it was
//
// Only the file itself can record its previous state, so the white space of the inserted text records it:
//
//   - In an object or list that was there and empty, the first part follows the bracket directly. In one that Attach
//     made, it is on a new line, and Detach removes the object or list with its last part.
//   - A file that Attach made begins with a line that holds only the opening bracket. One that was there and empty has
//     an empty line after that, and its own white space after the object.
//   - Everything else is inserted after a comma and cut out with that comma.
//
// A person or a program that reformats the file destroys these marks. Detach then still finds and removes Candor's
// hooks, but may also remove an empty list or object that it did not make, or leave one that it made.
//
// The package handles bytes only: the caller reads and writes the file.
package settings
