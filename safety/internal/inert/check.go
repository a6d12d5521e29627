package inert

import (
	"errors"

	"candor/safety/internal/lex"
)

// Text is one string of a call, with the parts of it that are not shown.
type Text struct {
	Raw    string
	Hidden []lex.Span // in order, not empty
	// Before are the strings in front of it in a list, such as the arguments of a command.
	Before []string
	// Named says that the whole text is known to be a value, by the name it has.
	Named bool
}

// Why a call cannot be shown. None of them contains any part of the call.
var (
	ErrSigns   = errors.New("has signs that a shell, an interpreter or an address acts on")
	ErrLong    = errors.New("is too long for a secret")
	ErrEncoded = errors.New("is an encoded text")
	ErrBeside  = errors.New("has a meaning for a shell or an interpreter by the sign beside it")
	ErrAddress = errors.New("is the host of an address")
	ErrProgram = errors.New("stands where the name of a program stands")
	ErrRuns    = errors.New("can be run, since the call also runs data as code or decodes it")
)

// Check returns nil if all hidden parts of a call are inert, else why one is not.
func Check(texts []Text) error {
	hides := false
	for _, t := range texts {
		hides = hides || len(t.Hidden) > 0
		if err := t.check(); err != nil {
			return err
		}
	}
	if !hides {
		return nil
	}
	for _, t := range texts {
		if runsData(t) {
			return ErrRuns
		}
	}
	return nil
}

// check returns why a hidden part of the text is not inert, or nil.
func (t Text) check() error {
	if len(t.Hidden) == 0 {
		return nil
	}
	scan := split(t.Raw, t.Before)
	at := 0
	for _, h := range t.Hidden {
		if err := checkSigns(t.Raw[h.From:h.To]); err != nil {
			return err
		}
		if t.Named && h.From == 0 && h.To == len(t.Raw) {
			continue
		}
		if err := checkBeside(t.Raw, h); err != nil {
			return err
		}
		for at < len(scan.words)-1 && scan.words[at].to < h.To {
			at++
		}
		if err := checkPlace(scan, at, h); err != nil {
			return err
		}
	}
	return nil
}
