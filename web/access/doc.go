// Package access decides who a request speaks for.
//
// A client authenticates with a token in the Authorization header, or with a cookie
// that it got by logging in with a token. [Tokens] maps tokens to callers; it keeps only
// hashes and compares them in constant time. A [Login] is everything that the cookie
// says, signed with a key derived from the token: the server stores no sessions, so
// logins survive a restart, and changing a token ends all logins that were made with
// it. [Revoked] holds the few that ended early. [Attempts] limits guessing.
//
// The package knows no routes. Package web decides which routes accept what, and checks
// the origin of requests that carry a cookie.
package access
