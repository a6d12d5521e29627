package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"candor/attach/transcript"
	"candor/cmd/candor/progress"
	"candor/cmd/candor/terminal"
)

// importSettings are the flags of import.
type importSettings struct {
	serverSettings
	// Go on with what is added, and look for it after this time.
	follow bool
	every  time.Duration
	// Read and count, and send nothing. No server is needed then.
	dryRun bool
	// List the kinds of rows that are left out.
	verbose bool
}

// importCommand returns candor import: the sessions of agents that other programs ran, from the files that those
// programs keep.
//
// The result goes to standard output, progress and what is wrong with files to standard error. With --follow it ends
// when ctx does.
//
// Exit status: 0 if all that could be read was taken; 1 if the server did not answer or refused, or there is no such
// file; 2 for wrong arguments; 130 if a signal ended it.
func importCommand() *cli.Command {
	var s importSettings
	return &cli.Command{
		Name: "import", Usage: "import sessions of Claude Code, Codex and other agents",
		ArgsUsage: "[FILE|DIR]...", Description: helpText("import"),
		Flags: append(serverFlags(&s.serverSettings, defaultServer),
			&cli.BoolFlag{Name: "follow", Aliases: []string{"f"}, Usage: "keep importing new rows until Ctrl-C",
				Destination: &s.follow},
			&cli.BoolFlag{Name: "dry-run", Usage: "read and count, but send nothing", Destination: &s.dryRun},
			&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "list the kinds of rows that are left out",
				Destination: &s.verbose},
			&cli.DurationFlag{Name: "interval", Value: time.Second, Usage: "with --follow, look for rows every `TIME`",
				Destination: &s.every}),
		Action: func(ctx context.Context, c *cli.Command) error {
			// What would have no effect is said, not ignored.
			switch {
			case slices.Contains(c.Args().Slice(), ""):
				return misused("the file name is empty: name a session file or a folder, or leave it out")
			case s.follow && s.dryRun:
				return misused("--follow with --dry-run would never send anything: use one of them")
			case c.IsSet("interval") && !s.follow:
				return misused("--interval has no effect without --follow")
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
	sender, err := s.sender(stderr)
	if err != nil {
		return err
	}
	if sender.client != nil {
		defer sender.client.Close()
	}
	r, err := s.read(ctx, sender, from, stderr)
	switch {
	case errors.Is(err, os.ErrNotExist):
		gone := strings.Join(from, ", ")
		if of, ok := errors.AsType[*fs.PathError](err); ok {
			gone = of.Path
		}
		return fmt.Errorf("%s does not exist: name a session file, or the folder of an agent's sessions", gone)
	case err != nil && errors.Is(err, ctx.Err()):
		err = errInterrupted
	}
	// What was taken until the import ended is said before the error.
	if err != nil && sender.answered+sender.open == 0 {
		return err
	}
	s.printImport(stdout, r, sender)
	return err
}

// read reads files and folders until there is nothing more, or with --follow until ctx ends, and says what is wrong
// with them.
func (s importSettings) read(ctx context.Context, sender *importSender, from []string, stderr io.Writer) (
	r transcript.Report, err error,
) {
	// What is not there is said before anything else, and before --follow says that it begins.
	for _, name := range from {
		if _, err := os.Stat(name); err != nil {
			return r, err
		}
	}
	// The bar has the terminal's line while files are read, so what is wrong with them is said afterwards.
	var told []string
	w := transcript.Walk{Places: from, Send: sender.send, Told: func(path, what string) {
		told = append(told, terminal.CleanLine(path)+" "+terminal.CleanLine(what))
	}}
	if s.follow {
		// There is no bar, and nobody would wait for the end to hear of a file.
		w.Told = func(path, what string) {
			fmt.Fprintf(stderr, "%s %s\n", terminal.CleanLine(path), terminal.CleanLine(what))
		}
		fmt.Fprintf(stderr, "Following %s. Press Ctrl-C to stop.\n", terminal.CleanLine(strings.Join(from, ", ")))
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
	return w.Report(), err
}

// sender returns what takes batches, and counts what became of them.
func (s importSettings) sender(stderr io.Writer) (*importSender, error) {
	if s.dryRun {
		return &importSender{}, nil
	}
	c, err := s.connect()
	return &importSender{client: c, stderr: stderr, follow: s.follow, every: s.every}, err
}
