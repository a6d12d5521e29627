// Command candor answers why an agent did what it did. It runs an agent loop,
// captures the reason for every tool call and the narrative of every turn,
// cleans both, keeps them, and serves them live and afterwards.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v3"

	"candor/cmd/candor/terminal"
	"candor/worker"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), stopSignals(os.Args)...)
	defer stop()
	if err := run(ctx, os.Args, os.Stdin, os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, errSaid) {
			fmt.Fprintln(os.Stderr, "candor:", terminal.CleanLine(err.Error()))
		}
		stop()
		os.Exit(exitStatus(err))
	}
}

// stopSignals are what ends the program. Ctrl-C does not end a conversation: there it
// stops the turn.
func stopSignals(args []string) []os.Signal {
	if len(args) > 1 && args[1] == "chat" {
		return []os.Signal{syscall.SIGTERM}
	}
	return []os.Signal{os.Interrupt, syscall.SIGTERM}
}

// exitStatus is 2 where what was asked for is not there, 3 where a check found what it looked for, 4 where a worker's job is
// over without it, 1 for all else.
func exitStatus(err error) int {
	switch {
	case errors.Is(err, errNothing):
		return 2
	case errors.Is(err, errFound):
		return 3
	case errors.Is(err, worker.ErrOver):
		return 4
	}
	return 1
}

// run is the whole program; it returns when ctx has ended and nothing of it is
// left running.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	root := &cli.Command{
		Name:           "candor",
		Usage:          "why did the agent do that?",
		Version:        thisVersion(),
		Writer:         stdout,
		ErrWriter:      stderr,
		ExitErrHandler: func(context.Context, *cli.Command, error) {}, // main prints it, once
		Action:         rootAction,
		Commands: []*cli.Command{serveCommand(), chatCommand(stdin), reasoningCommand(), tailCommand(), exportCommand(),
			workerCommand(), scanCommand(stdin), doctorCommand()},
		EnableShellCompletion:           true,
		ConfigureShellCompletionCommand: func(c *cli.Command) { c.Hidden = false },
	}
	for _, c := range root.Commands {
		c.OnUsageError = shortUsageError
	}
	return root.Run(ctx, args)
}

// rootAction runs where no command was named, or none that there is.
func rootAction(_ context.Context, c *cli.Command) error {
	if c.Args().Present() {
		return fmt.Errorf("there is no command %q; candor --help lists those there are", c.Args().First())
	}
	return cli.ShowRootCommandHelp(c)
}

// shortUsageError says what was wrong with a flag, without all of the help.
func shortUsageError(_ context.Context, c *cli.Command, err error, _ bool) error {
	return fmt.Errorf("%w; see candor %s --help", err, c.Name)
}
