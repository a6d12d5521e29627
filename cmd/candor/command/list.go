package command

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/urfave/cli/v3"

	"candor/cmd/candor/terminal"
)

// listCommand returns candor list: the user's conversations, watched agents and jobs.
//
// What it prints first of each, its number or the beginning of its id, is what reasoning, tail, export and chat
// take.
//
// Exit status: 0 if the list was printed, also an empty one; 1 if the server did not answer, or refused; 2 for wrong
// arguments.
func listCommand() *cli.Command {
	var s remoteSettings
	return &cli.Command{
		Name: "list", Usage: "list your conversations, watched agents and jobs", Description: helpText("list"),
		Flags: remoteFlags(&s),
		Action: func(ctx context.Context, c *cli.Command) error {
			if err := noArguments(c); err != nil {
				return err
			}
			return listAll(ctx, s, c.Root().Writer)
		},
	}
}

// listAll prints the threads and jobs of a user, as a table or as a line of JSON each.
func listAll(ctx context.Context, s remoteSettings, stdout io.Writer) error {
	style, err := s.style(stdout)
	if err != nil {
		return err
	}
	c, err := s.connect()
	if err != nil {
		return err
	}
	defer c.Close()
	threads, active, err := c.Threads(ctx)
	if err != nil {
		return err
	}
	jobs, err := c.Jobs(ctx)
	if err != nil {
		return err
	}
	if !s.json {
		_, err = io.WriteString(stdout, style.List(threads, jobs, active, time.Now()))
		return err
	}
	var all []any
	for _, t := range threads {
		all = append(all, t)
	}
	for _, j := range jobs {
		all = append(all, j)
	}
	for _, one := range all {
		raw, err := json.Marshal(one)
		if err != nil {
			return err
		}
		if _, err = io.WriteString(stdout, terminal.SafeJSON(raw)+"\n"); err != nil {
			return err
		}
	}
	return nil
}
