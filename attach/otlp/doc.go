// Package otlp reads what OpenTelemetry's exporters post, protobuf or JSON, and writes the answer in the same kind.
//
// [Traces] and [Logs] decode a request into spans and records: the ten fields of each that tell of an agent, and
// nothing else. An attribute is a string, bool, int64, float64, []byte, []any or map[string]any. Ids are hex in both
// kinds; in JSON they stand so in the body, which is why no protobuf library may read it. An enum is a number or
// a name.
//
// The format is read by hand with protowire, since OpenTelemetry's generated messages are large, keep what nobody
// reads, and allocate for a hostile body whatever it asks for. A body is bounded in elements and depth, and its caller
// bounds its bytes. [ErrBody] is the error for all that is damaged; it quotes nothing.
//
// # What is believed
//
// A span or record has whatever its writer says, within bounds: names and texts may be empty, hostile or long, ids may
// be short or missing, times may be absent, and a parent may be nowhere. Readers check what they build on. Attributes
// of one key twice have the last value; a value of an unknown kind is nil; a text that is not UTF-8 is mended.
//
// Nothing is read of links, of the severity of records, of the counts of what an exporter dropped, and of metrics,
// which have no route here.
//
// # Where things happen
//
//   - span.go has what a body becomes, and the bounds; request.go the two kinds and the answers.
//   - wire.go reads protobuf field by field, in depth, without a schema.
//   - json.go has the form of JSON, with ids and enums; jsonnumber.go the numbers, which writers spell in several ways;
//     jsonbody.go makes spans and records of it.
//
// To read a further field, add its number to wire.go and its name to json.go, and a line to both bodies of the test
// that compares them.
package otlp
