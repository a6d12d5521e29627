package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v3"

	"candor/cmd/candor/terminal"
	"candor/web/client"
)

const exportDescription = `Writes a conversation with its reasons as a file: Markdown, JSON lines, or one HTML
page that stands alone. THREAD is the id of a conversation, the beginning of one, or
last for the one used last. It goes to standard output, or to the file that --output
names, which must not be there yet.

EXIT STATUS
   0  written
   1  the server did not answer, or refused; or the file could not be written
   2  there is no such thread

EXAMPLES
   candor export last > conversation.md
   candor export 7c9e6679 --format html --output why.html
   candor export last --json | jq -c '.reasoning.tool_decisions[]'`

func exportCommand() *cli.Command {
	var (
		s            lookSettings
		format, file string
	)
	return &cli.Command{
		Name: "export", Usage: "write a conversation to a file, reasons included", ArgsUsage: "THREAD", Description: exportDescription,
		Flags: append(lookFlags(&s),
			&cli.StringFlag{Name: "format", Aliases: []string{"f"}, Value: "md", Usage: "write `FORMAT`: md, jsonl or html; --json is jsonl", Destination: &format},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE`", Destination: &file}),
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.Args().Len() != 1 {
				return errors.New("export takes one thread; see candor export --help")
			}
			if s.json {
				format = "jsonl"
			}
			if !slices.Contains(client.Formats, format) {
				return fmt.Errorf("--format: %q is none of md, jsonl, html", format)
			}
			return s.export(ctx, c.Args().First(), format, file, c.Root().Writer, c.Root().ErrWriter)
		},
	}
}

func (s lookSettings) export(ctx context.Context, thread, format, file string, stdout, stderr io.Writer) (err error) {
	c, err := s.connect()
	if err != nil {
		return err
	}
	defer c.Close()
	id, err := threadID(ctx, c, thread)
	if err != nil {
		return err
	}
	done := progress(stderr, "exporting")
	defer done()
	if file != "" {
		_, err = terminal.ExportFile(ctx, c, id, format, file)
		return err
	}
	if _, tty := terminalOf(stdout); tty {
		clean := terminal.CleanWriter(stdout)
		return errors.Join(c.Export(ctx, id, format, clean), clean.Close())
	}
	return c.Export(ctx, id, format, stdout)
}
