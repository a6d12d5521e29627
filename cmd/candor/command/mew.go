package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/urfave/cli/v3"

	"candor/cmd/candor/app"
	"candor/worker/mew"
)

// spaceTokenEnv is the variable that holds a participant's token.
const spaceTokenEnv = "CANDOR_MEW_TOKEN"

// mewSettings are the flags of mew, and the participant's token, which comes from the
// environment only.
type mewSettings struct {
	app.Settings
	logs        logSettings
	gateway     string // the URL of the gateway
	space       string
	participant string   // the id to ask for, at gateways that do not bind tokens to participants
	answers     string   // which chats are answered: all or addressed
	approvers   []string // participants who may approve calls
	token       string
}

// mewCommand returns candor mew: the agent loop as a participant of a MEW space.
//
// It goes on until it is told to leave or ctx ends, and connects again whenever the connection is
// lost. It writes its log to standard error, and nothing to standard output.
//
// Exit status: 0 if the participant was shut down from within the space or by a signal; 1 if it
// could not be started or the gateway does not let it in.
func mewCommand() *cli.Command {
	var s mewSettings
	return &cli.Command{
		Name:        "mew",
		Usage:       "join a MEW space as an agent that gives its reasons",
		Description: helpText("mew"),
		Flags:       mewFlags(&s),
		Action: func(ctx context.Context, c *cli.Command) error {
			if err := noArguments(c); err != nil {
				return err
			}
			s.token = os.Getenv(spaceTokenEnv)
			return takePart(ctx, s, c.Root().ErrWriter)
		},
	}
}

// mewFlags binds the flags of mew.
func mewFlags(s *mewSettings) []cli.Flag {
	return slices.Concat(modelFlags(&s.Model), toolFlags(&s.Tools), safetyFlags(&s.Safety), []cli.Flag{
		&cli.StringFlag{Name: "gateway", Value: defaultServer,
			Usage:   "connect to the gateway at `URL`: Candor's, or with a path, any other",
			Sources: cli.EnvVars("CANDOR_GATEWAY"), Destination: &s.gateway},
		&cli.StringFlag{Name: "space", Required: true, Usage: "join the space `NAME`",
			Sources: cli.EnvVars("CANDOR_SPACE"), Destination: &s.space},
		&cli.StringFlag{Name: "participant",
			Usage: "ask to join as participant `ID`, if the gateway does not know it by the token; " +
				"a gateway that does ignores it",
			Sources: cli.EnvVars("CANDOR_PARTICIPANT"), Destination: &s.participant},
		&cli.StringFlag{Name: "answer", Value: "all",
			Usage: "answer `WHICH` chats: addressed (to the participant, or mentioning it), or all (also " +
				"those that ask everybody something new)",
			Sources: cli.EnvVars("CANDOR_ANSWER"), Destination: &s.answers},
		&cli.StringSliceFlag{Name: "approver",
			Usage: "let the participant `ID` approve calls by fulfilling proposals; may be repeated; " +
				"without it, calls that need approval are rejected",
			Sources: cli.EnvVars("CANDOR_APPROVER"), Destination: &s.approvers},
		streamFlag(&s.WholeTexts),
	}, logFlags(&s.logs))
}

// takePart takes part in the space until ctx ends or the participant is shut down. Everything
// that can be wrong on this machine is checked before the gateway hears of it.
func takePart(ctx context.Context, s mewSettings, stderr io.Writer) error {
	log, err := s.logs.logger(stderr)
	if err != nil {
		return err
	}
	if s.answers != "all" && s.answers != "addressed" {
		return fmt.Errorf("--answer: %q is neither all nor addressed", s.answers)
	}
	if s.token == "" {
		return errors.New(spaceTokenEnv + " is not set: it is the token of the participant in the space")
	}
	// A tool can read the environment, so the layer has to mask this token too.
	s.Safety.SecretEnv = append(s.Safety.SecretEnv, spaceTokenEnv)
	layer, err := s.Layer()
	if err != nil {
		return err
	}
	s.Tools.AwaitMCP = true // the first chat may need their tools
	lead, closeAgent, err := app.NewAgent(s.Settings, layer, log)
	if err != nil {
		return err
	}
	defer closeAgent()
	p := &mew.Participant{
		Gateway: s.gateway, Space: s.space, ID: s.participant, Token: s.token, Dispatcher: lead, Log: log,
		AddressedOnly: s.answers == "addressed", Approvers: s.approvers,
	}
	if err := p.Run(ctx); err != nil && ctx.Err() == nil {
		return err
	}
	return nil
}
