package command

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"candor/attach/codex"
	"candor/attach/settings"
	"candor/cmd/candor/terminal"
)

// canThink reports whether a setting of the program has it ask for summaries of the model's thoughts.
func (s attachSettings) canThink() bool {
	hooks, ok := s.program.hooks.(settings.Hooks)
	return ok && hooks.Switch != "" || s.program.summaries != ""
}

// changeSummaries turns the setting for summaries on, or back, where it stands in a file of its own.
func (s attachSettings) changeSummaries(stdin *bufio.Reader, stdout io.Writer) error {
	if s.program.summaries == "" {
		return nil
	}
	name := s.fileBeside(s.program.summaries)
	before, err := readRegular(name)
	if err != nil {
		return err
	}
	after := codex.SummariesBack(before)
	what, done := "ask for no more summaries of thoughts, and keep the rest", "Removed the setting for summaries from"
	if s.thinking {
		what, done = "ask for summaries of the model's thoughts, and keep the rest", "Set summaries of thoughts in"
		if after, err = codex.SummariesOn(after); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	shown := terminal.CleanLine(name)
	switch {
	case bytes.Equal(before, after) && (before == nil) == (after == nil):
		return nil
	case s.dryRun:
		fmt.Fprintf(stdout, "%s would change:\n%s\n", shown, terminal.Clean(lineDiff(string(before), string(after))))
		return nil
	}
	if err := writable(name); err != nil {
		return err
	}
	if !s.yes && !isYes(name, what, stdin, stdout) {
		return errors.New(name + " was not changed: answer y, or give --yes")
	}
	if err := replaceFile(name, before, after); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s %s.\n", done, shown)
	return nil
}
