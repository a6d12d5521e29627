package command

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
names, which must not exist yet.

EXIT STATUS
   0  written
   1  the server did not answer, or refused; or the file could not be written
   2  there is no such thread

EXAMPLES
   candor export last > conversation.md
   candor export 7c9e6679 --format html --output why.html
   candor export last --json | jq -c '.reasoning.tool_decisions[]'`

// exportSettings are the flags of export.
type exportSettings struct {
	remoteSettings
	format, file string
}

func exportCommand() *cli.Command {
	var s exportSettings
	return &cli.Command{
		Name: "export", Usage: "write a conversation to a file, reasons included",
		ArgsUsage: "THREAD", Description: exportDescription,
		Flags: append(remoteFlags(&s.remoteSettings),
			&cli.StringFlag{Name: "format", Aliases: []string{"f"}, Value: "md",
				Usage: "write `FORMAT`: md, jsonl or html; --json is jsonl", Destination: &s.format},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE`", Destination: &s.file}),
		Action: func(ctx context.Context, c *cli.Command) error {
			switch args := c.Args(); {
			case args.Len() == 0:
				return errors.New("export takes one thread; see candor export --help")
			case args.Len() > 1:
				return fmt.Errorf("export takes one thread, not the argument %q as well; see candor export --help",
					args.Get(1))
			}
			if s.json {
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
// terminal the text is cleaned of control characters; a file or a pipe gets every byte.
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
	done := progress(stderr, "exporting")
	defer done()
	if s.file != "" {
		_, err = terminal.ExportFile(ctx, c, id, s.format, s.file)
		return err
	}
	if _, tty := terminalOf(stdout); tty {
		clean := terminal.CleanWriter(stdout)
		return errors.Join(c.Export(ctx, id, s.format, clean), clean.Close())
	}
	return c.Export(ctx, id, s.format, stdout)
}
