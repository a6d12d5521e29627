package command

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"

	"candor/cmd/candor/secret"
	"candor/web/access"
)

// madeToken is a token of the local user that the server made because nobody configured one, and what
// its reader should know of it. The zero value is none.
type madeToken struct{ value, note string }

// loadSecrets reads the key of the deployment into the settings, and returns who may call the API. The
// key is that of --key-file, or the one that folder keeps, which is "" for a server without any: it takes a
// random key, with which nothing that it gives out holds beyond its end. File tools refuse the files.
func (s *serveSettings) loadSecrets(folder string) (t access.Tokens, made madeToken, err error) {
	for _, private := range []string{s.tokensFile, s.keyFile, folder} {
		if private != "" {
			s.Private = append(s.Private, private)
		}
	}
	switch {
	case s.keyFile != "":
		if s.Key, err = secret.ReadKey(s.keyFile); err != nil {
			return t, made, fmt.Errorf("--key-file: %w", err)
		}
	case folder != "":
		if s.Key, err = secret.KeyIn(folder); err != nil {
			return t, made, err
		}
	}
	return loadTokens(*s, folder)
}

// loadTokens reads who may call the API. If nobody is configured it makes a token for
// access.LocalUser, which is printed: replicas have the same, and a folder keeps it.
func loadTokens(s serveSettings, folder string) (t access.Tokens, made madeToken, err error) {
	if s.tokensFile != "" {
		f, err := os.Open(s.tokensFile)
		if err != nil {
			return t, made, fmt.Errorf("--tokens: %w", err)
		}
		defer f.Close()
		if t, err = access.ParseTokens(f); err != nil {
			return t, made, fmt.Errorf("--tokens %s: %w", s.tokensFile, err)
		}
	}
	switch {
	case s.token != "" && len(s.token) < access.MinToken:
		return t, made, fmt.Errorf("%s is too short: it needs at least %d characters", tokenEnv, access.MinToken)
	case s.token == "" && s.tokensFile != "":
		return t, made, nil
	case s.token == "":
		if made, err = makeToken(s, folder); err != nil {
			return t, made, err
		}
	}
	t.Add(access.LocalUser, cmp.Or(s.token, made.value))
	return t, made, nil
}

// makeToken returns the token of a server for which none is configured.
func makeToken(s serveSettings, folder string) (madeToken, error) {
	switch {
	case s.keyFile != "":
		return madeToken{s.Key.Token(), "that of --key-file"}, nil
	case folder != "":
		value, err := secret.TokenIn(folder)
		return madeToken{value, "kept in " + filepath.Join(folder, "token")}, err
	}
	note := "made for this run, shown only here"
	if _, err := os.Stat(defaultTokenFile); err == nil {
		note += "; the one in " + defaultTokenFile + " is of another server, so export this as " + tokenEnv
	}
	return madeToken{rand.Text(), note}, nil
}
