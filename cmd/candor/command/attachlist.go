package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

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
