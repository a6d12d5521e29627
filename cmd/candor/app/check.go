package app

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"candor/agent"
)

// A setting that has no effect is a mistake: whoever denies a tool that does not exist
// believes it denied. The checks in this file refuse such settings when the program
// starts, with the names that would have an effect.

// providers are the values of --provider, in the order in which they are listed.
var providers = []string{"offline", "script", "openai", "anthropic"}

// efforts are the values of --effort, from the least to the most. Not every model knows
// each of them.
var efforts = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}

// unknownProvider returns the error for a provider that does not exist.
func unknownProvider(name string) error {
	return fmt.Errorf("there is no provider %q; use offline, script, openai or anthropic", name)
}

// check refuses settings that the chosen provider would ignore.
func (s ModelSettings) check() error {
	chosen := s.Chosen()
	if !slices.Contains(providers, chosen) {
		return unknownProvider(s.Provider)
	}
	network := []string{"openai", "anthropic"}
	for _, one := range []struct {
		flag, value string
		with        []string
	}{
		{"--script", s.Script, []string{"script"}},
		{"--model", s.Name, network},
		{"--effort", s.Effort, network},
		{"--api", s.API, []string{"openai"}},
	} {
		if one.value != "" && !slices.Contains(one.with, chosen) {
			return fmt.Errorf("%s has no effect with the provider %s: add --provider %s, or leave %s out",
				one.flag, chosen, strings.Join(one.with, " or --provider "), one.flag)
		}
	}
	switch {
	case s.Effort != "" && !slices.Contains(efforts, s.Effort):
		return fmt.Errorf("--effort: %q is not one of %s", s.Effort, strings.Join(efforts, ", "))
	case s.Delegate && chosen == "script":
		return fmt.Errorf("--delegate has no effect with the provider script: name the agents in the script")
	}
	return nil
}

// isHost reports whether an address of the environment is that of a provider's own
// service, which is also the one used if there is none.
func isHost(base, own string) bool { return base == "" || HostOf(base) == HostOf(own) }

// needKey refuses to ask a provider's own service without a key: every turn would fail.
// Servers elsewhere may need none.
func needKey(provider, keyEnv, baseEnv, own string) error {
	if strings.TrimSpace(os.Getenv(keyEnv)) != "" || !isHost(os.Getenv(baseEnv), own) {
		return nil
	}
	return fmt.Errorf("the provider %s needs a key: set %s, or set %s to a server that needs none",
		provider, keyEnv, baseEnv)
}

// checkMCP refuses a time limit that would have no effect.
func (s ToolSettings) checkMCP() error {
	switch limit := s.MCPTimeout; {
	case limit < 0:
		return fmt.Errorf("--mcp-timeout: want a time such as 2m, not %s", limit)
	case limit != 0 && limit != DefaultMCPTimeout && s.MCPConfig == "":
		return errors.New("--mcp-timeout has no effect without --mcp: add --mcp FILE, or leave --mcp-timeout out")
	}
	return nil
}

// checkRules refuses rules that match no tool. Tools that --enable turns on count as existing,
// since what is asked for holds without them as well. While an MCP server has not listed its
// tools, a rule that may match one of them is accepted; it is logged when none does.
func (t *team) checkRules(k *toolkit) error {
	states := k.states() // before the tools: a server that lists its own in between still counts as starting
	known := t.knownTools(k)
	var unknown []string
	for _, one := range t.rules.all {
		if !slices.ContainsFunc(known, one.matches) && !one.waits(states) {
			unknown = append(unknown, fmt.Sprintf("%s: there is no tool %q", one.flag, one.name))
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	var names []string
	for _, spec := range known {
		names = append(names, spec.Name)
	}
	slices.Sort(names)
	return fmt.Errorf("%s; take %s", strings.Join(unknown, "; "), strings.Join(slices.Compact(names), ", "))
}

// knownTools returns what rules may name: every tool of every agent, and those that are off.
func (t *team) knownTools(k *toolkit) []agent.Spec {
	var all []agent.Spec
	for _, one := range k.tools() {
		all = append(all, one.Spec())
	}
	for _, name := range optionalTools {
		all = append(all, agent.Spec{Name: name})
	}
	for _, m := range t.members {
		for _, one := range m.own {
			all = append(all, one.Spec())
		}
		if decide := m.Confidence.Decide; decide != nil {
			all = append(all, decide.Spec())
		}
	}
	return all
}
