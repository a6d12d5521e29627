package safety

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"candor/safety/internal/inert"
)

// MaxQuestion is how long the arguments may be that a person is asked about, in bytes: as
// the tool gets them, and as they are shown.
const MaxQuestion = 64 << 10

// Question is the arguments of a call as a person sees them who is asked about it. Shown is
// the whole of the arguments except for secrets, each a run of characters that nothing acts
// on: a shell, an interpreter and a URL parser do the same with Shown as with the arguments,
// whatever stands behind the markers.
//
// Characters that nobody sees stand in Shown as [U+200B], the number of the character. So do
// brackets that would begin such an escape, or a marker, without being one. Numbers that
// JavaScript would round are strings.
type Question struct {
	Shown  JSON
	Hidden int // characters behind the markers of Shown
}

// Why a person cannot be asked about a call.
var (
	errNotUTF8   = errors.New("it is not valid UTF-8")
	errNotJSON   = errors.New("it is not JSON")
	errTwice     = errors.New("it names a parameter twice")
	errDeep      = fmt.Errorf("it is nested deeper than %d levels", maxDepth)
	errKey       = errors.New("the name of a parameter would be changed or hidden")
	errChanged   = errors.New("a part that is hidden as a secret " + inert.ErrSigns.Error())
	errUnseen    = errors.New("a text has both a secret and characters that nobody sees")
	errQuestion  = fmt.Errorf("it is longer than %d bytes", MaxQuestion)
	errUndefined = errors.New("a part of it cannot be shown as it is")
)

// Question returns a call's arguments for a person who is asked about the call. It fails if
// that is impossible without showing a secret, or hiding something that may be acted on. The
// error says why, in words that complete "It cannot be shown to a person as it would run:".
func (l *Layer) Question(arguments json.RawMessage) (Question, error) {
	q, _, err := l.question(arguments)
	return q, err
}

// question is Question, and returns the leaves of the arguments, in their order.
func (l *Layer) question(arguments json.RawMessage) (Question, []leaf, error) {
	if err := checkArguments(arguments); err != nil {
		return Question{}, nil, err
	}
	plain := l.Limit(1 << 40)
	plain.keepsTokens = true
	cleaned, _ := plain.CleanJSON(arguments)
	a := &aligner{raw: &walker{in: arguments}, clean: &walker{in: cleaned.Raw()}}
	if err := a.value(0, true); err != nil {
		return Question{}, nil, err
	}
	if err := inert.Check(a.texts); err != nil {
		return Question{}, nil, fmt.Errorf("a part that is hidden as a secret %w", err)
	}
	var shown bytes.Buffer
	if err := json.Compact(&shown, a.out); err != nil {
		return Question{}, nil, errUndefined
	}
	if shown.Len() > MaxQuestion {
		return Question{}, nil, errQuestion
	}
	return Question{JSON{shown.Bytes()}, a.hidden}, a.leaves, nil
}

// checkArguments returns why arguments cannot be read, or nil.
func checkArguments(arguments json.RawMessage) error {
	switch {
	case len(arguments) > MaxQuestion:
		return errQuestion
	case !utf8.Valid(arguments):
		return errNotUTF8
	case !json.Valid(arguments):
		return errNotJSON
	}
	return nil
}

// escapeUnseen returns a text in which each character that nobody sees, or that is easily
// taken for another, is an escape such as [U+200B]. A bracket that would begin an escape or
// a marker is escaped, so the text stands for no other one.
func escapeUnseen(s string) string {
	var b strings.Builder
	for i, r := range s {
		if mustEscape(r) || r == '[' && (strings.HasPrefix(s[i:], "[U+") || strings.HasPrefix(s[i:], "[REDACTED:")) {
			fmt.Fprintf(&b, "[U+%04X]", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
