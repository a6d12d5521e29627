package mcp

import (
	"fmt"
	"regexp"
)

// variable is ${NAME} or ${NAME:-else}; a dollar sign otherwise means itself.
var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}`)

// expander puts variables' values into text and keeps the first failure.
type expander struct {
	getenv func(string) string
	err    error
}

func (x *expander) text(s string) string {
	return variable.ReplaceAllStringFunc(s, func(found string) string {
		parts := variable.FindStringSubmatch(found)
		value := x.getenv(parts[1])
		switch {
		case value != "":
			return value
		case parts[2] == "" && x.err == nil:
			x.err = fmt.Errorf("the variable %s it asks for is not set", parts[1])
		}
		return parts[3]
	})
}

func (x *expander) values(in map[string]string) map[string]string {
	out := make(map[string]string, len(in))
	for k, v := range in {
		out[k] = x.text(v)
	}
	return out
}
