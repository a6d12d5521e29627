package otlp

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Numbers as protobuf's mapping to JSON has them: each may stand in a string, an integer may have an exponent or zeros
// as its fraction, and a float may be none. A null is 0, or no value of an attribute.
type (
	whole   uint64
	integer int64
	double  float64
)

// UnmarshalJSON implements json.Unmarshaler.
func (n *whole) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		return nil
	}
	v, err := strconv.ParseUint(digits(literal(raw)), 10, 64)
	if err != nil {
		return ErrBody
	}
	*n = whole(v)
	return nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *integer) UnmarshalJSON(raw []byte) error {
	v, err := strconv.ParseInt(digits(literal(raw)), 10, 64)
	if err != nil {
		return ErrBody
	}
	*n = integer(v)
	return nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *double) UnmarshalJSON(raw []byte) error {
	number := literal(raw)
	named := number == "NaN" || number == "Infinity" || number == "-Infinity"
	v, err := strconv.ParseFloat(number, 64)
	// ParseFloat knows further spellings, such as 0x1p3 and inf.
	if err != nil || !named && !json.Valid([]byte(number)) {
		return ErrBody
	}
	*n = double(v)
	return nil
}

// literal returns a string of JSON without its quotes, and any other value as it stands.
func literal(raw []byte) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// The bounds of an exponent: how many digits it may have, and how many zeros it may add, more than 64 bits ever need.
const (
	exponentDigits = 4
	exponentZeros  = 20
)

// digits returns an integer of JSON without exponent and fraction: 1000 for 1e3 and 7 for 7.0. Any other text is
// returned as it is, which ParseInt refuses.
func digits(number string) string {
	mantissa, exponent, scaled := strings.Cut(strings.ToLower(number), "e")
	before, after, broken := strings.Cut(mantissa, ".")
	if !scaled && !broken || len(exponent) > exponentDigits || !json.Valid([]byte(number)) {
		return number
	}
	all := before + after
	shift, _ := strconv.Atoi(exponent) // 0 without one
	shift -= len(after)
	switch {
	case strings.Trim(all, "-0") == "":
		return "0"
	case shift >= 0 && shift <= exponentZeros:
		return all + strings.Repeat("0", shift)
	case shift < 0 && -shift < len(all) && strings.Trim(all[len(all)+shift:], "0") == "":
		return all[:len(all)+shift]
	}
	return number
}
