package command

import (
	"context"
	"errors"
	"io"

	"github.com/urfave/cli/v3"

	"candor/cmd/candor/terminal"
)

const tailDescription = `Shows what happens on a server as it happens: tools as they run, reasons as soon as
they are known, answers. Without --thread or --job it is everything of yours. A
connection that is lost comes back by itself, and nothing is missed or shown twice.

With --json each event is a line, as the stream gives it; turns that came before are
shown as history gives them.

EXIT STATUS
   0  ended, by Ctrl-C or SIGTERM
   1  the server refused
   2  there is no such thread

EXAMPLES
   candor tail
   candor tail --thread last --turns 5
   candor tail --job 0b6f… --json | jq 'select(.type == "job_reasoning")'`

func tailCommand() *cli.Command {
	var (
		s             remoteSettings
		threads, jobs []string
		turns         int
	)
	return &cli.Command{
		Name: "tail", Usage: "watch what happens, with the reasons", Description: tailDescription,
		Flags: append(remoteFlags(&s),
			&cli.StringSliceFlag{Name: "thread", Destination: &threads,
				Usage: "watch the conversation `ID`, the beginning of one, or last; may be repeated"},
			&cli.StringSliceFlag{Name: "job", Destination: &jobs,
				Usage: "watch the job `ID`, from its beginning; may be repeated"},
			&cli.IntFlag{Name: "turns", Aliases: []string{"n"}, Value: 1, Destination: &turns,
				Usage: "begin with the last `N` turns of each thread"}),
		Action: func(ctx context.Context, c *cli.Command) error {
			if err := noArguments(c); err != nil {
				return err
			}
			if turns < 0 {
				return errors.New("--turns: want a number from 0 to 200")
			}
			return watch(ctx, s, terminal.Tail{Threads: threads, Jobs: jobs, Replay: turns}, c.Root().Writer)
		},
	}
}

// watch shows the threads and jobs of t, or everything, until ctx ends or stdout fails.
func watch(ctx context.Context, s remoteSettings, t terminal.Tail, stdout io.Writer) (err error) {
	if t.Style, err = s.style(stdout); err != nil {
		return err
	}
	if t.Client, err = s.connect(); err != nil {
		return err
	}
	defer t.Client.Close()
	for i, word := range t.Threads {
		if t.Threads[i], err = threadID(ctx, t.Client, word); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t.JSON = s.json
	t.Print = func(text string) {
		if _, err := io.WriteString(stdout, text); err != nil {
			cancel(err) // the reader of the pipe is gone
		}
	}
	err = t.Run(ctx)
	if ctx.Err() != nil {
		return nil
	}
	return err
}
