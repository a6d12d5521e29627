// Package openapitest checks the answers that a server gives in a test against the server's own
// OpenAPI document.
//
// [Watch] wraps a server. Each answer that is JSON, and the data of each event of a stream, has to have
// the form that the document gives for its route and status; a problem has to have the form of
// problems. The check is stricter than the document: a member that the document does not name is an
// error, since a client would have no way to know of it. The test fails for an answer that differs,
// and goes on.
//
//	srv := httptest.NewServer(openapitest.Watch(t, handler))
//
// The document is fetched from the server itself at /api/openapi.json, once for each different one in
// a process. An answer that the document has no form for, such as a file, is not looked at.
//
// To check something else of an answer, add it to contract.check.
package openapitest
