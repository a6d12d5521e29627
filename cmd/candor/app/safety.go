package app

import (
	"fmt"
	"os"

	"candor/safety"
)

// NewLayer builds the safety layer that every text passes before it is kept or shown.
// The keys of model providers in the environment are secrets it knows. Its errors name
// the flag and the line at fault, never a value.
func NewLayer(s SafetySettings) (*safety.Layer, error) {
	var options []safety.Option
	if s.PolicyFile != "" {
		f, err := os.Open(s.PolicyFile)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		p, err := safety.ReadPolicy(f)
		if err != nil {
			return nil, fmt.Errorf("--policy %s: %w", s.PolicyFile, err)
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

// knownSecrets reads the values that are secret even if they do not look it: those in
// the file, then those in the environment.
func knownSecrets(s SafetySettings) ([]string, error) {
	var known []string
	if s.SecretsFile != "" {
		f, err := os.Open(s.SecretsFile)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if known, err = safety.ReadSecrets(f); err != nil {
			return nil, fmt.Errorf("--secrets-file %s: %w", s.SecretsFile, err)
		}
	}
	for _, name := range s.SecretEnv {
		value, ok := os.LookupEnv(name)
		if !ok {
			return nil, fmt.Errorf("--secret-env %s: there is no such variable", name)
		}
		known = append(known, value)
	}
	return known, nil
}
