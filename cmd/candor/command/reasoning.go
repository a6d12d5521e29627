package command

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"candor/cmd/candor/progress"
	"candor/cmd/candor/terminal"
	"candor/web/client"
)

// reasoningCommand returns candor reasoning: the reasons behind the calls of ended turns.
//
// The calls are those of a thread or, with --job, of a job's workers. It reads the turns
// over the API and writes them to standard output, as text for a person
// or, with --json, as one line of JSON per turn. A turn that still runs is not shown: its
// reasons may be incomplete. candor tail shows those.
//
// Exit status: 0 if a turn was shown; 1 if the server did not answer or refused, or
// if there is no such thread, job or turn; 2 for wrong arguments.
func reasoningCommand() *cli.Command {
	var (
		s   remoteSettings
		job string
	)
	return &cli.Command{
		Name: "reasoning", Usage: "show why a turn's tools were called, or search the reasons",
		ArgsUsage: "THREAD [N|all|last [CALL]]", Description: helpText("reasoning"),
		Flags: append(remoteFlags(&s), &cli.StringFlag{Name: "job", Destination: &job, Local: true,
			Usage: "show the turns of the job `ID`; no THREAD is given then"}),
		Commands: []*cli.Command{searchCommand(&s)},
		Action: func(ctx context.Context, c *cli.Command) error {
			args := c.Args().Slice()
			fetch := fetchJob
			if job == "" {
				if len(args) == 0 {
					return misused("reasoning takes a thread, such as last, and, if you like, a turn's number, " +
						"all or last; see candor reasoning --help")
				}
				if near := meant(cli.SuggestCommand(c.Commands, args[0]), args[0]); near != "" {
					return misused("%q is not a thread%s", terminal.CleanLine(args[0]), near)
				}
				if _, err := strconv.ParseUint(args[0], 10, 31); err == nil && len(args) == 1 {
					args = []string{"last", args[0]} // a turn of the latest thread
				}
				job, args, fetch = args[0], args[1:], fetchTurns
			}
			which, call, err := whichTurns(args)
			if err != nil {
				return err
			}
			return showReasoning(ctx, s, turnSource{job, which, call, fetch}, c.Root().Writer, c.Root().ErrWriter)
		},
	}
}

// turnSource says which turns of what are wanted, and how they are fetched.
type turnSource struct {
	word  string // that a person gave for the thread or the job
	which string // a turn's number, all or last
	call  string // the only call that is wanted, such as call_2; empty for all
	fetch func(ctx context.Context, c *client.Client, word, which string) (turns []client.Turn, where string, err error)
}

// callID is the form of the ids of calls: call_2, and call_j6lchczis2b4 or unnamed_j6lchczis2b4 of a watched agent.
var callID = regexp.MustCompile(`^[a-z]+_[a-z0-9]+$`)

// whichTurns reads the arguments after the thread: a turn's number, all, or last,
// which is the default, and the id of a call. Whether there is such a turn is for the server to say.
func whichTurns(args []string) (which, call string, err error) {
	if len(args) == 0 {
		return "last", "", nil
	}
	if which = args[0]; len(args) == 2 && callID.MatchString(args[1]) {
		call = args[1]
	} else if len(args) > 1 {
		return "", "", misused("reasoning takes a thread, a turn and a call such as call_2, not the argument %q "+
			"as well; see candor reasoning --help", args[len(args)-1])
	}
	if _, err := strconv.ParseUint(which, 10, 31); err != nil && which != "all" && which != "last" {
		return "", "", misused("%q is not a turn: want a number, all or last", terminal.CleanLine(which))
	}
	return which, call, nil
}

// showReasoning prints the turns of a source, the oldest first.
func showReasoning(ctx context.Context, s remoteSettings, from turnSource, stdout, stderr io.Writer) error {
	style, err := s.style(stdout)
	if err != nil {
		return err
	}
	c, err := s.connect()
	if err != nil {
		return err
	}
	defer c.Close()
	bar := progress.Start(stderr, "fetching", 0)
	turns, where, err := from.fetch(ctx, c, from.word, from.which)
	bar.Done()
	if err != nil {
		return err
	}
	if len(turns) == 0 && from.which != "all" && from.which != "last" {
		fmt.Fprint(stderr, style.NoTurn(from.which))
		return errReported
	}
	if len(turns) == 0 {
		return fmt.Errorf("no turn of this %s has ended yet", strings.Fields(where)[0])
	}
	if from.call != "" {
		if turns, err = onlyCall(turns, from.call); err != nil {
			return err
		}
	}
	return writeTurns(stdout, style, turns, where, s.json)
}

// writeTurns writes turns as text or, if asJSON, as a line of JSON each. A turn in JSON is whole even if one call
// of it was asked for: it is what the server answered, and programs find the call by its id.
func writeTurns(stdout io.Writer, style terminal.Style, turns []client.Turn, where string, asJSON bool) (err error) {
	for i, t := range turns {
		switch {
		case asJSON:
			_, err = fmt.Fprintln(stdout, terminal.SafeJSON(t.Raw))
		case i > 0:
			_, err = fmt.Fprint(stdout, "\n"+style.Detail(t, where))
		default:
			_, err = fmt.Fprint(stdout, style.Detail(t, where))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fetchTurns returns the ended turns of a thread that which selects, the oldest first, and
// the name of where they are. A single turn has its whole results.
func fetchTurns(ctx context.Context, c *client.Client, word, which string) (turns []client.Turn, where string,
	err error) {
	id, err := threadID(ctx, c, word)
	if err != nil {
		return nil, "", err
	}
	where = "thread " + id
	if n, err := strconv.Atoi(which); err == nil {
		t, found, err := c.Turn(ctx, id, n)
		if !found {
			return nil, where, err
		}
		return []client.Turn{t}, where, err
	}
	for t, err := range c.Turns(ctx, id) {
		if err != nil {
			return nil, where, err
		}
		if !t.Ended() {
			continue
		}
		if which == "last" {
			t, _, err = c.Turn(ctx, id, t.Number) // the list shortens results
			return []client.Turn{t}, where, err
		}
		turns = append(turns, t)
	}
	slices.Reverse(turns)
	return turns, where, nil
}

// fetchJob is fetchTurns for a job. Results are shortened.
func fetchJob(ctx context.Context, c *client.Client, word, which string) (turns []client.Turn, where string,
	err error) {
	id, err := jobID(ctx, c, word)
	if err != nil {
		return nil, "", err
	}
	all, err := c.JobTurns(ctx, id)
	n, notNumber := strconv.Atoi(which)
	for _, t := range all {
		if notNumber == nil && t.Number == n || notNumber != nil && t.Ended() {
			turns = append(turns, t)
		}
	}
	if err == nil && notNumber == nil && len(turns) == 0 {
		return nil, "", fmt.Errorf("this job has no turn %d", n)
	}
	if which == "last" {
		turns = turns[max(0, len(turns)-1):]
	}
	return turns, "job " + id, err
}
