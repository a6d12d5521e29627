// Package openapi makes the OpenAPI 3.1 document of an HTTP API from its routes and the Go types
// of its bodies.
//
// # How it works
//
// A route is described by an [Operation], which stands beside the handler: what it takes, and
// what it answers by status, as values of the Go types that the handler encodes. [Document.Add]
// turns these types into JSON Schemas by reflection, by the rules of encoding/json, so a member
// that is added to a type is in the document at once:
//
//   - a struct is an object; those with a name become components, which others refer to;
//   - a member without omitempty or omitzero is required, and null only if it is a pointer;
//   - a type that encodes itself is described by what its zero value encodes to: a string, or else
//     any value;
//   - a type of strings whose values [Document.Enum] was told has these values and no others.
//
// What a route gets has no required members but those that its operation names, because a handler
// says for itself what is missing.
//
// # Streams
//
// OpenAPI 3.1 has no words for server-sent events. An answer with [Answer.Events] has the member
// x-events: the schema of the data of each event, by the event's name.
//
// # What holds it true
//
// Package openapitest checks each answer that a server gives in a test against its document, and a
// test of cmd/candor/app compares the document with the routes that are mounted.
//
// # Where to add things
//
// A route is described where it is registered: see web/operations.go and the field About of
// web.Route. A type that is encoded in a way of its own needs nothing, unless it encodes to
// something else than a string; then it is a case of schemas.of.
package openapi
