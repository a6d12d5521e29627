package inert

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

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

// maxLayers is how many encodings around a text are undone.
const maxLayers = 3

// minText is the length from which a decoded value counts as text, in bytes. What is shorter
// is text by chance too often.
const minText = 6

// hidesText reports whether h, or a part of it between points or colons, is the encoding of
// a text that is not inert.
func hidesText(h string, layers int) bool {
	if layers == 0 {
		return true
	}
	for part := range strings.FieldsFuncSeq(h, func(r rune) bool { return r == '.' || r == ':' }) {
		for _, text := range decodings(part) {
			if isText(text) && !isPlain(text, layers-1) {
				return true
			}
		}
	}
	return false
}

// decodings returns what part decodes to, in each of the encodings it may have.
func decodings(part string) []string {
	bare := strings.TrimRight(part, "=")
	var all []string
	add := func(b []byte, err error) {
		if err == nil && len(b) >= minText {
			all = append(all, string(b))
		}
	}
	add(base64.RawStdEncoding.DecodeString(bare))
	add(base64.RawURLEncoding.DecodeString(bare))
	add(base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.ToUpper(bare)))
	add(hex.DecodeString(bare))
	return all
}

// isText reports whether a decoded value is something to read, not random bytes.
func isText(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0x7f {
			return false
		}
	}
	return true
}

// isPlain reports whether a decoded text does nothing wherever it goes: one word, such as
// user:password, or JSON without a sign of a shell, such as the parts of a JWT.
func isPlain(s string, layers int) bool {
	single := true
	for i := range len(s) {
		single = single && (signs[s[i]] || s[i] == '@')
	}
	if single {
		return !hidesText(s, layers)
	}
	return s[0] == '{' && json.Valid([]byte(s)) && !strings.ContainsAny(s, "`$;|&<>()\\'#!*\n\r")
}
