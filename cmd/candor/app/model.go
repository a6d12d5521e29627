package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"regexp"
	"strings"

	"candor/agent"
	"candor/agent/provider/anthropic"
	"candor/agent/provider/offline"
	"candor/agent/provider/openai"
	"candor/agent/provider/retry"
	"candor/agent/provider/script"
	"candor/safety"
)

// The environment variables of the providers, named as their own tools name them.
const (
	OpenAIKeyEnv     = "OPENAI_API_KEY"
	OpenAIBaseEnv    = "OPENAI_BASE_URL"
	OpenAIModelEnv   = "OPENAI_MODEL"
	AnthropicKeyEnv  = "ANTHROPIC_API_KEY"
	AnthropicBaseEnv = "ANTHROPIC_BASE_URL"
	AnthropicNameEnv = "ANTHROPIC_MODEL"
)

// The models used where none is named. A server at OPENAI_BASE_URL that is not
// OpenAI's is asked for the first model it lists instead.
const (
	defaultOpenAI    = "gpt-5-mini"
	defaultAnthropic = "claude-sonnet-4-5"
)

// model is a provider and what comes along with it.
type model struct {
	name     string
	effort   string // of reasoning; empty for the model's default
	title    string // what people call an agent on it; empty for the tool that hands it tasks
	provider agent.Provider
	tools    []agent.Tool     // besides those of the toolkit
	deny     []string         // tools whose every call is rejected
	agents   map[string]model // further agents, by the name of the tool that hands them a task
	demand   bool             // the rationale is a required argument of every call
}

// Chosen returns the name of the provider: the one set, else the one that the
// environment has a key or an address for, else offline, which needs neither.
func (s ModelSettings) Chosen() string {
	switch {
	case s.Provider != "":
		return s.Provider
	case os.Getenv(OpenAIKeyEnv) != "" || os.Getenv(OpenAIBaseEnv) != "":
		return "openai"
	case os.Getenv(AnthropicKeyEnv) != "":
		return "anthropic"
	}
	return "offline"
}

// Describe returns a text for people that says which model answers and from where. name
// is the model's name, as App.Model has it. The result contains no key.
func (s ModelSettings) Describe(name string) string {
	switch s.Chosen() {
	case "offline":
		return "offline (deterministic, no key: picks tools by the words of a message)"
	case "openai":
		return name + " at " + HostOf(cmp.Or(os.Getenv(OpenAIBaseEnv), openai.DefaultBaseURL))
	case "anthropic":
		return name + " at " + HostOf(cmp.Or(os.Getenv(AnthropicBaseEnv), anthropic.DefaultBaseURL))
	}
	return s.Chosen()
}

// HostOf returns the host and port of a URL: the part that is safe to print, because
// user info, path and query may contain a key.
func HostOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "an address that is no URL"
	}
	return u.Host
}

// newModel builds the provider and decides whether every call must give a reason.
func newModel(s ModelSettings, log *slog.Logger) (model, error) {
	if err := s.check(); err != nil {
		return model{}, err
	}
	m, err := newProvider(s, log)
	if err != nil {
		return model{}, err
	}
	switch s.Reasons {
	case "required":
		m.demand = true
	case "optional":
		m.demand = false
	case "":
	default:
		return model{}, fmt.Errorf("--reasons: %q is neither required nor optional", s.Reasons)
	}
	return m, nil
}

// newProvider builds the chosen provider. Providers on the network retry by themselves;
// the offline and the script provider cannot fail in a way that a retry would mend.
func newProvider(s ModelSettings, log *slog.Logger) (model, error) {
	switch s.Chosen() {
	case "offline":
		return model{name: "offline", provider: offline.New()}, nil
	case "script":
		if s.Script == "" {
			return model{}, errors.New("the script provider needs a file: --script FILE")
		}
		f, err := os.Open(s.Script)
		if err != nil {
			return model{}, fmt.Errorf("--script: %w", err)
		}
		defer f.Close()
		m, err := loadScript(f)
		if err != nil {
			return model{}, fmt.Errorf("--script %s: %w", s.Script, err)
		}
		return m, nil
	case "openai":
		return newOpenAI(s, log)
	case "anthropic":
		return newAnthropic(s, log)
	}
	return model{}, unknownProvider(s.Provider)
}

// openAIName returns the model to ask: the one named, else OpenAI's default, else the
// first that a server other than OpenAI's lists.
func openAIName(s ModelSettings) (string, error) {
	name, base := cmp.Or(s.Name, os.Getenv(OpenAIModelEnv)), os.Getenv(OpenAIBaseEnv)
	switch {
	case name != "":
		return name, nil
	case isHost(base, openai.DefaultBaseURL):
		return defaultOpenAI, nil
	}
	name, err := openai.FirstModel(context.Background(), openai.Options{BaseURL: base, Key: os.Getenv(OpenAIKeyEnv)})
	if err != nil {
		return "", fmt.Errorf("which model? %s did not list any (%w); "+
			"name one with --model or OPENAI_MODEL, such as --model qwen3:8b", HostOf(base), err)
	}
	return name, nil
}

// servedByOpenAI matches the names of models that OpenAI itself serves.
var servedByOpenAI = regexp.MustCompile(`^(gpt-|o[1-9])`)

// newOpenAI builds the provider for OpenAI and for every server that speaks its protocol.
func newOpenAI(s ModelSettings, log *slog.Logger) (model, error) {
	name, err := openAIName(s)
	if err != nil {
		return model{}, err
	}
	p, err := openai.New(openai.Options{
		BaseURL: os.Getenv(OpenAIBaseEnv), Key: os.Getenv(OpenAIKeyEnv), Model: name,
		API: openai.API(s.API), Effort: s.Effort,
	})
	if err != nil {
		return model{}, err
	}
	if err := needKey("openai", OpenAIKeyEnv, OpenAIBaseEnv, openai.DefaultBaseURL); err != nil {
		return model{}, err
	}
	// Small open models drop calls whose schema demands more arguments than they manage.
	demand := servedByOpenAI.MatchString(name)
	return model{name: name, effort: s.Effort, provider: retry.New(p, retry.Options{Log: log}), demand: demand}, nil
}

// newAnthropic builds the provider for Anthropic. Its models give reasons reliably, so
// the rationale is a required argument.
func newAnthropic(s ModelSettings, log *slog.Logger) (model, error) {
	name := cmp.Or(s.Name, os.Getenv(AnthropicNameEnv), defaultAnthropic)
	p, err := anthropic.New(anthropic.Options{
		BaseURL: strings.TrimSuffix(os.Getenv(AnthropicBaseEnv), "/"), Key: os.Getenv(AnthropicKeyEnv),
		Model: name, Effort: s.Effort,
	})
	if err != nil {
		return model{}, err
	}
	if err := needKey("anthropic", AnthropicKeyEnv, AnthropicBaseEnv, anthropic.DefaultBaseURL); err != nil {
		return model{}, err
	}
	return model{name: name, effort: s.Effort, provider: retry.New(p, retry.Options{Log: log}), demand: true}, nil
}

// loadScript reads a script; its errors name the place in the file.
func loadScript(r io.Reader) (model, error) {
	sc, err := script.Load(r)
	if err != nil {
		return model{}, err
	}
	return scriptModel(sc), nil
}

// scriptModel returns a script with its tools, its policy and its sub-agents.
func scriptModel(sc *script.Script) model {
	m := model{name: "script", provider: sc, tools: sc.Tools(), deny: sc.Denied(), agents: map[string]model{}}
	for name, sub := range sc.Agents() {
		m.agents[name] = scriptModel(sub)
	}
	return m
}

// withDelegate lets a model hand tasks to a second agent on the same model. The second
// agent has no delegate tool, so that tasks cannot be handed on without end.
func (m model) withDelegate() model {
	m.agents = map[string]model{"delegate": {
		name: m.name, effort: m.effort, title: "helper", provider: m.provider, demand: m.demand,
	}}
	return m
}

// ownKeys returns the tokens and keys in the environment: those of Candor, those of
// providers and collectors, and passwords in the addresses of providers. The safety layer masks them
// wherever they occur, even if they do not look like keys.
func ownKeys() []safety.Secret {
	var keys []safety.Secret
	for _, name := range []string{OpenAIKeyEnv, AnthropicKeyEnv, "CANDOR_TOKEN", "CANDOR_JOB_TOKEN",
		"CANDOR_MEW_TOKEN"} {
		if v := os.Getenv(name); v != "" {
			keys = append(keys, safety.Secret{Value: v, From: "$" + name})
		}
	}
	for _, name := range []string{OpenAIBaseEnv, AnthropicBaseEnv} {
		if u, err := url.Parse(os.Getenv(name)); err == nil {
			if password, ok := u.User.Password(); ok {
				keys = append(keys, safety.Secret{Value: password, From: "the password in $" + name})
			}
		}
	}
	return append(keys, secretsFrom("$"+OTLPHeadersEnv, collectorSecrets()...)...)
}
