package main

import (
	"fmt"
	"os"

	"github.com/urfave/cli/v3"

	"candor/safety"
)

// safetySettings change what the layer looks for and does.
type safetySettings struct {
	policyFile  string
	secretsFile string
	secretEnv   []string
}

func safetyFlags(s *safetySettings) []cli.Flag {
	const category = "Safety"
	return []cli.Flag{
		&cli.StringFlag{Name: "secrets-file", Category: category, Usage: "mask the values in `FILE`, one a line, wherever they stand",
			Sources: cli.EnvVars("CANDOR_SECRETS_FILE"), Destination: &s.secretsFile},
		&cli.StringSliceFlag{Name: "secret-env", Category: category, Usage: "mask the value of the environment variable `NAME`; may be repeated",
			Sources: cli.EnvVars("CANDOR_SECRET_ENV"), Destination: &s.secretEnv},
		&cli.StringFlag{Name: "policy", Category: category, Usage: "replace the policy's rules by those of `FILE`",
			Sources: cli.EnvVars("CANDOR_POLICY"), Destination: &s.policyFile},
	}
}

// newLayer makes the layer that the settings describe; our own keys for models are
// secrets it knows. Its errors show no value.
func newLayer(s safetySettings) (*safety.Layer, error) {
	var options []safety.Option
	if s.policyFile != "" {
		f, err := os.Open(s.policyFile)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		p, err := safety.ReadPolicy(f)
		if err != nil {
			return nil, fmt.Errorf("--policy %s: %w", s.policyFile, err)
		}
		options = append(options, safety.WithPolicy(p))
	}
	known, err := knownSecrets(s)
	if err != nil {
		return nil, err
	}
	known = append(known, modelKeys()...)
	return safety.NewLayer(append(options, safety.KnownSecrets(known...))...), nil
}

func knownSecrets(s safetySettings) ([]string, error) {
	var known []string
	if s.secretsFile != "" {
		f, err := os.Open(s.secretsFile)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if known, err = safety.ReadSecrets(f); err != nil {
			return nil, fmt.Errorf("--secrets-file %s: %w", s.secretsFile, err)
		}
	}
	for _, name := range s.secretEnv {
		value, ok := os.LookupEnv(name)
		if !ok {
			return nil, fmt.Errorf("--secret-env %s: there is no such variable", name)
		}
		known = append(known, value)
	}
	return known, nil
}
