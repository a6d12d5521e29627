package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
)

// Arguments come damaged in known ways. What is meant beyond doubt is mended; nothing is added to arguments that
// were cut off. The rationale is their first property, so that it is there in what is left of any others.

// maxNested is how often arguments may be packed into a string.
const maxNested = 3

// mended returns a call's arguments as the object that is meant, or as they came. Those that are JSON in a string
// are unwrapped, empty objects in front of others and copies are dropped, as some servers send them, and line breaks
// and other control characters may stand in strings as they are.
func mended(args json.RawMessage) json.RawMessage {
	whole := bytes.TrimSpace(args)
	if json.Valid(whole) && whole[0] == '{' {
		return args
	}
	for range maxNested {
		whole = escapeControls(bytes.TrimSpace(whole))
		if len(whole) == 0 || string(whole) == "null" {
			return json.RawMessage("{}")
		}
		var text string
		if whole[0] != '"' || json.Unmarshal(whole, &text) != nil {
			break
		}
		whole = json.RawMessage(text)
	}
	if one := theOnly(whole); one != nil {
		return one
	}
	return args
}

// theOnly returns the object that arguments consist of: empty ones in front of it and copies of it do not count. It
// returns nil if there is none, or something else.
func theOnly(args json.RawMessage) (one json.RawMessage) {
	for dec := json.NewDecoder(bytes.NewReader(args)); ; {
		var next json.RawMessage
		switch err := dec.Decode(&next); {
		case errors.Is(err, io.EOF):
			return one
		case err != nil, next[0] != '{', one != nil && string(one) != "{}" && !bytes.Equal(one, next):
			return nil
		}
		one = next
	}
}

// escapeControls escapes the control characters within the strings of JSON.
func escapeControls(raw json.RawMessage) json.RawMessage {
	if bytes.IndexFunc(raw, func(r rune) bool { return r < ' ' }) < 0 {
		return raw
	}
	out, inString, escaped := make([]byte, 0, len(raw)+16), false, false
	for _, c := range raw {
		switch {
		case inString && c < ' ':
			quoted, _ := json.Marshal(string(rune(c))) // a string always encodes
			out = append(out, quoted[1:len(quoted)-1]...)
			escaped = false
			continue
		case escaped:
			escaped = false
		case c == '\\' && inString:
			escaped = true
		case c == '"':
			inString = !inString
		}
		out = append(out, c)
	}
	return out
}

// statedReason matches the rationale in arguments that are no JSON, to its end or that of the arguments.
var statedReason = regexp.MustCompile(`"` + rationaleProperty + `"\s*:\s*"((?:[^"\\]|\\(?s:.))*)`)

// reasonIn returns the rationale in damaged arguments, "" if there is none. One that was cut off ends with a mark.
func reasonIn(args json.RawMessage) string {
	for range maxNested {
		packed, isString := bytes.CutPrefix(bytes.TrimSpace(args), []byte(`"`))
		if !isString {
			break
		}
		args = json.RawMessage(unescaped(packed))
	}
	at := statedReason.FindSubmatchIndex(args)
	if at == nil {
		return ""
	}
	text := unescaped(args[at[2]:at[3]])
	if at[3] == len(args) || args[at[3]] != '"' {
		text += "…"
	}
	return text
}

// unescaped returns the beginning of a JSON string as text, up to the end of the string or of what is left of it.
func unescaped(raw []byte) string {
	end := 0
	for end < len(raw) && raw[end] != '"' {
		if raw[end] == '\\' {
			if end+1 == len(raw) || raw[end+1] == 'u' && end+6 > len(raw) {
				break
			}
			end++
		}
		end++
	}
	var text string
	quoted := append(append([]byte{'"'}, raw[:end]...), '"')
	if json.Unmarshal(escapeControls(quoted), &text) != nil {
		return string(raw[:end]) // with an escape that is none
	}
	return text
}
