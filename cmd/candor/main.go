// Command candor answers why an agent did what it did. It runs an agent loop,
// captures the reason for every tool call and the narrative of every turn,
// cleans both, keeps them, and serves them live and afterwards.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v3"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "candor:", err)
		stop()
		os.Exit(1)
	}
}

// run is the whole program; it returns when ctx has ended and nothing of it is
// left running.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	root := &cli.Command{
		Name:           "candor",
		Usage:          "why did the agent do that?",
		Writer:         stdout,
		ErrWriter:      stderr,
		ExitErrHandler: func(context.Context, *cli.Command, error) {}, // main prints it, once
		Suggest:        true,
		Commands:       []*cli.Command{serveCommand()},
	}
	return root.Run(ctx, args)
}
