// Package openapitest checks the answers of a server in a test against the server's own OpenAPI
// document.
//
// [Watch] wraps a server. Each JSON answer, and the data of each event of a stream, must have the form
// that the document gives for its route and status; a problem must have the form of problems. The check
// is stricter than the document: a member that the document does not name is an error, since clients
// could not know of it. The test fails for an answer that differs, and continues.
//
//	srv := httptest.NewServer(openapitest.Watch(t, handler))
//
// The document is fetched from the server itself at /api/openapi.json, once for each different one in
// a process. An answer for which the document has no form, such as a file, is not checked.
//
// To add a check of answers, add it to contract.check.
package openapitest
