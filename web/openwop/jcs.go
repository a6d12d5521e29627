package openwop

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"candor/safety"
)

// hashOf returns the SHA-256 of a cleaned value in its canonical form, in hexadecimal.
func hashOf(j safety.JSON) ours {
	sum := sha256.Sum256(canonical(j.Raw()))
	return ours(hex.EncodeToString(sum[:]))
}

// canonical returns a JSON value in the form of RFC 8785: without spaces, members in the order of
// their names' UTF-16 code units, strings and numbers as ECMAScript writes them. A number that no
// double has stays as it is written.
func canonical(raw json.RawMessage) []byte {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return raw
	}
	return appendCanonical(nil, v)
}

// appendCanonical appends a value in the form of RFC 8785: members by their names in UTF-16, and no blanks.
func appendCanonical(to []byte, v any) []byte {
	switch v := v.(type) {
	case map[string]any:
		order := slices.SortedFunc(maps.Keys(v), func(a, b string) int {
			return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
		})
		to = append(to, '{')
		for i, name := range order {
			if i > 0 {
				to = append(to, ',')
			}
			to = append(appendString(to, name), ':')
			to = appendCanonical(to, v[name])
		}
		return append(to, '}')
	case []any:
		to = append(to, '[')
		for i, e := range v {
			if i > 0 {
				to = append(to, ',')
			}
			to = appendCanonical(to, e)
		}
		return append(to, ']')
	case string:
		return appendString(to, v)
	case json.Number:
		return append(to, canonicalNumber(v.String())...)
	case bool:
		return strconv.AppendBool(to, v)
	}
	return append(to, "null"...)
}

// appendString appends a string as JSON.stringify writes it.
func appendString(to []byte, s string) []byte {
	const short = "btn\x00fr" // the letters of \b, \t, \n, \f and \r, from U+0008 on
	to = append(to, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			to = append(to, '\\', byte(r))
		case r >= '\b' && r <= '\r' && r != '\v':
			to = append(to, '\\', short[r-'\b'])
		case r < ' ':
			to = append(to, `\u00`...)
			to = append(to, "0123456789abcdef"[r>>4], "0123456789abcdef"[r&15])
		default:
			to = append(to, string(r)...)
		}
	}
	return append(to, '"')
}

// canonicalNumber returns a number as ECMAScript writes it: plain between 1e-6 and 1e21, with an
// exponent otherwise.
func canonicalNumber(written string) string {
	f, err := strconv.ParseFloat(written, 64)
	if err != nil {
		return written
	}
	size := math.Abs(f)
	if size == 0 {
		return "0"
	}
	if size >= 1e-6 && size < 1e21 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
	sign, digits := exponent[:1], strings.TrimLeft(exponent[1:], "0")
	return mantissa + "e" + sign + digits
}
