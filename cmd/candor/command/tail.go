package command

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/urfave/cli/v3"
	"golang.org/x/term"

	"candor/cmd/candor/terminal"
	"candor/web/client"
)

// tailCommand returns candor tail: the live events of a server.
//
// It reads the event stream, and history for the turns that precede it, and writes to
// standard output until it is interrupted or nobody reads the output any more. It
// reconnects after a lost connection and continues after the last event that it has
// shown. --turns says how many earlier turns of each thread to show first: 1 by default,
// at most 200, because the earlier turns are read as one page of history.
//
// Exit status: 0 when it was interrupted; 1 if the server refused or did not answer at the
// start, or if there is no such thread or job; 2 for wrong arguments.
func tailCommand() *cli.Command {
	var (
		s             remoteSettings
		threads, jobs []string
		turns         int
	)
	return &cli.Command{
		Name: "tail", Usage: "watch agents work, with their reasons", Description: helpText("tail"),
		Flags: append(remoteFlags(&s),
			&cli.StringSliceFlag{Name: "thread", Destination: &threads,
				Usage: "watch the conversation `ID`, the beginning of one, or last; may be repeated"},
			&cli.StringSliceFlag{Name: "job", Destination: &jobs,
				Usage: "watch the job `ID`, the beginning of one, or last, from its beginning; may be repeated"},
			&cli.IntFlag{Name: "turns", Aliases: []string{"n"}, Value: 1, Destination: &turns,
				Usage: "start with the last `N` turns of each thread"}),
		Action: func(ctx context.Context, c *cli.Command) error {
			if err := noArguments(c); err != nil {
				return err
			}
			if turns < 0 || turns > client.MaxPage {
				return errors.New("--turns: want a number from 0 to 200")
			}
			return watch(ctx, s, terminal.Tail{Threads: threads, Jobs: jobs, Replay: turns}, c.Root().Writer)
		},
	}
}

// resolve replaces the words of a person for threads or jobs by ids.
func resolve(ctx context.Context, c *client.Client, words []string,
	id func(context.Context, *client.Client, string) (string, error)) (err error) {
	for i, word := range words {
		if words[i], err = id(ctx, c, word); err != nil {
			return err
		}
	}
	return nil
}

// watch shows the threads and jobs of t, or everything, until ctx ends or stdout fails.
// Both are a normal end of the command: the user pressed Ctrl-C, or the program that read
// the output, such as head, has seen enough. Neither is an error.
func watch(ctx context.Context, s remoteSettings, t terminal.Tail, stdout io.Writer) (err error) {
	if t.Style, err = s.style(stdout); err != nil {
		return err
	}
	if t.Client, err = s.connect(); err != nil {
		return err
	}
	defer t.Client.Close()
	if err := resolve(ctx, t.Client, t.Threads, threadID); err != nil {
		return err
	}
	if err := resolve(ctx, t.Client, t.Jobs, jobID); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t.JSON = s.json
	t.Print = func(text string) {
		if _, err := io.WriteString(stdout, text); err != nil {
			cancel(err) // the reader of the pipe is gone
		}
	}
	if f, tty := terminalOf(stdout); tty && os.Getenv("TERM") != "dumb" {
		scroll := terminal.NewScroll(stdout, func() (columns, rows int) {
			columns, rows, _ = term.GetSize(int(f.Fd()))
			return columns, rows
		})
		t.Width = scroll.Width
		write := func(put func(string) error) func(string) {
			return func(text string) {
				if err := put(text); err != nil {
					cancel(err) // the terminal is gone
				}
			}
		}
		t.Print, t.Progress = write(scroll.Print), write(scroll.Progress)
	}
	err = t.Run(ctx)
	if ctx.Err() != nil {
		return nil
	}
	return err
}
