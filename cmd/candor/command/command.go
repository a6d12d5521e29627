// Package command is Candor's command line: one file per command, with its flags and its
// output; the long help texts are in help/COMMAND.txt.
//
// [Run] is the whole program except for the process around it. It takes the arguments,
// the three standard streams and a context, so that a test runs any command in its own
// process; [Main] adds the signals and the exit status. A command parses flags into
// app.Settings or a struct of its own, calls package app to build a server or an
// agent, or web/client to reach one, and passes the result to package terminal to
// write.
//
// Every command follows these rules:
//
//   - Standard output has the result and nothing else. Logs, progress and findings go
//     to standard error.
//   - An unknown flag or a surplus argument stops the command with a message that names
//     it. So does a flag without effect, or a value that does not exist, such as --deny
//     for an unknown tool: check.go and app/check.go. An error message says which flag
//     or file is wrong and what to do.
//   - Every flag that configures something also reads an environment variable,
//     CANDOR_ and its name. Tokens and keys come from the environment or from files
//     only, because other users of a machine can read a program's arguments.
//   - Text that came from a model or a server is cleaned before a terminal sees it.
//   - A command returns when ctx has ended and leaves nothing running.
//
// Exit status: 0 for success; 2 for wrong usage; 3 if scan --check found a secret; 4 if a
// worker's job is over for this worker; 130 if a signal ended an import; that of the
// wrapped program for wrap; 1 for every other error, such as a thread that does not exist.
// [ExitStatus] maps errors to them.
//
// To add a command, write a file with a function that returns its *cli.Command, put its
// help text into the folder help, and list it in Run.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"

	"github.com/urfave/cli/v3"

	"candor/cmd/candor/terminal"
	"candor/worker"
)

// Main runs the program as the operating system started it: with os.Args, the standard
// streams, and SIGINT and SIGTERM to end it. It returns the exit status. Before anything
// else it hides the environment, which has keys, from the processes that it will start.
func Main() int {
	if err := hideMemory(); err != nil {
		fmt.Fprintln(os.Stderr, "candor: other processes of this user may be able to read the environment:", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), stopSignals(os.Args)...)
	defer stop()
	return Execute(ctx, os.Args, os.Stdin, os.Stdout, os.Stderr)
}

// Execute is Run for a caller that is the program: it prints the error to stderr, unless
// the command has reported it already, and returns the exit status.
func Execute(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	err := Run(ctx, args, stdin, stdout, stderr)
	if err != nil && !isReported(err) {
		fmt.Fprintln(stderr, "candor:", terminal.CleanLine(withoutCapital(err.Error())))
	}
	return ExitStatus(err)
}

// stopSignals returns the signals that end the program. In a conversation Ctrl-C ends
// the running turn instead, and wrap passes it on.
func stopSignals(args []string) []os.Signal {
	if len(args) > 1 && (args[1] == "chat" || args[1] == "wrap") {
		return []os.Signal{syscall.SIGTERM}
	}
	return []os.Signal{os.Interrupt, syscall.SIGTERM}
}

// ExitStatus returns the exit status of the program for an error of Run; nil is 0.
func ExitStatus(err error) int {
	exit, ended := errors.AsType[serverExit](err)
	switch {
	case err == nil:
		return 0
	case ended:
		return int(exit)
	case isMisuse(err):
		return 2
	case errors.Is(err, errFound):
		return 3
	case errors.Is(err, worker.ErrOver):
		return 4
	case errors.Is(err, errInterrupted):
		return 130 // as shells have it of a program that Ctrl-C ended
	}
	return 1
}

// Run runs one command; args begins with the program's name. It returns when the
// command is done, or when ctx has ended and nothing of the command is left running.
// It does not print the error that it returns.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	root := &cli.Command{
		Name:           "candor",
		OnUsageError:   rootUsageError,
		Usage:          "why did the agent do that?",
		Version:        thisVersion(),
		Writer:         stdout,
		ErrWriter:      stderr,
		ExitErrHandler: func(context.Context, *cli.Command, error) {}, // else cli prints the error and exits
		Action:         rootAction,
		Commands: []*cli.Command{serveCommand(), loginCommand(), chatCommand(args, stdin), reasoningCommand(),
			listCommand(), tailCommand(), exportCommand(), importCommand(), attachCommand(stdin),
			hookCommand(stdin), workerCommand(), mewCommand(),
			scanCommand(stdin),
			doctorCommand(),
			backupCommand(), restoreCommand(stdin), mcpCommand(stdin), wrapCommand(stdin)},
		EnableShellCompletion:           true,
		ConfigureShellCompletionCommand: func(c *cli.Command) { c.Hidden = false },
	}
	for _, c := range root.Commands {
		c.OnUsageError = shortUsageError
		if c.Name == "hook" {
			c.OnUsageError = hookUsageError
		}
	}
	return explained(root.Run(ctx, args))
}

// rootAction runs if the arguments name no command, or one that does not exist.
func rootAction(_ context.Context, c *cli.Command) error {
	switch name := c.Args().First(); {
	case name == "version":
		cli.ShowVersion(c)
		return nil
	case c.Args().Present():
		return misused("there is no command %q%s; see candor --help", name,
			meant(cli.SuggestCommand(c.Commands, name), name))
	}
	return cli.ShowRootCommandHelp(c)
}

// meant asks whether a name was meant in the place of one that does not exist. It says nothing of names that
// begin differently, since the nearest one may be far away.
func meant(near, given string) string {
	bare := strings.TrimLeft(near, "-")
	if bare == "" || given == "" || bare[0] != given[0] {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", near)
}

// undefinedFlag begins what the library says of a flag that a command does not have.
const undefinedFlag = "flag provided but not defined: -"

// shortUsageError names the flag at fault, and one that may have been meant, instead of printing the whole
// help text.
func shortUsageError(_ context.Context, c *cli.Command, err error, _ bool) error {
	full := strings.TrimPrefix(c.FullName(), "candor ")
	if name, unknown := strings.CutPrefix(err.Error(), undefinedFlag); unknown {
		return misused("%s has no flag --%s%s; see candor %s --help", full, name,
			meant(cli.SuggestFlag(c.Flags, name, false), name), full)
	}
	if parts := flagsMissing.FindStringSubmatch(err.Error()); parts != nil {
		return misused("%s needs --%s; see candor %[1]s --help", full, strings.ReplaceAll(parts[1], ", ", " and --"))
	}
	return misused("%w; see candor %s --help", plainUsageError(err), full)
}

// flagsMissing is what the library says of flags that a command needs.
var flagsMissing = regexp.MustCompile(`^Required flags? "([^"]+)" not set$`)

// rootUsageError is shortUsageError for a flag that stands ahead of the command. The library knows no command yet, so
// that it cannot be said whether the command has the flag.
func rootUsageError(_ context.Context, _ *cli.Command, err error, _ bool) error {
	if name, unknown := strings.CutPrefix(err.Error(), undefinedFlag); unknown {
		return misused("there is no flag --%s before a command: put flags after its name; see candor --help", name)
	}
	return misused("%w; see candor --help", err)
}

// badValue takes apart what the library says of a value that a flag does not take.
var badValue = regexp.MustCompile(`^invalid value ("(?:[^"\\]|\\.)*") for flag -([A-Za-z0-9-]+): (.*)$`)

// plainUsageError returns an error of the library in the words of the others: it names flags as a person writes them,
// and no function of a library. Words that it does not know stay as they are, so that a new version of the library
// costs nothing but style.
func plainUsageError(err error) error {
	parts := badValue.FindStringSubmatch(err.Error())
	if parts == nil {
		return err
	}
	value, name, why := parts[1], parts[2], parts[3]
	switch {
	case strings.HasPrefix(why, "time: "):
		why = value + " is not a time such as 30s"
	case strings.HasPrefix(why, "strconv.ParseBool"):
		why = value + " is neither true nor false"
	case strings.HasPrefix(why, "strconv."):
		why = value + " is not a number"
	}
	return fmt.Errorf("--%s: %s", name, why)
}

// noArguments returns an error that names the first argument, if there is one.
func noArguments(c *cli.Command) error {
	if !c.Args().Present() {
		return nil
	}
	return misused("%s takes flags only, not the argument %q; see candor %s --help", c.Name, c.Args().First(),
		c.Name)
}
