//go:build unix

package tool

import "syscall"

// nonBlocking makes opening a pipe return at once, instead of when somebody opens its
// other end. It changes nothing for regular files and folders.
const nonBlocking = syscall.O_NONBLOCK
