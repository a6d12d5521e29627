package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"candor/cmd/candor/terminal"
	"candor/web/client"
)

// The server of every client command unless --server names one: where serve listens by
// default. The token file is relative to the working directory, and may be absent.
const (
	defaultServer    = "http://127.0.0.1:8080"
	defaultTokenFile = ".candor/token"
)

// serverSettings name a running server and the file of the token to log in with.
type serverSettings struct {
	url       string // http or https, without user, query and fragment
	tokenFile string // read only if CANDOR_TOKEN is not set
}

// serverFlags binds the flags that name a server; url is the default, and "" means none.
func serverFlags(s *serverSettings, url string) []cli.Flag {
	const category = "Server"
	return []cli.Flag{
		&cli.StringFlag{Name: "server", Category: category, Value: url, Usage: "use the server at `URL`",
			Sources: cli.EnvVars("CANDOR_SERVER"), Destination: &s.url},
		&cli.StringFlag{Name: "token-file", Category: category, Value: defaultTokenFile,
			Usage:   "read the token from `FILE` if CANDOR_TOKEN is not set",
			Sources: cli.EnvVars("CANDOR_TOKEN_FILE"), Destination: &s.tokenFile},
	}
}

// token returns the token of CANDOR_TOKEN, else that of the file, without the white space
// around it. There is no flag for the token itself, because other users of a machine can
// read a program's arguments.
func (s serverSettings) token() (string, error) {
	if t := os.Getenv(tokenEnv); t != "" {
		return t, nil
	}
	raw, err := os.ReadFile(s.tokenFile)
	if errors.Is(err, os.ErrNotExist) && s.tokenFile == defaultTokenFile {
		return "", errors.New("a token is needed: set CANDOR_TOKEN, or name a file with --token-file. " +
			"candor serve prints the one that it made")
	}
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	return strings.TrimSpace(string(raw)), nil
}

// connect returns a client of the server. It does not call the server yet.
func (s serverSettings) connect() (*client.Client, error) {
	token, err := s.token()
	if err != nil {
		return nil, err
	}
	return client.New(s.url, token)
}

// remoteSettings are the flags of the commands that show a server's data.
type remoteSettings struct {
	serverSettings
	viewSettings
}

// remoteFlags binds the flags that reasoning, tail and export share.
func remoteFlags(s *remoteSettings) []cli.Flag {
	return slices.Concat(serverFlags(&s.serverSettings, defaultServer), viewFlags(&s.viewSettings))
}

// Errors for the name of a thread or job that there is not. They say how to find those that there are.
var (
	errNoThread = errors.New("there is no such thread; candor list shows those there are")
	errNoJob    = errors.New("there is no such job; candor list shows those there are")
)

// minJobID is the shortest beginning of a job's id that names it, in bytes, as of a thread's.
const minJobID = 4

// jobID finds a job by the word last, or by the beginning of its id. It fails if there is none, or more than one.
func jobID(ctx context.Context, c *client.Client, word string) (string, error) {
	if _, err := c.Job(ctx, word); !client.Is(err, "no_job") {
		return word, err // it is a whole id
	}
	jobs, err := c.Jobs(ctx)
	if err != nil {
		return "", err
	}
	if word == "last" && len(jobs) > 0 {
		return jobs[0].ID, nil
	}
	found := ""
	for _, j := range jobs {
		switch {
		case len(word) < minJobID || !strings.HasPrefix(j.ID, word):
		case found != "":
			return "", errors.New("several jobs begin like this: give more of the id")
		default:
			found = j.ID
		}
	}
	if found == "" {
		return "", errNoJob
	}
	return found, nil
}

// threadID finds a thread by the word last, by its number in the list, or by the
// beginning of its id. It fails if there is none, or more than one.
func threadID(ctx context.Context, c *client.Client, word string) (string, error) {
	list, active, err := c.Threads(ctx)
	if err != nil {
		return "", err
	}
	if word == "last" {
		return lastThread(list, active)
	}
	id, err := terminal.Pick(list, word)
	if errors.Is(err, terminal.ErrNoThread) {
		err = errNoThread
	}
	return id, err
}

// lastThread returns the thread used last: the active one, else the newest in the list. A
// server whose only conversations are those of a space has no active thread.
func lastThread(list []client.Thread, active string) (string, error) {
	switch {
	case active != "":
		return active, nil
	case len(list) == 0:
		return "", errors.New("there is no conversation yet")
	}
	return list[0].ID, nil
}
