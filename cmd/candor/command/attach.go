package command

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"

	"candor/attach/settings"
	"candor/cmd/candor/terminal"
	"candor/web/client"
)

// attachSettings are the flags of attach.
type attachSettings struct {
	// Whose settings are changed.
	program program
	// The server that the hooks post to, and the file of its token, which is read for the list alone.
	url, tokenFile string
	// A folder whose own settings are changed, instead of the person's.
	project string
	// Take away what was added, instead of adding it.
	undo bool
	// Show what would change, and change nothing.
	dryRun bool
	// Do not ask.
	yes bool
	// Which calls wait for a person.
	approve approvals
	// Ask the model for its reasons.
	askReasons bool
	// Have the program ask for summaries of the model's thoughts.
	thinking bool
	// Say what is attached, and nothing else.
	list bool
}

// attachCommand returns candor attach: the settings by which an agent's program reports to a server as it works.
//
// It changes one file, after it has asked on standard input. What it did and what is left to do goes to standard
// output.
//
// Exit status: 0 if the file is as it should be; 1 if it cannot be read or written, or the answer was no; 2 for wrong
// arguments.
func attachCommand(stdin io.Reader) *cli.Command {
	var s attachSettings
	return &cli.Command{
		Name: "attach", Usage: "make Claude Code, Codex or another agent report to a server",
		ArgsUsage: "AGENT", Description: helpText("attach"),
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "server", Value: defaultServer, Usage: "report to the server at `URL`",
				Sources: cli.EnvVars("CANDOR_SERVER"), Destination: &s.url},
			&cli.StringFlag{Name: "token-file", Value: defaultTokenFile, Sources: cli.EnvVars("CANDOR_TOKEN_FILE"),
				Usage:       "read the token for --list from `FILE` if CANDOR_TOKEN is not set",
				Destination: &s.tokenFile},
			&cli.StringFlag{Name: "project", Usage: "attach only agents that work in `DIR`", Destination: &s.project},
			&cli.BoolFlag{Name: "undo", Usage: "remove what attach added", Destination: &s.undo},
			&cli.BoolFlag{Name: "dry-run", Usage: "show what would change in the file, without changing it",
				Destination: &s.dryRun},
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "do not ask", Destination: &s.yes},
			&cli.GenericFlag{Name: "approve", Value: &s.approve,
				Usage: "make calls that change something, or of the tools in =`LIST`, wait for approval"},
			&cli.BoolFlag{Name: "ask-reasons", Usage: "ask the model for a reason before each call",
				Destination: &s.askReasons},
			&cli.BoolFlag{Name: "thinking", Usage: "have the agent's program ask for summaries of the model's thoughts",
				Destination: &s.thinking},
			&cli.BoolFlag{Name: "list", Usage: "list what is attached", Destination: &s.list},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			// The agent must be named: attach changes no file without being told whose.
			name := c.Args().First()
			known := false
			s.program, known = programNamed(name)
			switch {
			case c.Args().Len() > 1:
				return s.surplus(c.Args().Get(1))
			case s.list && (name != "" || s.undo || s.dryRun || s.approve.any || s.askReasons ||
				s.thinking):
				return misused("attach --list takes neither an agent nor --undo, --dry-run, --approve, --ask-reasons " +
					"or --thinking")
			case !s.hasProject():
				return misused("--project: there is no folder %q", s.project)
			case s.list:
				s.printAttached(c.Root().Writer)
				printHeard(ctx, serverSettings{s.url, s.tokenFile}, c.Root().Writer)
				return nil
			case name == "":
				return misused("attach takes an agent: %s; see candor attach --help", programNames())
			case !known:
				return misused("attach knows %s, not the agent %q; see candor attach --help", programNames(), name)
			}
			if _, err := client.New(s.url, "any"); err != nil {
				return misused("--server: %w", err)
			}
			if err := s.chooseHooks(); err != nil {
				return err
			}
			// Both questions are answered on one input.
			answers := bufio.NewReader(io.LimitReader(stdin, 200))
			if err := s.change(ctx, answers, c.Root().Writer); err != nil {
				return err
			}
			return s.changeSummaries(answers, c.Root().Writer)
		},
	}
}

// surplus returns the error for an argument behind the agent, which may be meant for --approve: that flag may stand
// alone, so that its list needs an equals sign.
func (s *attachSettings) surplus(argument string) error {
	hint := ""
	if s.approve.any && len(s.approve.tools) == 0 && new(approvals).Set(argument) == nil {
		hint = "; to choose the tools whose calls wait, write --approve=" + argument
	}
	return misused("attach takes one agent, not the argument %q as well%s; see candor attach --help", argument, hint)
}

// chooseHooks makes the program's hooks those that the flags ask for.
func (s *attachSettings) chooseHooks() error {
	switch {
	case !s.approve.any && !s.askReasons && !s.thinking:
		return nil
	case s.undo:
		return misused("--approve, --ask-reasons and --thinking add hooks, --undo removes them: use one or the other")
	case s.askReasons && s.program.reminding == nil:
		return misused("--ask-reasons: hooks of %s cannot ask its model for reasons", s.program.name)
	case s.thinking && !s.canThink():
		return misused("--thinking: %s has no setting for summaries of thoughts", s.program.name)
	}
	if s.approve.any {
		// The flag alone leaves the choice to what the program has.
		if len(s.approve.tools) == 0 {
			s.approve.tools = s.program.writing
		}
		s.program.hooks = s.program.approving(s.approve.tools)
	}
	if hooks, ok := s.program.hooks.(settings.Hooks); ok && s.askReasons {
		s.program.hooks = s.program.reminding(hooks)
	}
	if hooks, ok := s.program.hooks.(settings.Hooks); ok {
		hooks.Thinks = s.thinking && hooks.Switch != ""
		s.program.hooks = hooks
	}
	return nil
}

// change attaches or detaches.
func (s attachSettings) change(ctx context.Context, stdin *bufio.Reader, stdout io.Writer) error {
	name := s.file()
	before, err := readRegular(name)
	if err != nil {
		return err
	}
	// A file that is not there is one without settings.
	var after []byte
	if s.undo {
		after, err = s.program.hooks.Detach(before)
	} else {
		after, err = s.program.hooks.Attach(before, s.url)
	}
	shown := terminal.CleanLine(name)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	case bytes.Equal(before, after) && (before == nil) == (after == nil):
		if s.undo {
			fmt.Fprintf(stdout, "%s has no hooks of Candor: nothing was changed.\n", shown)
		} else {
			fmt.Fprintf(stdout, "%s is up to date: nothing was changed.\n", shown)
		}
		return nil
	case s.dryRun:
		// What it means stands last, where a terminal has it in view: the change is long.
		fmt.Fprintf(stdout, "%s would change:\n%s\n"+
			"Nothing was changed. Without --dry-run, attach asks and then makes this change.\n",
			shown, terminal.Clean(lineDiff(string(before), string(after))))
		s.printAway(ctx, stdout)
		return nil
	}
	if err := writable(name); err != nil {
		return err
	}
	if !s.yes && !s.agreed(name, after == nil, stdin, stdout) {
		return errors.New("nothing was changed: answer y, or give --yes")
	}
	if err := replaceFile(name, before, after); err != nil {
		return err
	}
	s.printRest(stdout, name, after == nil)
	s.printAway(ctx, stdout)
	return nil
}

// agreed asks whether the file may be changed, or removed if nothing would be left of it.
func (s attachSettings) agreed(name string, removed bool, stdin *bufio.Reader, stdout io.Writer) bool {
	what := "add hooks that post to " + s.url + ", and keep the rest"
	switch {
	case removed:
		what = "remove this file, which has only what attach wrote"
	case s.undo:
		what = "remove Candor's hooks, and keep the rest"
	}
	return isYes(name, what, stdin, stdout)
}

// isYes asks whether something may be done to a file.
func isYes(name, what string, stdin *bufio.Reader, stdout io.Writer) bool {
	// Whoever wants to see the file first says no, and then --dry-run.
	fmt.Fprintf(stdout, "%s: %s? [y/N] ", terminal.CleanLine(name), terminal.CleanLine(what))
	answer, _ := stdin.ReadString('\n')
	return strings.EqualFold(strings.TrimSpace(answer), "y") || strings.EqualFold(strings.TrimSpace(answer), "yes")
}

// printRest says what a person has to do still, and what the hooks cannot tell.
func (s attachSettings) printRest(w io.Writer, name string, removed bool) {
	switch {
	case removed:
		fmt.Fprintf(w, "Removed %s, which attach had created. Running sessions use it until they end.\n",
			terminal.CleanLine(name))
		return
	case s.undo:
		fmt.Fprintf(w, "Removed Candor's hooks from %s. Running sessions keep them until they end.\n",
			terminal.CleanLine(name))
		return
	}
	fmt.Fprintf(w, "Attached in %s. Its sessions appear on the page, under Watched agents: %s/\n\n%s",
		terminal.CleanLine(name), terminal.CleanLine(strings.TrimSuffix(s.url, "/")),
		s.rest())
	if s.approve.any {
		tools := strings.Join(s.approve.tools, ", ")
		if tools == "" {
			tools = s.program.writes
		}
		fmt.Fprintf(w, approvalRest, tools, s.program.approved)
	}
	if s.askReasons {
		fmt.Fprint(w, reasonsRest)
	}
}

// rest says what is left to do, and what the hooks cannot tell.
func (s attachSettings) rest() string {
	reasons := untoldReasons
	if s.askReasons {
		reasons = "" // the model is asked for them
	}
	known := strings.NewReplacer(tokenToSet, terminal.CleanLine(tokenLine(s.tokenFile)), untoldReasons, reasons)
	return known.Replace(s.program.rest)
}

// approvalRest says what --approve does, of which tools, and what an approval means.
const approvalRest = `
Calls of %s
wait for an answer in Candor: for its --approval-timeout, ten minutes at most.
After that, or if the server is down, the agent continues as it would
without Candor.
%s`

// reasonsRest says what --ask-reasons does.
const reasonsRest = `
Each prompt asks the model for a line before each call, "Reason for Bash: ...".
The model may ignore this; the page counts the calls that have one. For
sub-agents, Codex and Gemini CLI, the lines are in the session file.
`
