package dialect

import (
	"slices"
	"strings"
)

// What may be lost of a span or a record.
const (
	// Without its ids a span can neither be joined with others nor be known a second time. One of another length is
	// none, also that of the span around it.
	noIDs = "a span without ids"
	// A model's call that no channel could join. The span of a tool needs none: it is matched.
	noCallID = "a call without an id"
	// Nothing could be shown of such a call.
	noTool = "a call without its tool"
	// The writer was not told to write content, or is of a version that does not.
	noMessages = "a model call without gen_ai.output.messages"
	// The AI SDK before version 7 writes calls as JSON in a string, which may be cut.
	badCalls = "ai.response.toolCalls that cannot be read"
	// Every record that is read names its session in the programs' present versions.
	noSession = "a record without its session"
	// A person did not release texts: OTEL_LOG_USER_PROMPTS and OTEL_LOG_ASSISTANT_RESPONSES do.
	keptPrompt = "a prompt that the agent keeps back"
	keptText   = "a text that the agent keeps back"
	// A newer version of the program writes it.
	newEvent = "an event that is not read"
	// It has attributes of agents or models, in a dialect that nobody here knows, or of a kind that is new to us.
	newKind = "a span of a kind that is not read"

	// Unmatched is the loss of the spans of tools that Traces.Unmatched counts.
	Unmatched = "a tool without a call's id that fits none or several"
)

// Losses returns all values of Loss.What.
func Losses() []string {
	return slices.Clone([]string{
		noIDs, noCallID, noTool, noMessages, badCalls, noSession, keptPrompt, keptText, newEvent, newKind, Unmatched,
	})
}

// Loss says what could not be read of a span or record, in fixed words and at most one name that the writer chose,
// which is not cleaned. The zero value says that nothing was lost.
type Loss struct {
	What string // one of Losses
	Name string // of the span or the event
}

// maxLost bounds the name of what is lost, in bytes.
const maxLost = 256

// named returns a name within maxLost. A secret in it has to be whole to be found.
func named(name string) string { return strings.Clone(name[:min(len(name), maxLost)]) }

// Plain returns the first 48 bytes of a name, with ? for every character but ASCII letters, digits, -, _, . and blanks.
func Plain(name string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.ContainsRune("-_. ", c):
			return c
		}
		return '?'
	}, name[:min(len(name), 48)])
}
