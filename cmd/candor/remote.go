package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v3"

	"candor/web/client"
)

// serverSettings say which server to speak to, and as whom.
type serverSettings struct {
	url       string
	tokenFile string
}

const (
	defaultServer    = "http://127.0.0.1:8080"
	defaultTokenFile = ".candor/token"
)

func serverFlags(s *serverSettings, url string) []cli.Flag {
	const category = "Server"
	return []cli.Flag{
		&cli.StringFlag{Name: "server", Category: category, Value: url, Usage: "speak to the server at `URL`",
			Sources: cli.EnvVars("CANDOR_SERVER"), Destination: &s.url},
		&cli.StringFlag{Name: "token-file", Category: category, Value: defaultTokenFile, Usage: "read the token from `FILE` where CANDOR_TOKEN is not set",
			Sources: cli.EnvVars("CANDOR_TOKEN_FILE"), Destination: &s.tokenFile},
	}
}

// token is the one of the environment, else of the file.
func (s serverSettings) token() (string, error) {
	if t := os.Getenv("CANDOR_TOKEN"); t != "" {
		return t, nil
	}
	raw, err := os.ReadFile(s.tokenFile)
	if errors.Is(err, os.ErrNotExist) && s.tokenFile == defaultTokenFile {
		return "", errors.New("a token is needed: set CANDOR_TOKEN, or name a file with --token-file. candor serve shows the one it made")
	}
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	return strings.TrimSpace(string(raw)), nil
}

// connect is a client of the server.
func (s serverSettings) connect() (*client.Client, error) {
	token, err := s.token()
	if err != nil {
		return nil, err
	}
	return client.New(s.url, token)
}
