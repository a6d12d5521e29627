package main

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

// lookSettings are what the commands that look at a server were told.
type lookSettings struct {
	serverSettings
	viewSettings
}

func lookFlags(s *lookSettings) []cli.Flag {
	return slices.Concat(serverFlags(&s.serverSettings, defaultServer), viewFlags(&s.viewSettings))
}

const reasoningDescription = `Shows why the tools of a turn were called: the reason for each, its parameters and
its outcome. THREAD is the id of a conversation, the beginning of one, or last for
the one used last. Without a second argument it is the turn that ended last.

With --json each turn is a line, as the API gives it; one turn has its whole results.

EXIT STATUS
   0  shown
   1  the server did not answer, or refused
   2  there is no such thread, or no such turn in it

EXAMPLES
   candor reasoning last
   candor reasoning 7c9e6679 2
   candor reasoning last all --json | jq .reasoning.tool_decisions`

// errNothing says that what was to be looked at is not there.
var errNothing = errors.New("nothing to show")

// errSaid is errNothing where the person was told already.
var errSaid = fmt.Errorf("%w, as was said", errNothing)

func reasoningCommand() *cli.Command {
	var s lookSettings
	return &cli.Command{
		Name: "reasoning", Usage: "show why the tools of a turn were called", ArgsUsage: "THREAD [N|all|last]",
		Description: reasoningDescription, Flags: lookFlags(&s),
		Action: func(ctx context.Context, c *cli.Command) error {
			args := c.Args()
			if args.Len() < 1 || args.Len() > 2 {
				return errors.New("reasoning takes a thread and, if you like, a turn's number, all or last; see candor reasoning --help")
			}
			which := "last"
			if args.Len() == 2 {
				which = args.Get(1)
			}
			if _, err := strconv.ParseUint(which, 10, 31); err != nil && which != "all" && which != "last" {
				return fmt.Errorf("%q is no turn: want a number, all or last", terminal.CleanLine(which))
			}
			return s.reasoning(ctx, args.First(), which, c.Root().Writer, c.Root().ErrWriter)
		},
	}
}

func (s lookSettings) reasoning(ctx context.Context, thread, which string, stdout, stderr io.Writer) error {
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
	turns, id, err := turnsOf(ctx, c, thread, which)
	done()
	if err != nil {
		return err
	}
	if len(turns) == 0 && which != "all" && which != "last" {
		fmt.Fprint(stderr, style.NoTurn(which))
		return errSaid
	}
	if len(turns) == 0 {
		return fmt.Errorf("%w: no turn of this thread has ended yet", errNothing)
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

// turnsOf fetches the turns that were asked for, the oldest first.
func turnsOf(ctx context.Context, c *client.Client, thread, which string) (turns []client.Turn, id string, err error) {
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
			t, _, err = c.Turn(ctx, id, t.Number) // with whole results
			return []client.Turn{t}, id, err
		}
		turns = append(turns, t)
	}
	slices.Reverse(turns)
	return turns, id, nil
}

// threadID finds a thread by the word last, its number in the list, or the beginning of its id.
func threadID(ctx context.Context, c *client.Client, word string) (string, error) {
	list, active, err := c.Threads(ctx)
	if err != nil {
		return "", err
	}
	if word == "last" {
		if active == "" {
			return "", fmt.Errorf("%w: there is no conversation yet", errNothing)
		}
		return active, nil
	}
	id, err := terminal.Pick(list, word)
	if err != nil {
		return "", fmt.Errorf("%w: %w", errNothing, err)
	}
	return id, nil
}
