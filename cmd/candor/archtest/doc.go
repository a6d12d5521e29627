// Package archtest holds tests of the source itself, and nothing else.
//
//   - graph_test.go: the graph of imports, which ARCHITECTURE.md shows; redraw it with -update.
//   - libraries_test.go: which package may know which library, and why each dependency is needed.
//   - style_test.go: the length of lines, functions and files, complexity, the size of interfaces.
//   - names_test.go: no identifier has two meanings in a package.
//   - docs_test.go: comments on packages and exported names, their share, where code may panic.
//   - dead_test.go: every function is reached from main.
//   - cases_test.go: each case of testdata/turns says what it pins.
//   - mutation_test.go, mutation_list_test.go: the small breaks that testdata/mutations.txt of each package lists still
//     fit the code; make mutate applies them and holds that the tests see them.
package archtest
