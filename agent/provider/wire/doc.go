// Package wire speaks HTTP to model providers: it posts a JSON request and reads
// the server-sent events of the answer. It does not depend on a vendor. The
// subpackages chat, responses and messages describe the requests and events of the
// three wire formats; the adapters in agent/provider/openai and
// agent/provider/anthropic translate between those and the agent loop;
// agent/provider/retry classifies the errors.
//
// A request goes through the package like this:
//
//	Client.Stream ─▶ Client.Post ─▶ net/http ─▶ bounded body ─▶ Events ─▶ Event ─▶ Decode
//
// An Event is raw: its name and its data, exactly as the provider sent them. Decode
// turns the data into one of the structs of a subpackage. A caller that has to
// forward or record the bytes, such as a proxy, stops at the Event.
//
// # Guarantees
//
//   - Memory is bounded. An answer is read up to MaxAnswer bytes, one line of it up
//     to MaxLine, and the body of an error up to MaxRefusal.
//   - Redirects are not followed, since they would take the key to another host. A
//     status of 300 or above is a *StatusError with the header and the body.
//   - An event cut off by the end of the stream is dropped, as the specification of
//     server-sent events says. Each wire format marks the end of an answer, so an
//     adapter notices that it is missing.
//   - The proxy of the environment is used, as http.DefaultTransport does it.
//   - Nothing is retried, logged or kept. No goroutine is started.
//
// # Members that are not described
//
// The structs of the subpackages have the members that the adapters use, and no
// others. Data that a provider requires back (a reasoning item, a block of
// thinking, an entry of reasoning_details) is kept as json.RawMessage, so that
// unknown members return to the provider unchanged. Servers that claim to be
// compatible differ in the types of scalars; Text and Int accept what they send.
//
// # Why not a library
//
// The vendors' SDKs made up three fifths of the program. The event stream reader
// that web/client uses, tmaxmax/go-sse, yields incomplete events of a cut
// connection, limits whole events rather than lines, and copies each event into
// strings; the reader here is fifty lines and does none of that.
//
// # Where to add things
//
// Another wire format is a subpackage with its structs and a Decode function. A
// header that every request to a provider needs is an argument of NewClient.
package wire
