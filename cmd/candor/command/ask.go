package command

import (
	"context"
	"io"
	"net/http"

	"github.com/urfave/cli/v3"

	"candor/web/ask"
	"candor/web/client"
)

// mcpCommand returns candor mcp: the MCP server that answers why, over standard input and output.
//
// It is for MCP clients that start their servers as programs; others reach the same tools at /mcp. It asks
// the server of --server with one token, keeps nothing, and ends with its standard input.
//
// Exit status: 0 when its client has gone or it was interrupted; 1 if the settings are wrong.
func mcpCommand(stdin io.Reader) *cli.Command {
	var s serverSettings
	return &cli.Command{
		Name: "mcp", Usage: "run an MCP server that lets agents look up reasons", Description: helpText("mcp"),
		Flags: serverFlags(&s, defaultServer),
		Action: func(ctx context.Context, c *cli.Command) error {
			if err := noArguments(c); err != nil {
				return err
			}
			api, err := s.connect()
			if err != nil {
				return err
			}
			connect := func(http.Header) (*client.Client, error) { return api, nil }
			server := ask.New(thisVersion(), connect, explained, withoutSecrets)
			return server.Run(ctx, stdin, c.Root().Writer)
		},
	}
}
