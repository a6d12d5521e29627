package mcp

import (
	"fmt"
	"regexp"
)

// variable matches ${NAME} and ${NAME:-default}. Any other dollar sign means itself.
var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}`)

// expander replaces variables in text by their values. err is its first failure.
type expander struct {
	getenv func(string) string
	err    error
}

// text expands one text. Unset variables without a default are failures; an empty value
// counts as unset, as with ${NAME:-default} in sh.
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

// values expands the values of a map, but not its keys.
func (x *expander) values(in map[string]string) map[string]string {
	out := make(map[string]string, len(in))
	for k, v := range in {
		out[k] = x.text(v)
	}
	return out
}
