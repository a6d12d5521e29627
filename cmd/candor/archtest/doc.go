// Package archtest holds tests of the source itself: the import graph, the size and the complexity of functions,
// names, comments, and dead code. It has no other content.
package archtest
