// Package access determines the user of a request and what the request may do.
//
// A client authenticates with a token in the Authorization header, or with a cookie and a
// page key that it got by logging in. [Tokens] maps tokens to callers and compares their
// hashes in constant time. A [Login] is the content of the cookie. The token's [Signer]
// signs it and makes its page key: the server stores no sessions, so logins survive a
// restart, and changing a token ends all logins that were made with it. [Revoked] holds the
// few that ended early. [Codes] begin a login without the token. [Attempts] limits guessing.
//
// The package does not depend on routes. Package web decides which routes accept what,
// and checks the origin of requests that carry a cookie.
package access
