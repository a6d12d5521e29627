// Package archtest tests the source itself.
//
//   - graph_test.go: the graph of imports, of rooms in ARCHITECTURE.md and of packages in testdata/packages.txt;
//     redraw both with -update.
//   - libraries_test.go: which package may import which library, and why each dependency is needed.
//   - style_test.go: the length of lines, the size of interfaces.
//   - names_test.go: no identifier has two meanings in a package.
//   - limits_test.go: testdata/limits.txt lists the code's bounds with their tests; docs/limits.md has those that
//     people meet, with their values and flags.
//   - docs_test.go: comments on packages and exported names, where code may panic.
//   - dead_test.go: every function is reached from main.
//   - cases_test.go: each case of testdata/turns says what it tests.
//   - mutation_test.go, mutation_list_test.go: the small code changes in each package's testdata/mutations.txt still
//     apply; make mutate applies them and checks that the tests fail.
package archtest
