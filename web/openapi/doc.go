// Package openapi makes the OpenAPI 3.1 document of an HTTP API from its routes and the Go types
// of its bodies.
//
// # How it works
//
// A route is described by an [Operation] beside its handler: the request, and the answers by
// status, as values of the Go types that the handler encodes. [Document.Add] turns these types
// into JSON Schemas by reflection, by the rules of encoding/json, so a new member of a type is
// in the document at once:
//
//   - a struct is an object; those with a name become components, which others refer to;
//   - a member without omitempty or omitzero is required, and null only if it is a pointer;
//   - a type that encodes itself is described by the encoding of its zero value: a string, or else
//     any value;
//   - a type of strings whose values were passed to [Document.Enum] has these values and no
//     others.
//
// A request body has no required members but those that its operation names, because the handler
// itself reports missing ones.
//
// # Streams
//
// OpenAPI 3.1 cannot describe server-sent events. An answer with [Answer.Events] has the member
// x-events: the schema of the data of each event, by the event's name.
//
// # How it stays true
//
// Package openapitest checks each answer of a server in a test against its document, and a test of
// cmd/candor/app compares the document with the mounted routes.
//
// # Where to add things
//
// A route is described where it is registered: see web/operations.go and the field About of
// web.Route. A type with its own encoding needs nothing unless it encodes to something else
// than a string; then add a case to schemas.of.
package openapi
