// Package copilot turns the session files of GitHub Copilot CLI into sightings.
//
// The program keeps a session in session-state/ID/events.jsonl below COPILOT_HOME or ~/.copilot. A row is an event: its
// type, id and time, the id of the sub-agent that it is of, and data that depend on the type. kinds, in events.go,
// lists the types that are read; all others are counted. A person's message begins a turn, and its row's id names the
// turn. An answer of the model is one row with its text, its thought and its calls, or several that the program cut out
// of one reply. The requests to the model, which the program calls turns, are no turns here. A turn ends with a row
// that says so, or with the next message of a person.
//
// What the program adds to a message for the model, such as the time, stands beside the message in the row, and in some
// versions in it; strip takes it out.
//
// The first versions kept a session as one JSON value, in history-session-state/session_ID_TIME.json: what the model
// was sent, and what the person saw. Later ones take such a session over into their own files, as one row. legacy.go
// reads both.
//
// The events are those of schemas/session-events.schema.json in @github/copilot-linux-x64 1.0.102, which its program
// unpacks, and of the code of @github/copilot 1.0.12; the value of a whole session is as the code of 1.0.12 reads it,
// and that of 0.0.343 makes it. testdata/session.jsonl is what 1.0.102 wrote with a stand-in model, cleaned;
// testdata/legacy.json is made by hand.
package copilot
