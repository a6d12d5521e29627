package app

import (
	"fmt"
	"log/slog"
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
	return fmt.Errorf("there is no provider called %q; take offline, script, openai or anthropic", name)
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
		return fmt.Errorf("--effort: %q is none of %s", s.Effort, strings.Join(efforts, ", "))
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

// checkToolNames refuses names of --deny and --approve that no tool has. Tools that
// --enable turns on count as existing, since what is asked for holds without them as
// well. While an MCP server is down its tools are not known yet: a name that may be one
// of them is accepted, with a warning.
func (t *team) checkToolNames(s ToolSettings, k *toolkit, log *slog.Logger) error {
	known := t.toolNames(k)
	var unknown []string
	for _, f := range s.named() {
		if slices.Contains(known, f.tool) {
			continue
		}
		if down := k.unlisted(); len(down) > 0 {
			log.Warn("no tool has this name yet; it may belong to an MCP server that is down",
				"flag", f.flag, "tool", f.tool, "servers", down)
			continue
		}
		unknown = append(unknown, fmt.Sprintf("%s: there is no tool %q", f.flag, f.tool))
	}
	if len(unknown) > 0 {
		return fmt.Errorf("%s; take %s", strings.Join(unknown, "; "), strings.Join(known, ", "))
	}
	return nil
}

// checkRenamed refuses a set of shared tools in which a tool of --deny or --approve got
// another name, which happens when a second MCP server brings a tool of the same name.
// The flag would no longer hold for it.
func checkRenamed(s ToolSettings, shared []agent.Tool) error {
	names := namesOf(shared)
	for _, f := range s.named() {
		if slices.Contains(names, f.tool) {
			continue
		}
		for _, name := range names {
			if strings.HasSuffix(name, "__"+f.tool) || strings.Contains(name, "__"+f.tool+"_") {
				return fmt.Errorf("%s %s would not hold for %s: name the tool as it is called now", f.flag, f.tool,
					name)
			}
		}
	}
	return nil
}

// namedTool is a tool that a flag names.
type namedTool struct{ flag, tool string }

// named returns the tools that --deny and --approve name, in their order.
func (s ToolSettings) named() []namedTool {
	var all []namedTool
	for _, name := range s.Deny {
		all = append(all, namedTool{"--deny", name})
	}
	for _, f := range s.Approve {
		name, _, _ := strings.Cut(f, "=")
		all = append(all, namedTool{"--approve", name})
	}
	return all
}

// toolNames returns the names that --deny and --approve may use, sorted: every tool of
// every agent, and those that are off.
func (t *team) toolNames(k *toolkit) []string {
	names := slices.Concat(namesOf(k.tools()), optionalTools)
	for _, m := range t.members {
		names = append(names, namesOf(m.own)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
