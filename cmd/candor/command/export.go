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
}

// exportCommand returns candor export: one conversation of a server as a document.
//
// It reads the conversation over the API and writes it to standard output, or to the file
// of --output. That file must not exist, so that an export never destroys an earlier one.
// Progress goes to standard error, if that is a terminal and the document is not written to one.
//
// Exit status: 0 if everything was written; 1 if the server did not answer, refused,
// there is no such thread, or the file could not be written; 2 for wrong arguments.
func exportCommand() *cli.Command {
	var s exportSettings
	return &cli.Command{
		Name: "export", Usage: "write a conversation to a file, reasons included",
		ArgsUsage: "THREAD", Description: helpText("export"),
		Flags: append(remoteFlags(&s.remoteSettings),
			&cli.StringFlag{Name: "format", Aliases: []string{"f"}, Value: "md",
				Usage: "write `FORMAT`: md, jsonl or html; --json is jsonl", Destination: &s.format},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE`", Destination: &s.file}),
		Action: func(ctx context.Context, c *cli.Command) error {
			switch args := c.Args(); {
			case args.Len() == 0:
				return misused("export takes one thread; see candor export --help")
			case args.Len() > 1:
				return misused("export takes one thread, not the argument %q as well; see candor export --help",
					args.Get(1))
			}
			if s.json {
				if c.IsSet("format") && s.format != "jsonl" {
					return fmt.Errorf("--json writes jsonl, not --format %s: use one of them", s.format)
				}
				s.format = "jsonl"
			}
			if !slices.Contains(client.Formats, s.format) {
				return fmt.Errorf("--format: %q is none of md, jsonl, html", s.format)
			}
			return exportThread(ctx, s, c.Args().First(), c.Root().Writer, c.Root().ErrWriter)
		},
	}
}

// exportThread writes a thread to the file of the settings, else to stdout. On a
// terminal the text is cleaned of control characters, which could otherwise move the
// cursor or hide a line; a file or a pipe gets every byte. The document is streamed, so
// memory does not grow with the conversation.
func exportThread(ctx context.Context, s exportSettings, thread string, stdout, stderr io.Writer) error {
	c, err := s.connect()
	if err != nil {
		return err
	}
	defer c.Close()
	id, err := threadID(ctx, c, thread)
	if err != nil {
		return err
	}
	if _, tty := terminalOf(stdout); tty && s.file == "" {
		clean := terminal.CleanWriter(stdout)
		return errors.Join(c.Export(ctx, id, s.format, clean), clean.Close())
	}
	bar := progress.Start(stderr, "exporting", 0)
	defer bar.Done()
	if s.file != "" {
		_, err = terminal.ExportFile(ctx, c, id, s.format, s.file, bar)
		return err
	}
	return c.Export(ctx, id, s.format, io.MultiWriter(stdout, bar))
}
