package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"strings"

	"candor/agent"
	"candor/agent/provider/anthropic"
	"candor/agent/provider/offline"
	"candor/agent/provider/openai"
	"candor/agent/provider/retry"
	"candor/agent/provider/script"
)

// model is a provider with what comes along with it.
type model struct {
	name     string
	provider agent.Provider
	tools    []agent.Tool
	deny     []string
	agents   map[string]model // other agents, by the tool that hands them a task
	demand   bool             // is a reason a required argument of every call
}

// modelSettings say which model answers. Keys come from the environment only:
// arguments are visible to all.
type modelSettings struct {
	provider string // "" means by what the environment has
	model    string
	script   string
	api      string // of openai: chat or responses
	effort   string // of reasoning
	delegate bool   // may it hand tasks on
	reasons  string // required or optional; "" means by the model
}

// What the environment may hold for providers.
const (
	openAIKey     = "OPENAI_API_KEY"
	openAIBaseURL = "OPENAI_BASE_URL"
	openAIModel   = "OPENAI_MODEL"
	anthropicKey  = "ANTHROPIC_API_KEY"
	anthropicBase = "ANTHROPIC_BASE_URL"
	anthropicName = "ANTHROPIC_MODEL"
)

// chosen is the provider: the one named, else the one the environment has a key or
// an address for, else the one that needs neither.
func (s modelSettings) chosen() string {
	switch {
	case s.provider != "":
		return s.provider
	case os.Getenv(openAIKey) != "" || os.Getenv(openAIBaseURL) != "":
		return "openai"
	case os.Getenv(anthropicKey) != "":
		return "anthropic"
	}
	return "offline"
}

// newModel makes the model and settles whether it has to give reasons.
func newModel(s modelSettings, log *slog.Logger) (model, error) {
	m, err := providerOf(s, log)
	if err != nil {
		return model{}, err
	}
	switch s.reasons {
	case "required":
		m.demand = true
	case "optional":
		m.demand = false
	case "":
	default:
		return model{}, fmt.Errorf("--reasons: %q is neither required nor optional", s.reasons)
	}
	return m, nil
}

func providerOf(s modelSettings, log *slog.Logger) (model, error) {
	switch s.chosen() {
	case "offline":
		return model{name: "offline", provider: offline.New()}, nil
	case "script":
		if s.script == "" {
			return model{}, errors.New("the script provider needs a file: --script FILE")
		}
		f, err := os.Open(s.script)
		if err != nil {
			return model{}, err
		}
		defer f.Close()
		return scriptModel(f)
	case "openai":
		return openAIModelOf(s, log)
	case "anthropic":
		return anthropicModelOf(s, log)
	}
	return model{}, fmt.Errorf("there is no provider called %q; take offline, script, openai or anthropic", s.provider)
}

// The models asked where none is named. On servers that are not OpenAI's it is the
// first that they offer.
const (
	defaultOpenAI    = "gpt-5-mini"
	defaultAnthropic = "claude-sonnet-4-5"
)

// openAIName is the model to ask: the one named, the default, or, of a server of
// one's own, the first it lists.
func openAIName(s modelSettings) (string, error) {
	name, base := cmp.Or(s.model, os.Getenv(openAIModel)), os.Getenv(openAIBaseURL)
	switch {
	case name != "":
		return name, nil
	case base == "" || hostOf(base) == hostOf(openai.DefaultBaseURL):
		return defaultOpenAI, nil
	}
	name, err := openai.FirstModel(context.Background(), openai.Options{BaseURL: base, Key: os.Getenv(openAIKey)})
	if err != nil {
		return "", fmt.Errorf("which model? %s did not list any (%w); name one with --model or OPENAI_MODEL, such as --model qwen3:8b", hostOf(base), err)
	}
	return name, nil
}

// openAIsOwn are the names of models that OpenAI itself serves.
var openAIsOwn = regexp.MustCompile(`^(gpt-|o[1-9])`)

func scriptModel(r io.Reader) (model, error) {
	sc, err := script.Load(r)
	if err != nil {
		return model{}, err
	}
	return modelOf(sc), nil
}

// withDelegate lets a model hand tasks to another agent on the same model.
func (m model) withDelegate() model {
	m.agents = map[string]model{"delegate": {name: m.name, provider: m.provider, demand: m.demand}}
	return m
}

func modelOf(sc *script.Script) model {
	m := model{name: "script", provider: sc, tools: sc.Tools(), deny: sc.Denied(), agents: map[string]model{}}
	for name, sub := range sc.Agents() {
		m.agents[name] = modelOf(sub)
	}
	return m
}

func openAIModelOf(s modelSettings, log *slog.Logger) (model, error) {
	name, err := openAIName(s)
	if err != nil {
		return model{}, err
	}
	p, err := openai.New(openai.Options{
		BaseURL: os.Getenv(openAIBaseURL), Key: os.Getenv(openAIKey), Model: name,
		API: openai.API(s.api), Effort: s.effort,
	})
	if err != nil {
		return model{}, err
	}
	// Small open models drop calls whose schema demands more than they manage.
	demand := openAIsOwn.MatchString(name)
	return model{name: name, provider: retry.New(p, retry.Options{Log: log}), demand: demand}, nil
}

func anthropicModelOf(s modelSettings, log *slog.Logger) (model, error) {
	name := cmp.Or(s.model, os.Getenv(anthropicName), defaultAnthropic)
	p, err := anthropic.New(anthropic.Options{
		BaseURL: strings.TrimSuffix(os.Getenv(anthropicBase), "/"), Key: os.Getenv(anthropicKey), Model: name, Effort: s.effort,
	})
	if err != nil {
		return model{}, err
	}
	return model{name: name, provider: retry.New(p, retry.Options{Log: log}), demand: true}, nil
}

// modelKeys are the keys in the environment. The safety layer knows them as
// secrets, whatever they look like.
func modelKeys() []string {
	var keys []string
	for _, name := range []string{openAIKey, anthropicKey} {
		if v := os.Getenv(name); v != "" {
			keys = append(keys, v)
		}
	}
	return keys
}
