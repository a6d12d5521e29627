package command

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"

	"candor/attach/wrapper"
)

// namedVariable finds one in the value of a header. Any other $ is part of a key, which no error may repeat.
var namedVariable = regexp.MustCompile(`\$\{[A-Za-z_][A-Za-z0-9_]*\}`)

// remoteHeader returns the headers for the MCP server of --url. Values come from the environment where the flag names a
// variable, since other users of a machine can read a program's arguments.
func (s wrapSettings) remoteHeader() (http.Header, error) {
	if s.remote == "" {
		return nil, nil
	}
	u, err := url.Parse(s.remote)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, misused("--url must be a URL such as http://127.0.0.1:3001/mcp")
	}
	// A header may be there several times.
	all := http.Header{}
	for _, one := range s.headers {
		name, value, ok := strings.Cut(one, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return nil, misused("--header must be 'NAME: VALUE', such as 'Authorization: Bearer ${NOTES_TOKEN}'")
		}
		missing := ""
		value = namedVariable.ReplaceAllStringFunc(strings.TrimSpace(value), func(named string) string {
			// A header without its key would be refused by the server, in words that say nothing of the variable.
			name := named[2 : len(named)-1]
			v, ok := os.LookupEnv(name)
			if !ok {
				missing = name
			}
			return v
		})
		if missing != "" {
			return nil, misused("--header: the variable %s of the header %s is not set", missing, name)
		}
		all.Add(strings.TrimSpace(name), value)
	}
	return all, nil
}

// relayRemote moves messages between the client and a server that speaks HTTP, until the client is gone.
func (w *wrapping) relayRemote(ctx context.Context, header http.Header) error {
	r := &wrapper.Remote{
		URL: w.settings.remote, Header: header, Conn: w.conn, Relay: w.clientRelay(), Out: w.stdout,
		// Another address would get the headers, and a stream has no end that a timeout could know.
		Client: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}},
	}
	// Told to end, we have ended as we should.
	if err := r.Run(ctx, w.stdin); err != nil && ctx.Err() == nil {
		return err
	}
	return nil
}
