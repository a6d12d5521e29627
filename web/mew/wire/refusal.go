package wire

// Code says why a message was not passed on. It is stable; clients may compare it.
type Code string

// The codes of a gateway and a collector.
const (
	CodeInvalid    Code = "validation_error"
	CodeCapability Code = "capability_violation"
	CodeDuplicate  Code = "duplicate_id"
	CodeRate       Code = "rate_limited"
	CodeTooLarge   Code = "too_large"
	CodeSpaceFull  Code = "space_full"
	CodeStorage    Code = "storage_failed"

	CodeTooDeep         Code = "context_too_deep"
	CodeTooLong         Code = "context_too_long"
	CodeTooManyContexts Code = "too_many_contexts"
	CodeContextFull     Code = "context_full"
	CodeUnknownContext  Code = "unknown_context"
)

// Refusal is why the gateway does not pass a message on. It becomes a system/error.
type Refusal struct {
	Code    Code
	Message string // what was wrong and what to do; repeats nothing of the message
}

// Error implements error.
func (r *Refusal) Error() string { return string(r.Code) + ": " + r.Message }

func invalid(message string) error { return &Refusal{CodeInvalid, message} }
