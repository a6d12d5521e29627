package openapi

// Operation describes a route. Summary is all that it needs; the zero value of each other field says that
// the route has no such thing.
type Operation struct {
	Summary string // a few words, without a full stop
	Text    string // more, in sentences; may be empty
	Access  Access
	Query   []Parameter
	Headers []Parameter

	// Body is a value of the struct that the request's JSON is decoded into; nil if there is none.
	Body     any
	Required []string // members that a body must have

	Answers []Answer // of success; errors are the same everywhere
}

// Access says who may call a route.
type Access int

// The kinds of access.
const (
	Token   Access = iota // users, by a token or a login
	Nobody                // everybody
	JobOnly               // the worker of a job, by the job's token
	SpaceOf               // the participants of a space, by their tokens, and its owner
)

// schemes are the names of security schemes by access.
var schemes = map[Access][]string{Token: {"token", "login"}, JobOnly: {"job"}, SpaceOf: {"participant", "token"}}

// Parameter is a parameter of the query or a header. It is a text, and optional.
type Parameter struct {
	Name, Text string
	Values     []string // all that it may be; nil for any
	Many       bool     // it may be repeated
}

// Answer is an answer of success. Several of one status are the forms that it may have.
type Answer struct {
	Status int // 0 for any success
	Text   string

	// Body is a value of the type that is encoded as JSON, or nil.
	Body any
	// Kind is the media type of an answer that is not JSON, such as text/event-stream.
	Kind string
	// Events has a value of the type of each event's data, by name, for a stream.
	Events map[string]any
}

// JSON returns an answer with a body like this one.
func JSON(status int, body any) Answer { return Answer{Status: status, Body: body} }

// Anything is a body of any form, for answers whose form another specification gives.
type Anything struct{}

// MarshalJSON implements json.Marshaler, which makes a schema of it that admits everything.
func (Anything) MarshalJSON() ([]byte, error) { return []byte("null"), nil }
