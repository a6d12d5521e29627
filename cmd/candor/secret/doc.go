// Package secret makes and reads the secrets of a deployment: its key, and the token of its local
// user if nobody configured one.
//
// A server seals or derives with a [Key] what it gives out and must recognize later without storing
// it: login codes, tokens of jobs, reasoning that clients carry. A restarted server with the same
// key, and each replica that has it, accept what another gave out. Each use takes a key of its own
// with [Key.For], so that nothing made for one use is valid for another.
//
// [KeyIn] and [TokenIn] keep theirs in the server's folder; [ReadKey] reads a file that replicas
// share. Errors name the file and the remedy, and repeat nothing from the file.
//
// To add a secret to the folder, add a function beside TokenIn that calls keep with the name of
// its file.
package secret
