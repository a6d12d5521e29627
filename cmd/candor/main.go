// Command candor answers why an agent did what it did. It runs an agent loop, records
// the reason for every tool call and the narrative of every step, masks secrets in
// both, keeps them in a log, and shows them live and afterwards.
//
// The program is in three packages, so that tests of other packages can run it in
// their own process:
//
//	cmd/candor/command   the commands: flags, output, exit status
//	cmd/candor/app       the wiring: settings in, agent loop and HTTP server out
//	cmd/candor/terminal  conversations, turns and jobs as text
//
// The tests of this folder cover the program as a whole: the golden files of
// testdata/turns, the tour of the README, the questions of testdata/story, and that
// secrets stay hidden. Package archtest beside it has those of the source.
package main

import (
	"os"

	"candor/cmd/candor/command"
)

// exit is replaced by the test of main.
var exit = os.Exit

func main() { exit(command.Main()) }
