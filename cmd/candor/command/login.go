package command

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"candor/web/access"
)

// loginCommand returns candor login: a link that opens a server's page and logs in.
//
// It asks the server for a code with the user's token, and writes the link to standard
// output. The token itself stays out of it, because browsers keep links in their history.
//
// Exit status: 0 if the link was printed; 1 if the server did not answer, or refused.
func loginCommand() *cli.Command {
	var s serverSettings
	var telemetry bool
	return &cli.Command{
		Name: "login", Usage: "print a link that opens the page and logs in", Description: helpText("login"),
		Flags: append(serverFlags(&s, defaultServer), &cli.BoolFlag{Name: "telemetry", Destination: &telemetry,
			Usage: "print a token that can only send telemetry, instead of a link"}),
		Action: func(ctx context.Context, c *cli.Command) error {
			if err := noArguments(c); err != nil {
				return err
			}
			if telemetry {
				token, err := s.token()
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(c.Root().Writer, access.TelemetryToken(token))
				return err
			}
			server, err := s.connect()
			if err != nil {
				return err
			}
			defer server.Close()
			code, err := server.LoginCode(ctx)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(c.Root().Writer, pageLink(s.url, code))
			return err
		},
	}
}
