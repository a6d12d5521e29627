package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/urfave/cli/v3"

	"candor/cmd/candor/terminal"
	"candor/web/client"
)

// reasoningCommand returns candor reasoning: the reasons behind the calls of ended turns.
//
// It reads the turns over the API and writes them to standard output, as text for a person
// or, with --json, as one line of JSON per turn. A turn that still runs is not shown: its
// reasons may be incomplete. candor tail shows those.
//
// Exit status: 0 if a turn was shown; 1 if the server did not answer or refused; 2 if
// there is no such thread or turn.
func reasoningCommand() *cli.Command {
	var s remoteSettings
	return &cli.Command{
		Name: "reasoning", Usage: "show why the tools of a turn were called", ArgsUsage: "THREAD [N|all|last]",
		Description: helpText("reasoning"), Flags: remoteFlags(&s),
		Action: func(ctx context.Context, c *cli.Command) error {
			which, err := whichTurns(c.Args())
			if err != nil {
				return err
			}
			return showReasoning(ctx, s, c.Args().First(), which, c.Root().Writer, c.Root().ErrWriter)
		},
	}
}

// whichTurns reads the argument after the thread: a turn's number, all, or last,
// which is the default. Whether there is such a turn is for the server to say.
func whichTurns(args cli.Args) (string, error) {
	switch {
	case args.Len() == 0:
		return "", errors.New("reasoning takes a thread and, if you like, a turn's number, all or last; " +
			"see candor reasoning --help")
	case args.Len() > 2:
		return "", fmt.Errorf("reasoning takes a thread and a turn, not the argument %q as well; "+
			"see candor reasoning --help", args.Get(2))
	case args.Len() == 1:
		return "last", nil
	}
	which := args.Get(1)
	if _, err := strconv.ParseUint(which, 10, 31); err != nil && which != "all" && which != "last" {
		return "", fmt.Errorf("%q is no turn: want a number, all or last", terminal.CleanLine(which))
	}
	return which, nil
}

// showReasoning prints the turns of a thread that which selects, the oldest first.
func showReasoning(ctx context.Context, s remoteSettings, thread, which string, stdout, stderr io.Writer) error {
	style, err := s.style(stdout)
	if err != nil {
		return err
	}
	c, err := s.connect()
	if err != nil {
		return err
	}
	defer c.Close()
	done := progress(stderr, "fetching")
	turns, id, err := fetchTurns(ctx, c, thread, which)
	done()
	if err != nil {
		return err
	}
	if len(turns) == 0 && which != "all" && which != "last" {
		fmt.Fprint(stderr, style.NoTurn(which))
		return errReported
	}
	if len(turns) == 0 {
		return fmt.Errorf("%w: no turn of this thread has ended yet", errNotFound)
	}
	for i, t := range turns {
		switch {
		case s.json:
			_, err = fmt.Fprintln(stdout, terminal.SafeJSON(t.Raw))
		case i > 0:
			_, err = fmt.Fprint(stdout, "\n"+style.Detail(t, id))
		default:
			_, err = fmt.Fprint(stdout, style.Detail(t, id))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fetchTurns returns the ended turns that which selects, the oldest first, and the id
// of their thread. A single turn has its whole results.
func fetchTurns(ctx context.Context, c *client.Client, thread, which string) (turns []client.Turn, id string,
	err error) {
	if id, err = threadID(ctx, c, thread); err != nil {
		return nil, "", err
	}
	if n, err := strconv.Atoi(which); err == nil {
		t, found, err := c.Turn(ctx, id, n)
		if !found {
			return nil, id, err
		}
		return []client.Turn{t}, id, err
	}
	for t, err := range c.Turns(ctx, id) {
		if err != nil {
			return nil, id, err
		}
		if !t.Ended() {
			continue
		}
		if which == "last" {
			t, _, err = c.Turn(ctx, id, t.Number) // the list shortens results
			return []client.Turn{t}, id, err
		}
		turns = append(turns, t)
	}
	slices.Reverse(turns)
	return turns, id, nil
}
