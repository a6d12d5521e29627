package command

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"candor/attach/codex"
	"candor/attach/opencode"
	"candor/attach/settings"
	"candor/cmd/candor/terminal"
)

// printAttached says which settings have our hooks: the person's own, and those of the folder it is called in.
func (s attachSettings) printAttached(w io.Writer) {
	folder := s.project
	if folder == "" {
		folder = "."
	}
	for _, p := range programs {
		// A program reads both, so that an agent may report twice; the server then has each fact once.
		for _, one := range []attachSettings{{program: p}, {program: p, project: folder}} {
			one.printState(w)
		}
	}
}

// printState says whether one file has our hooks. One that cannot be read does not end the list.
func (s attachSettings) printState(w io.Writer) {
	name, state, server := s.file(), "not attached", ""
	raw, err := readRegular(name)
	if err == nil {
		server, err = s.program.hooks.AttachedTo(raw)
	}
	switch {
	case err != nil:
		state = "cannot be read: " + withoutPath(err).Error()
	case server != "":
		state = "reports to " + server + s.asked(raw)
	}
	fmt.Fprintf(w, "%-8s %s: %s\n", s.program.name, terminal.CleanLine(name), terminal.CleanLine(state))
}

// withoutPath returns what is wrong with a file that the sentence names already.
func withoutPath(err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return failed.Err
	}
	return err
}

// asked says what the hooks of a file that is attached ask for, where the program lets them.
func (s attachSettings) asked(file []byte) string {
	waits, state := false, ""
	switch hooks := s.program.hooks.(type) {
	case settings.Hooks:
		var reasons bool
		waits, reasons = hooks.Asks(file)
		state = "; does not ask for reasons"
		if reasons {
			state = "; asks for reasons"
		}
	case opencode.Plugin:
		waits = hooks.Waits(file)
	}
	if waits {
		return state + "; calls wait for approval"
	}
	return state + "; no call waits"
}

// healthTime is how long a server may take to say that it is there.
const healthTime = 2 * time.Second

// tokenToSet stands in what is left to do where a person has to set the token. It is printed as it is where nobody
// knows where the token is.
const tokenToSet = "export " + settings.TokenVariable + "=…"

// tokenLine returns the command that sets the token from a file, if it is there: that of --token-file, or the one that
// make run keeps in this folder.
func tokenLine(tokenFile string) string {
	// The agent may be started in any folder, so the path is absolute. One with an apostrophe is quoted as shells want
	// it, and the token itself is not printed.
	file, err := filepath.Abs(tokenFile)
	if err != nil {
		file = tokenFile
	}
	if _, err := os.Stat(file); err != nil {
		return tokenToSet
	}
	return fmt.Sprintf(`export %s="$(cat '%s')"`, settings.TokenVariable, strings.ReplaceAll(file, "'", `'\''`))
}

// printAway says that no server answers, if none does. Nothing else would say it, since hooks let the agent go on. The
// settings are written all the same: the server may be started later.
func (s attachSettings) printAway(ctx context.Context, w io.Writer) {
	if !s.undo && !s.answers(ctx) {
		fmt.Fprintf(w, "No Candor server answers at %s now: start it, or name another with --server.\n",
			terminal.CleanLine(s.url))
	}
}

// answers reports whether there is a server at the address that the hooks have. It sends no token, since it needs none
// to be told that, and whoever listens there may be somebody else.
func (s attachSettings) answers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	health := strings.TrimSuffix(s.url, "/") + "/api/health"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, health, http.NoBody)
	if err != nil {
		return false
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	_ = resp.Body.Close() // nothing is read of it
	return resp.StatusCode == http.StatusOK
}

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
