// Package problem defines the answer to a request that failed, and reads and writes the
// JSON bodies whose failures have that shape.
//
// A handler returns a [*Problem] as its error; package web encodes it:
//
//	{"error":"no_thread","message":"You have no such thread. …","details":{}}
//
// The code is stable, so clients may compare it. The message says what was wrong and
// what to do about it, and never repeats input: it ends up in logs and on screens, and
// the input may hold a secret. Numbers that a client may want, such as a limit, are in
// the details.
//
// Problems are immutable. Packages share them as variables and add details with
// [Problem.With], which copies.
package problem
