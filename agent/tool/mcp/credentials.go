package mcp

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// credentialName matches the names of variables, headers and options that hold credentials.
var credentialName = regexp.MustCompile(
	`(?i)(key|token|secret|passw|pwd|pass$|auth|credential|cookie|bearer|session|pat$|dsn|connection.?string)`)

// Credentials returns the values of the configuration that are secret judging by their
// names, sorted and each once: of variables, headers and options of commands, of variables
// that were expanded, and passwords in URLs. A value that other texts may well have, such as
// a path or a word, is not among them.
func (c Config) Credentials() []string {
	found := slices.Clone(c.expanded)
	for _, e := range c.Servers {
		for name, value := range e.Env {
			found = appendCredential(found, name, value)
		}
		for name, value := range e.Headers {
			found = appendCredential(found, name, value)
			if scheme, rest, ok := strings.Cut(value, " "); ok && !strings.Contains(scheme, "=") {
				found = appendCredential(found, name, rest) // without Bearer
			}
		}
		for i, arg := range e.Args {
			name, value, ok := strings.Cut(arg, "=")
			if !ok && strings.HasPrefix(arg, "-") && i+1 < len(e.Args) {
				value = e.Args[i+1]
			}
			found = appendCredential(found, name, value)
		}
		found = appendCredential(found, "", e.URL)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// appendCredential appends a value if it is one of a credential, or the password of a URL.
func appendCredential(found []string, name, value string) []string {
	if u, err := url.Parse(value); err == nil && u.User != nil {
		if password, ok := u.User.Password(); ok && len(password) >= 4 {
			found = append(found, password)
		}
	}
	if credentialName.MatchString(name) && distinctive(value) {
		found = append(found, value)
	}
	return found
}

// distinctive reports whether masking each occurrence of a value hides nothing else: it is
// no path, URL or setting, and either long or a mix of letters and digits.
func distinctive(value string) bool {
	if len(value) < 8 || strings.ContainsAny(value[:1], "/.~$") || strings.Contains(value, "://") {
		return false
	}
	mixed := strings.ContainsFunc(value, func(r rune) bool { return r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' })
	return len(value) >= 16 || mixed && strings.ContainsAny(value, "0123456789")
}

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
