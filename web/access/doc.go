// Package access decides who a request speaks for: tokens, logins kept in cookies,
// and limits on attempts to log in.
package access
