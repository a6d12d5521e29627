// Package otlp decodes the bodies that OpenTelemetry's exporters post, protobuf or JSON, and encodes the answer in the
// same format.
//
// [Traces] and [Logs] decode a request into spans and records: ten fields of a span and seven of a record, and nothing
// else. An attribute is a string, bool, int64, float64, []byte, []any or map[string]any. Ids are hex in both formats;
// OTLP's JSON has them in hex, not in the base64 of protobuf's JSON mapping, so no protobuf library can read it. An
// enum is a number or a name.
//
// The package reads the wire format by hand with protowire, since OpenTelemetry's generated messages are large, keep
// fields that Candor does not read, and allocate whatever a hostile body asks for. A body is bounded in elements and
// depth; the caller bounds its bytes. [ErrBody] is the error for every damaged body; it quotes nothing.
//
// # What the package does not check
//
// A span or record has whatever its writer put there, within bounds: names and texts may be empty, hostile or long, ids
// may be short or missing, times may be absent, and a parent may not exist. Callers check what they depend on. If an
// attribute key occurs twice, the last value counts; a value of an unknown type is nil; invalid UTF-8 is replaced.
//
// The package does not read links, the severity of records, or the counts of what an exporter dropped. Metrics have no
// route here.
//
// # Where things happen
//
//   - request.go has the decoded types, the bounds, the two formats and the answers.
//   - wire.go reads protobuf field by field, in depth, without a schema.
//   - json.go has the JSON types, with ids and enums; and the numbers, which writers spell in several ways;
//     jsonbody.go converts them to spans and records.
//
// To read another field, add its number to wire.go and its name to json.go, and a line to both bodies of the test that
// compares them.
package otlp
