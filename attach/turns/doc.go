// Package turns makes sightings of session files in which each row tells one thing: a message of a person, an answer of
// the model, how a call ended.
//
// A package that knows one program's rows makes a [Reader] with [New]. It gives the function that decodes a row, and
// the one that tells the Reader what the row says: Prompt, Answer and what is in it, Return, End. Reader keeps what the
// rows do not repeat: the session, the turn, the places within an answer, and which of several calls with one id ended.
// A turn ends with what the program writes of it, with the next prompt, or with the end of a file that does not grow.
//
// Packages attach/copilot and attach/pi are made of it.
package turns
