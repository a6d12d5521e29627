// Package wire reads the messages of MEW, the protocol of a space that agents and people
// share. It is pure: it does not depend on spaces, participants or sockets.
//
// # Envelopes
//
// [Parse] reads one message into an [Envelope] and keeps its bytes. A gateway broadcasts
// Raw: the bytes that arrived, unchanged. [Envelope.Complete] only adds, at the
// beginning, members that the sender left out. So a context of any shape, the order of
// members and numbers of any length are preserved. A member that occurs twice is
// refused, in the payload, too, because two readers might take different ones.
//
// A message that the gateway does not pass on has a [Refusal], whose code and sentence go
// into a system/error. Neither repeats any of the message.
//
// # Contexts
//
// MEW v0.4 names a context by a path such as "start-id/sub-id". Older drafts and shipped
// agents use objects, or put the context into the payload. [Context] represents all of
// them: a path, and for the object of ADR-k9j its parent and type. The collector decides
// where a path belongs in the tree of a space, and limits depth and length. [Within]
// reports whether a path lies below another.
//
// # Capabilities
//
// A [Capability] is a pattern of kinds and payloads. [Capability.Allows] reports whether it
// admits an envelope, [Covers] whether a participant's capabilities include another, so
// that nobody grants a capability that they lack. [ParseCapability] returns an error for an
// unknown pattern, so that it never matches by accident.
//
// # Drafts
//
// With [Options].Drafts the spellings before v0.4 are read as today's: dot kinds,
// correlationId, a method within the kind, reflection and conclusion, and chat's
// payload.message. Only the parsed fields change, Raw never. To read another spelling,
// add it to the tables in envelope.go.
package wire
