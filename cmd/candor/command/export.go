package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v3"

	"candor/cmd/candor/progress"
	"candor/cmd/candor/terminal"
	"candor/web/client"
)

// exportSettings are the flags of export.
type exportSettings struct {
	remoteSettings
	format string // md, jsonl or html; --json means jsonl
	file   string // a new file; "" means standard output
	job    string // "" for a thread, or for a job that is named like one
}

// exportCommand returns candor export: one conversation or job of a server as a document.
//
// It reads it over the API and writes it to standard output, or to the file
// of --output. That file must not exist, so that an export never destroys an earlier one.
// Progress goes to standard error, if that is a terminal and the document is not written to one.
//
// Exit status: 0 if everything was written; 1 if the server did not answer, refused,
// there is no such thread or job, or the file could not be written; 2 for wrong arguments.
func exportCommand() *cli.Command {
	var s exportSettings
	return &cli.Command{
		Name: "export", Usage: "write a conversation or a job to a file, reasons included",
		ArgsUsage: "THREAD|JOB", Description: helpText("export"),
		Flags: append(remoteFlags(&s.remoteSettings),
			&cli.StringFlag{Name: "format", Aliases: []string{"f"}, Value: "md",
				Usage: "write `FORMAT`: md, jsonl or html; --json means jsonl", Destination: &s.format},
			&cli.StringFlag{Name: "job", Usage: "write the job `ID`; no THREAD is given then", Destination: &s.job},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE`", Destination: &s.file}),
		Action: func(ctx context.Context, c *cli.Command) error {
			args := c.Args().Slice()
			if s.job != "" {
				args = append([]string{s.job}, args...)
			}
			switch len(args) {
			case 0:
				return misused("export takes one thread or job; see candor export --help")
			case 1:
			default:
				return misused("export takes one thread or job, not the argument %q as well; see candor export --help",
					args[1])
			}
			if s.json {
				if c.IsSet("format") && s.format != "jsonl" {
					return fmt.Errorf("--json writes jsonl, not --format %s: use one of them", s.format)
				}
				s.format = "jsonl"
			}
			if !slices.Contains(client.Formats, s.format) {
				return fmt.Errorf("--format: %q is not md, jsonl or html", s.format)
			}
			return exportTo(ctx, s, args[0], c.Root().Writer, c.Root().ErrWriter)
		},
	}
}

// exportTo writes a thread or a job to the file of the settings, else to stdout. On a
// terminal the text is cleaned of control characters, which could otherwise move the
// cursor or hide a line; a file or a pipe gets every byte. The document is streamed, so
// memory does not grow with the conversation.
func exportTo(ctx context.Context, s exportSettings, word string, stdout, stderr io.Writer) error {
	c, err := s.connect()
	if err != nil {
		return err
	}
	defer c.Close()
	write, err := s.source(ctx, c, word)
	if err != nil {
		return err
	}
	if _, tty := terminalOf(stdout); tty && s.file == "" {
		clean := terminal.CleanWriter(stdout)
		return errors.Join(write(clean), clean.Close())
	}
	bar := progress.Start(stderr, "exporting", 0)
	defer bar.Done()
	if s.file != "" {
		_, err = terminal.ExportFile(s.file, func(w io.Writer) error { return write(io.MultiWriter(w, bar)) })
		return err
	}
	return write(io.MultiWriter(stdout, bar))
}

// source returns what writes the thread or the job that a word names: a thread where both have it, unless --job
// says otherwise.
func (s exportSettings) source(ctx context.Context, c *client.Client, word string) (func(io.Writer) error, error) {
	id, err := "", errNoThread
	if s.job == "" {
		id, err = threadID(ctx, c, word)
	}
	if err == nil {
		return func(w io.Writer) error { return c.Export(ctx, id, s.format, w) }, nil
	}
	if !errors.Is(err, errNoThread) {
		return nil, err
	}
	id, err = jobID(ctx, c, word)
	if errors.Is(err, errNoJob) && s.job == "" {
		err = errors.New("there is no such thread or job; candor list shows those there are")
	}
	return func(w io.Writer) error { return c.ExportJob(ctx, id, s.format, w) }, err
}
