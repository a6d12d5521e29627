package app

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"candor/agent"
	"candor/agent/tool"
	"candor/safety"
	"candor/web/access"
)

// NewLayer builds the safety layer that every text passes before it is kept or shown.
// Secrets that it knows are those of the settings, the further ones given, and the tokens
// and keys of Candor and of model providers in the environment. Its errors name the flag
// and the line at fault, never a value.
func NewLayer(s SafetySettings, further ...safety.Secret) (*safety.Layer, error) {
	options := []safety.Option{safety.OnGuess(s.guessed)}
	if s.PolicyFile != "" {
		f, err := os.Open(s.PolicyFile)
		if err != nil {
			return nil, fmt.Errorf("--policy: %w", err)
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
	known = slices.Concat(further, known, ownKeys())
	return safety.NewLayer(append(options, safety.Secrets(known...))...), nil
}

// Layer is NewLayer with the credentials of the MCP configuration as further secrets.
func (s Settings) Layer(further ...safety.Secret) (*safety.Layer, error) {
	if s.Tools.MCPConfig != "" {
		config, err := loadMCP(s.Tools.MCPConfig)
		if err != nil {
			return nil, err
		}
		further = slices.Concat(further, secretsFrom("--mcp "+s.Tools.MCPConfig, config.Credentials()...))
	}
	return NewLayer(s.Safety, further...)
}

// minSecret is the length, in bytes, from which the safety layer masks a known secret.
const minSecret = 4

// knownSecrets reads the values that are secret even if they do not look it: those in
// the file, then those in the environment.
func knownSecrets(s SafetySettings) ([]safety.Secret, error) {
	var known []safety.Secret
	if s.SecretsFile != "" {
		f, err := os.Open(s.SecretsFile)
		if err != nil {
			return nil, fmt.Errorf("--secrets-file: %w", err)
		}
		defer f.Close()
		values, err := safety.ReadSecrets(f)
		if err != nil {
			return nil, fmt.Errorf("--secrets-file %s: %w", s.SecretsFile, err)
		}
		if len(values) == 0 {
			return nil, fmt.Errorf("--secrets-file %s: the file has no secrets; write one per line", s.SecretsFile)
		}
		for i, value := range values {
			if len(value) < minSecret {
				return nil, fmt.Errorf("--secrets-file %s: value %d of %d is too short to be masked: "+
					"it needs at least %d bytes", s.SecretsFile, i+1, len(values), minSecret)
			}
			from := fmt.Sprintf("value %d of --secrets-file %s", i+1, s.SecretsFile)
			known = append(known, secretsFrom(from, value)...)
		}
	}
	for _, name := range s.SecretEnv {
		value, ok := os.LookupEnv(name)
		if !ok {
			return nil, fmt.Errorf("--secret-env %s: there is no such variable", name)
		}
		if len(strings.TrimSpace(value)) < minSecret {
			return nil, fmt.Errorf("--secret-env %s: its value is too short to be masked: it needs at least %d bytes",
				name, minSecret)
		}
		known = append(known, secretsFrom("--secret-env "+name, value)...)
	}
	return known, nil
}

// tokenSecrets returns the tokens of users, each of which its user may know, as secrets.
func tokenSecrets(tokens access.Tokens) (all []safety.Secret) {
	for user, token := range tokens.Values() {
		all = append(all, safety.Secret{Value: token, From: "the token of user " + user, Owners: []string{user}})
	}
	return all
}

// secretsFrom returns values of one origin as secrets that no user owns.
func secretsFrom(from string, values ...string) (all []safety.Secret) {
	for _, v := range values {
		all = append(all, safety.Secret{Value: v, From: from})
	}
	return all
}

// privateFiles returns the files and folders that file tools refuse: those that hold the
// secrets and the rules of this process. The state folder of the workspace is refused in
// any case.
func (s Settings) privateFiles() []string {
	all := append(slices.Clone(s.Private), tool.StateFolder, s.Safety.SecretsFile, s.Safety.PolicyFile,
		s.Tools.MCPConfig, s.MEW.SpacesFile, s.Storage.Dir,
		s.Storage.NATS.Credentials, s.Storage.NATS.Key)
	return slices.DeleteFunc(all, func(name string) bool { return name == "" })
}

// PrivateInWorkspace returns the private files and folders that lie in the workspace,
// relative to it, sorted and each once. File tools refuse them, but a command of the shell
// tool or an MCP server can read them: they belong elsewhere.
func (s Settings) PrivateInWorkspace() []string {
	base, err := filepath.EvalSymlinks(s.Tools.Workspace)
	if err != nil {
		return nil // New reports a workspace that does not exist
	}
	if base, err = filepath.Abs(base); err != nil {
		return nil
	}
	var inside []string
	for _, name := range append(s.privateFiles(), filepath.Join(base, tool.StateFolder)) {
		actual, err := filepath.EvalSymlinks(name)
		if err != nil {
			continue
		}
		if actual, err = filepath.Abs(actual); err != nil {
			continue
		}
		if rel, err := filepath.Rel(base, actual); err == nil && filepath.IsLocal(rel) {
			inside = append(inside, filepath.ToSlash(rel))
		}
	}
	slices.Sort(inside)
	return slices.Compact(inside)
}

// confidence returns what the settings mean for an agent. It fails if there is no such threshold
// or no such way to go on.
func (s ConfidenceSettings) confidence() (agent.Confidence, error) {
	if t := s.Threshold; t != nil && !(*t >= 0 && *t <= 1) {
		return agent.Confidence{}, fmt.Errorf("--confidence-threshold: %v is not a number from 0 to 1", *t)
	}
	ways := []string{lowAsk, lowContinue, lowOrchestrator}
	way := cmp.Or(s.Low, lowAsk)
	if !slices.Contains(ways, way) {
		return agent.Confidence{}, fmt.Errorf("--low-confidence: %q is not ask, continue or orchestrator", s.Low)
	}
	return agent.Confidence{
		Offer: s.Ask, Threshold: s.Threshold, Continue: way == lowContinue, Decide: tool.Decide(),
	}, nil
}
