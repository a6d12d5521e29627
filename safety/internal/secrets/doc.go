// Package secrets has the rules for credentials.
//
// [Rules] lists them in order; the families stand in files of their own: ai,
// cloud, platform and saas are tables of formats, one line a rule. The rules that
// a format cannot express have a matcher of their own: private keys, JWTs, DSNs,
// headers and cookies, command lines, Kubernetes secrets, and keys that only the
// name of their vendor beside them gives away ([Vendor]). [Known] masks values that
// the user names.
//
// To add a token with a prefix of its own, add one line to a table, with the texts
// it must not match in Except.
package secrets
