package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// ErrSettings is the error for settings that cannot be changed without losing something. The wrapping error says what
// is wrong, and where.
var ErrSettings = errors.New("correct the file first")

// fault returns an error about a place in settings. It has none of their text, which may have keys: errors end up in
// logs and in reports to others. Columns count characters, as editors do.
func fault(raw []byte, at int, what string) error {
	before := raw[:at]
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return fmt.Errorf("%w: line %d, column %d: %s", ErrSettings, 1+bytes.Count(before, []byte("\n")), column, what)
}

// object returns where the object of the settings begins, and fails if they are anything else.
func object(raw []byte) (at int, err error) {
	if bytes.HasPrefix(raw, []byte("\uFEFF")) {
		return 0, fault(raw, 0, "a byte order mark, which is no part of JSON")
	}
	var whole json.RawMessage
	if err := json.Unmarshal(raw, &whole); err != nil {
		return 0, syntaxFault(raw, err)
	}
	if at = behind(raw, 0, " \t\r\n"); raw[at] != '{' {
		return 0, fault(raw, at, "the settings are no JSON object")
	}
	return at, nil
}

// syntaxFault says what is wrong with settings that are no JSON, without the character that is. Comments have words of
// their own, since some of these programs take them, and a person does not see what is wrong with them.
func syntaxFault(raw []byte, err error) error {
	wrong, ok := errors.AsType[*json.SyntaxError](err)
	if !ok {
		return fault(raw, 0, "the settings are no JSON")
	}
	at := min(max(0, int(wrong.Offset)-1), len(raw))
	_, where, named := strings.Cut(wrong.Error(), "invalid character ")
	switch rest := raw[at:]; {
	case !named:
		return fault(raw, len(raw), "the JSON ends too early")
	case bytes.HasPrefix(rest, []byte("//")) || bytes.HasPrefix(rest, []byte("/*")):
		return fault(raw, at, "a comment, which is no part of JSON")
	}
	return fault(raw, at, "this character cannot stand here"+said(where))
}

// said returns what the decoder was doing, behind the character that it quotes.
func said(where string) string {
	if _, doing, ok := strings.Cut(where[1:], "' "); ok {
		return ", " + doing
	}
	return ""
}
