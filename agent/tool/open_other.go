//go:build !unix

package tool

// nonBlocking is 0 here: the file system has no pipes that a path could name.
const nonBlocking = 0
