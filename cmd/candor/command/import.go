package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"candor/attach/transcript"
	"candor/cmd/candor/progress"
	"candor/cmd/candor/terminal"
	"candor/web/client"
)

// importSettings are the flags of import.
type importSettings struct {
	serverSettings
	// Go on with what is added, and look for it after this time.
	follow bool
	every  time.Duration
	// Read and count, and send nothing. No server is needed then.
	dryRun bool
}

// importCommand returns candor import: the sessions of agents that other programs ran, from the files that those
// programs keep.
//
// The result goes to standard output, progress and what is wrong with files to standard error. With --follow it ends
// when ctx does.
//
// Exit status: 0 if all that could be read was taken; 1 if the server did not answer or refused, or there is no such
// file; 2 for wrong arguments.
func importCommand() *cli.Command {
	var s importSettings
	return &cli.Command{
		Name: "import", Usage: "take in the sessions of other programs' agents",
		ArgsUsage: "[FILE|DIR]", Description: helpText("import"),
		Flags: append(serverFlags(&s.serverSettings, defaultServer),
			&cli.BoolFlag{Name: "follow", Aliases: []string{"f"}, Usage: "go on with what is added, until Ctrl-C",
				Destination: &s.follow},
			&cli.BoolFlag{Name: "dry-run", Usage: "read and count, but send nothing", Destination: &s.dryRun},
			&cli.DurationFlag{Name: "interval", Value: time.Second, Usage: "with --follow, look every `TIME`",
				Destination: &s.every}),
		Action: func(ctx context.Context, c *cli.Command) error {
			// What would have no effect is said, not ignored.
			switch {
			case c.Args().Len() > 1:
				return misused("import takes one file or folder, not the argument %q as well; see candor import --help",
					c.Args().Get(1))
			case s.follow && s.dryRun:
				return misused("--follow with --dry-run would never send anything: use one of them")
			case c.IsSet("interval") && !s.follow:
				return misused("--interval says how often --follow looks: it has no effect without it")
			case s.every < minInterval:
				return misused("--interval: %s is less than %s", s.every, minInterval)
			}
			from := c.Args().Slice()
			if len(from) == 0 {
				from = sessionFolders()
			}
			return importFrom(ctx, s, from, c.Root().Writer, c.Root().ErrWriter)
		},
	}
}

// minInterval is the shortest time after which --follow looks again.
const minInterval = 50 * time.Millisecond

// importFrom reads files and folders, and says what became of them.
func importFrom(ctx context.Context, s importSettings, from []string, stdout, stderr io.Writer) error {
	// A missing token is said before anything is read.
	send, taken, closed, err := s.sender(stderr)
	if err != nil {
		return err
	}
	defer closed()
	// The bar has the terminal's line while files are read, so what is wrong with them is said afterwards.
	var told []string
	w := transcript.Walk{Places: from, Send: send, Told: func(path, what string) {
		told = append(told, terminal.CleanLine(path)+" "+terminal.CleanLine(what))
	}}
	if s.follow {
		// There is no bar, and nobody would wait for the end to hear of a file.
		w.Told = func(path, what string) {
			fmt.Fprintf(stderr, "%s %s\n", terminal.CleanLine(path), terminal.CleanLine(what))
		}
		fmt.Fprintf(stderr, "Following %s. Ctrl-C ends it.\n", terminal.CleanLine(strings.Join(from, ", ")))
		err = w.Follow(ctx, s.every)
	} else {
		size, _ := transcript.Size(from...) // unknown is 0; the walk says what is wrong
		bar := progress.Start(stderr, "reading", size)
		w.Count = bar
		err = w.Once(ctx)
		bar.Done()
	}
	for _, line := range told {
		fmt.Fprintln(stderr, line)
	}
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("there is no %s: name a session file, or the folder of an agent's sessions",
			strings.Join(from, ", "))
	}
	// Where the server ended the import, what was read until then is said before the error.
	r := w.Report()
	if err != nil && r.Sightings == 0 {
		return err
	}
	s.printImport(stdout, r, *taken)
	return err
}

// sender returns what takes batches: the server, or nothing for a dry run. taken counts what the server says.
func (s importSettings) sender(stderr io.Writer) (
	send func(context.Context, []byte, int) error, taken *client.Attached, closed func(), err error,
) {
	taken = &client.Attached{}
	if s.dryRun {
		return func(context.Context, []byte, int) error { return nil }, taken, func() {}, nil
	}
	c, err := s.connect()
	if err != nil {
		return nil, nil, nil, err
	}
	send = func(ctx context.Context, batch []byte, _ int) error {
		a, err := c.Attach(ctx, batch)
		// Who follows has time: the batch waits here, and with it the reading. Whatever else is wrong ends the command.
		for away := false; s.follow && isAway(err); a, err = c.Attach(ctx, batch) {
			if !away {
				fmt.Fprintln(stderr, "The server is away; what is new waits for it.")
			}
			away = true
			select {
			case <-time.After(s.every):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		// Of a batch that was refused both are 0.
		taken.Taken += a.Taken
		taken.Known += a.Known
		return err
	}
	return send, taken, c.Close, nil
}

// isAway reports whether an error is that of a server that does not answer.
func isAway(err error) bool {
	_, away := errors.AsType[*client.Unreachable](err)
	return away
}
