// Command compare runs candor's safety layer and gitleaks over the corpus of package
// oracle and prints how they compare.
//
//	compare bench [-quick]          time per text, as ratios to gitleaks
//	compare recall [-n N] [-v]      which secrets are found, and the false positives
//	compare blind DIR [-n N]        the same over a corpus whose author did not see the rules
//	compare grams DIR... > FILE     trigram counts for the detector's keyword filter
//
// It is a tool for whoever changes the detector; nothing of it is part of the product.
// bench, recall and blind print tables for people to read and exit with status 0, whatever
// the figures are.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	// Each command defines its own flags on the set it is given.
	commands := map[string]func(flags *flag.FlagSet, args []string) error{
		"bench": bench, "recall": recall, "blind": runBlind, "grams": grams,
	}
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: compare bench|recall|blind|grams [arguments]")
		os.Exit(2)
	}
	name := os.Args[1]
	if err := commands[name](flag.NewFlagSet(name, flag.ExitOnError), os.Args[2:]); err != nil {
		fmt.Fprintf(os.Stderr, "compare %s: %v\n", name, err)
		os.Exit(1)
	}
}
