// Package secret makes and reads the secrets of a deployment: its key, and the token of its local
// user where nobody configured one.
//
// Whatever a server gives out and has to know again, without keeping it, is sealed or derived with a
// [Key]: login codes, tokens of jobs, reasoning that clients carry. A server that is started again
// with the same key, and each replica that has it, honours what another gave out. Each use takes a
// key of its own with [Key.For], so that nothing made for one use is good for another.
//
// [KeyIn] and [TokenIn] keep theirs in the server's folder, [ReadKey] reads a file that replicas
// share. Errors name the file and what to do, and repeat nothing that a file has.
//
// A further secret of the folder is a function beside TokenIn that calls keep with the name of its
// file.
package secret
