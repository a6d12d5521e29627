package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"candor/attach/settings"
	"candor/cmd/candor/terminal"
)

// printAttached says which settings have our hooks: the person's own, and those of the folder it is called in.
func (s attachSettings) printAttached(w io.Writer) error {
	folder := s.project
	if folder == "" {
		folder = "."
	}
	for _, p := range programs {
		// A program reads both, so that an agent may report twice; the server then has each fact once.
		for _, one := range []attachSettings{{program: p}, {program: p, project: folder}} {
			if err := one.printState(w); err != nil {
				return err
			}
		}
	}
	return nil
}

// printState says whether one file has our hooks.
func (s attachSettings) printState(w io.Writer) error {
	name := s.file()
	raw, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	state := "not attached"
	server, err := s.program.hooks.AttachedTo(raw)
	switch {
	case err != nil:
		state = "cannot be read: " + err.Error()
	case server != "":
		state = "reports to " + server + s.asked(raw)
	}
	fmt.Fprintf(w, "%-8s %s: %s\n", s.program.name, terminal.CleanLine(name), terminal.CleanLine(state))
	return nil
}

// asked says what the hooks of a file that is attached ask for, where the program lets them.
func (s attachSettings) asked(file []byte) string {
	hooks, ok := s.program.hooks.(settings.Hooks)
	if !ok {
		return ""
	}
	waits, reasons := hooks.Asks(file)
	state := "; asks for no reasons"
	if reasons {
		state = "; asks for reasons"
	}
	if waits {
		return state + "; calls wait for a person"
	}
	return state + "; no call waits"
}
