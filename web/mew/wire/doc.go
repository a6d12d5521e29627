// Package wire reads the messages of MEW, the protocol of a space that agents and people
// share. It is pure: it knows no space, no participant and no socket.
//
// # Envelopes
//
// [Parse] reads one message into an [Envelope] and keeps its bytes. What a gateway
// broadcasts is Raw: the bytes that came, with nothing changed. [Envelope.Complete]
// only puts members in front that the sender left out. So a context of any shape, the
// order of members and numbers of any length survive the hop. A member that stands twice
// is refused, because two readers might take different ones; so is one in the payload.
//
// A message that the gateway does not pass on has a [Refusal], whose code and sentence go
// into a system/error. Neither repeats any of the message.
//
// # Contexts
//
// MEW v0.4 names a context by a path such as "start-id/sub-id". Older drafts and shipped
// agents use objects, or put the context into the payload. [Context] is what they all say:
// a path, and for the object of ADR-k9j its parent and type. Where a path belongs in the
// tree of a space is for the collector to decide, and so are limits of depth and length.
// [Within] tells whether a path lies below another.
//
// # Capabilities
//
// A [Capability] is a pattern of kinds and payloads. [Capability.Allows] reports whether it
// admits an envelope, [Covers] whether a participant's capabilities include another, so
// that nobody grants what they lack. A pattern that this package does not know is an error
// of [ParseCapability]; it never matches by accident.
//
// # Drafts
//
// With [Options].Drafts the spellings before v0.4 are read as today's: dot kinds,
// correlationId, a method within the kind, reflection and conclusion, and chat's
// payload.message. Only the parsed fields change, Raw never. To read a further spelling,
// add it to the tables in drafts.go.
package wire
