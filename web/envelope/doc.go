// Package envelope carries a request to a server, and the answer back, so that only those who know the user's token can
// read, make or change either.
//
// Programs that post by themselves, such as hooks of other programs' agents, cannot know who listens at the server's
// address while the server is away. So they never send the token. [Transport] encrypts the whole request with a key
// that is derived from the token and posts it to [Path]; [Serve] opens it, serves it as one with the token, and
// encrypts the answer. Whoever does not know the token gets nothing, and has no answer that is accepted.
//
// # The form
//
// The three values that are derived from a token are SHA-256 hashes of a label, a zero byte and the token:
//
//	"candor envelope name"     the first 8 bytes, in hexadecimal, name the token: Authorization: Envelope NAME
//	"candor envelope request"  the key of the request
//	"candor envelope answer"   the key of the answer
//
// A body is a random nonce of 12 bytes and what AES-256-GCM makes of a line of JSON and the body that is carried. The
// line has the time, the method, the path and the header of the request, or the status and the header of the answer.
// The nonce of the request is additional data of its answer, so that no answer fits another request.
//
// Somebody who records an envelope may post it again. The server refuses one that is older than five minutes, and
// serves only paths for which a repeated request changes nothing.
//
// A token that can be guessed can be guessed from an envelope as well: use one that candor serve made, or a random one.
package envelope
