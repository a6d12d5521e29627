package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
)

// maxConfig bounds a configuration, in bytes.
const maxConfig = 1 << 20

// Config lists the servers by name. It may contain credentials, so its text form, for fmt
// and for logs, has only the names.
type Config struct {
	Servers map[string]Endpoint

	expanded []string // values of expanded variables that are credentials
}

// String returns the servers' names, sorted.
func (c Config) String() string {
	return strings.Join(slices.Sorted(maps.Keys(c.Servers)), ", ")
}

// LogValue implements slog.LogValuer like String.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

// Endpoint says how to reach one server: by a command to run, or by a URL. It may contain
// credentials; its text form has only the kind.
type Endpoint struct {
	Command string // looked up in PATH
	Args    []string
	Env     map[string]string // added to the few variables that a process inherits
	Dir     string            // the command's working directory; ours if empty

	URL     string            // of a streamable HTTP endpoint
	Headers map[string]string // sent with each request to this origin

	CallTimeout time.Duration // how long a call may take; 0 leaves it to Options
}

// String returns "stdio" or "http".
func (e Endpoint) String() string {
	if e.Command != "" {
		return "stdio"
	}
	return "http"
}

// LogValue implements slog.LogValuer like String.
func (e Endpoint) LogValue() slog.Value { return slog.StringValue(e.String()) }

// entry is one server in a configuration file. Unknown members are ignored, since other
// programs add their own.
type entry struct {
	Type     string            `json:"type"`
	Command  string            `json:"command"`
	Args     []string          `json:"args"`
	Env      map[string]string `json:"env"`
	Cwd      string            `json:"cwd"`
	URL      string            `json:"url"`
	Headers  map[string]string `json:"headers"`
	Disabled bool              `json:"disabled"`

	// Other programs have a timeout in seconds or in milliseconds, so ours has a name and a
	// unit of its own.
	CallTimeout string `json:"callTimeout"`
}

// Load reads a configuration such as
//
//	{"mcpServers": {
//	  "files":  {"command": "npx", "args": ["-y", "some-server"], "env": {"ROOT": "${HOME}/docs"}},
//	  "search": {"url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"},
//	             "callTimeout": "30s"}
//	}}
//
// In any value, ${NAME} is replaced by what getenv returns, and ${NAME:-default} by that or
// the default. A variable that is empty and has no default is an error. Entries with
// "disabled": true are left out. Errors name the server and the member, never a value,
// because values may be secret.
func Load(r io.Reader, getenv func(string) string) (Config, error) {
	var file struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
	}
	// Text after the first JSON value is ignored. A longer file is cut, which is an error.
	dec := json.NewDecoder(io.LimitReader(r, maxConfig))
	if err := dec.Decode(&file); err != nil {
		return Config{}, fmt.Errorf("the MCP configuration is no valid JSON: %w", withoutInput(err))
	}
	if file.Servers == nil {
		return Config{}, errors.New(`the MCP configuration has no "mcpServers"`)
	}
	c := Config{Servers: map[string]Endpoint{}}
	lookUp := func(name string) string {
		value := getenv(name)
		c.expanded = appendCredential(c.expanded, name, value)
		return value
	}
	for _, name := range slices.Sorted(maps.Keys(file.Servers)) {
		var in entry
		if err := json.Unmarshal(file.Servers[name], &in); err != nil {
			return Config{}, fmt.Errorf("MCP server %q: %w", name, withoutInput(err))
		}
		if in.Disabled {
			continue
		}
		out, err := in.endpoint(lookUp)
		if err != nil {
			return Config{}, fmt.Errorf("MCP server %q: %w", name, err)
		}
		c.Servers[name] = out
	}
	return c, nil
}

// withoutInput returns a decoding error without the text that caused it.
func withoutInput(err error) error {
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("syntax error at byte %d", syntax.Offset)
	case errors.As(err, &typ):
		return fmt.Errorf("%q has to be of another type than %s", typ.Field, typ.Value)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it ends too early")
	}
	return err
}

// endpoint expands the variables of an entry and checks it.
func (in entry) endpoint(getenv func(string) string) (Endpoint, error) {
	// Variables are expanded before the checks, so that the checks see the actual values.
	x := expander{getenv: getenv}
	out := Endpoint{
		Command: x.text(in.Command), Dir: x.text(in.Cwd), Env: x.values(in.Env),
		URL: x.text(in.URL), Headers: x.values(in.Headers),
	}
	for _, a := range in.Args {
		out.Args = append(out.Args, x.text(a))
	}
	if x.err != nil {
		return Endpoint{}, x.err
	}
	if err := in.checkType(); err != nil {
		return Endpoint{}, err
	}
	if in.CallTimeout != "" {
		limit, err := time.ParseDuration(in.CallTimeout)
		if err != nil || limit <= 0 {
			return Endpoint{}, errors.New(`its "callTimeout" is not a time such as "30s" or "2m"`)
		}
		out.CallTimeout = limit
	}
	return out, out.check()
}

// checkType checks that the type, if there is one, agrees with the other members.
func (in entry) checkType() error {
	switch {
	case in.Type == "sse":
		return errors.New(`type "sse" is the retired transport; use the server's streamable HTTP URL`)
	case !slices.Contains([]string{"", "stdio", "http", "streamable-http", "streamableHttp"}, in.Type):
		return errors.New(`"type" is neither "stdio" nor "http"`)
	case in.Type == "stdio" && in.Command == "":
		return errors.New(`of type "stdio", it needs a "command"`)
	case in.Type != "" && in.Type != "stdio" && in.URL == "":
		return errors.New(`of type "http", it needs a "url"`)
	}
	return nil
}

// check reports mistakes that would otherwise only show when the server is started.
func (e Endpoint) check() error {
	switch {
	case e.Command == "" && e.URL == "":
		return errors.New(`it needs a "command" or a "url"`)
	case e.Command != "" && e.URL != "":
		return errors.New(`it has both a "command" and a "url"; take one`)
	case e.Command != "":
		for name := range e.Env {
			if name == "" || strings.ContainsAny(name, "=\x00") {
				return fmt.Errorf("%q cannot be a variable's name", name)
			}
		}
		return nil
	}
	return e.checkHTTP()
}

// checkHTTP checks the URL and the headers.
func (e Endpoint) checkHTTP() error {
	u, err := url.Parse(e.URL)
	switch {
	case err != nil, u.Host == "", u.Scheme != "http" && u.Scheme != "https":
		return errors.New(`its "url" is not an http or https URL`)
	case u.User != nil:
		return errors.New(`its "url" has credentials in it; put them into "headers"`)
	}
	for name, value := range e.Headers {
		if !httpguts.ValidHeaderFieldName(name) {
			return fmt.Errorf("%q cannot be a header's name", name)
		}
		if !httpguts.ValidHeaderFieldValue(value) {
			return fmt.Errorf("the value of header %q has characters that are not allowed", name)
		}
	}
	return nil
}

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
