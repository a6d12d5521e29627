package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// maxConfig bounds a configuration, in bytes.
const maxConfig = 1 << 20

// Config says which servers there are, by name. It may hold credentials: its
// text form, which is also what a log gets, has the names only.
type Config struct {
	Servers map[string]Endpoint
}

// String gives the servers' names.
func (c Config) String() string {
	return strings.Join(slices.Sorted(maps.Keys(c.Servers)), ", ")
}

// LogValue is String, whatever the log's format.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

// Endpoint is how to reach one server: a command to run, or a URL. It may hold
// credentials; its text form says the kind only.
type Endpoint struct {
	Command string            // looked up in PATH
	Args    []string          //
	Env     map[string]string // added to the few variables a process gets
	Dir     string            // where the command runs; ours when empty

	URL     string            // of a streamable HTTP endpoint
	Headers map[string]string // sent with each request, to this origin only
}

// String is "stdio" or "http".
func (e Endpoint) String() string {
	if e.Command != "" {
		return "stdio"
	}
	return "http"
}

// LogValue is String, whatever the log's format.
func (e Endpoint) LogValue() slog.Value { return slog.StringValue(e.String()) }

// entry is one server as people write it. Members that other programs add are
// passed over.
type entry struct {
	Type     string            `json:"type"`
	Command  string            `json:"command"`
	Args     []string          `json:"args"`
	Env      map[string]string `json:"env"`
	Cwd      string            `json:"cwd"`
	URL      string            `json:"url"`
	Headers  map[string]string `json:"headers"`
	Disabled bool              `json:"disabled"`
}

// Load reads a configuration such as
//
//	{"mcpServers": {
//	  "files":  {"command": "npx", "args": ["-y", "some-server"], "env": {"ROOT": "${HOME}/docs"}},
//	  "search": {"url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}}
//	}}
//
// ${NAME} in any value stands for what getenv gives, ${NAME:-else} for that or
// else. A name that getenv knows nothing of is an error. Entries with
// "disabled": true are left out. Errors name server and member, never a value.
func Load(r io.Reader, getenv func(string) string) (Config, error) {
	var file struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
	}
	dec := json.NewDecoder(io.LimitReader(r, maxConfig))
	if err := dec.Decode(&file); err != nil {
		return Config{}, fmt.Errorf("the MCP configuration is no valid JSON: %w", readable(err))
	}
	if file.Servers == nil {
		return Config{}, errors.New(`the MCP configuration has no "mcpServers"`)
	}
	c := Config{Servers: map[string]Endpoint{}}
	for _, name := range slices.Sorted(maps.Keys(file.Servers)) {
		var in entry
		if err := json.Unmarshal(file.Servers[name], &in); err != nil {
			return Config{}, fmt.Errorf("MCP server %q: %w", name, readable(err))
		}
		if in.Disabled {
			continue
		}
		out, err := in.endpoint(getenv)
		if err != nil {
			return Config{}, fmt.Errorf("MCP server %q: %w", name, err)
		}
		c.Servers[name] = out
	}
	return c, nil
}

// readable is a decoding error without the text it stumbled over.
func readable(err error) error {
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

func (in entry) endpoint(getenv func(string) string) (Endpoint, error) {
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
	return out, out.check()
}

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

// check reports what would only fail once the server is needed.
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
