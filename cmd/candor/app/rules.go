package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"candor/agent"
	"candor/agent/tool/mcp"
)

// rule is one flag of --deny or --approve. It is bound to the tools that it names, not to the
// name under which a model knows one of them at some time: that name changes when another MCP
// server brings a tool of the same name.
type rule struct {
	flag   string // as errors and the log name it
	name   string // as it was given
	server string // of SERVER/TOOL, as the configuration names it; "" for a bare name
	tool   string
	deny   bool
	mode   agent.Approval // unless deny
}

// matches reports whether the rule names a tool: by the server's own name for it, or by any
// name that models may know it by.
func (r rule) matches(tool agent.Spec) bool {
	from := tool.Origin
	named := tool.Name == r.tool || from.Tool == r.tool || slices.Contains(from.Names, r.tool)
	return named && (r.server == "" || r.server == from.Server)
}

// parseRules reads the flags. servers are the names of the configured MCP servers. Whether
// there is such a tool is checked once the tools are known.
func parseRules(s ToolSettings, servers []string) ([]rule, error) {
	var all []rule
	for _, name := range s.Deny {
		all = append(all, rule{flag: "--deny", name: name, deny: true})
	}
	for _, f := range s.Approve {
		name, mode, ok := strings.Cut(f, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("--approve: want TOOL=MODE, such as file_read=ask")
		}
		a, err := agent.ParseApproval(mode)
		if err != nil {
			return nil, fmt.Errorf("--approve %s: %w", name, err)
		}
		all = append(all, rule{flag: "--approve", name: name, mode: a})
	}
	for i := range all {
		if err := all[i].bind(servers); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// bind finds out whether the rule names a server. The name of a server may have a slash in it.
func (r *rule) bind(servers []string) error {
	if r.name == "" {
		return fmt.Errorf("%s: there is no tool %q", r.flag, r.name)
	}
	for _, one := range servers {
		tool, ok := strings.CutPrefix(r.name, one+"/")
		if ok && tool != "" && len(one) > len(r.server) {
			r.server, r.tool = one, tool
		}
	}
	if r.server != "" {
		return nil
	}
	if r.tool = r.name; !strings.Contains(r.name, "/") {
		return nil
	}
	if len(servers) == 0 {
		return fmt.Errorf("%s %s: there are no MCP servers; configure them with --mcp", r.flag, r.name)
	}
	return fmt.Errorf("%s %s: there is no such MCP server or tool; the servers are %s",
		r.flag, r.name, strings.Join(servers, ", "))
}

// rules are the flags of --deny and --approve while the tools change. They are safe for
// concurrent use.
type rules struct {
	all []rule
	log *slog.Logger

	mu   sync.RWMutex
	lost []bool // of each rule, whether it matches no tool although all that it may are known
	said []bool // of each rule, whether that was logged
}

// newRules returns rules for tools that are not known yet.
func newRules(all []rule, log *slog.Logger) *rules {
	return &rules{all: all, log: log, lost: make([]bool, len(all)), said: make([]bool, len(all))}
}

// errNotAllowed tells the model that it may go on without the tool.
var errNotAllowed = errors.New("rejected by policy: this tool is not allowed here")

// deny is an agent.Policy. It rejects calls of the tools that a rule denies. A rule that lost its
// tool rejects calls under its name.
func (r *rules) deny(_ context.Context, tool agent.Spec, _ []byte) error {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for i, one := range r.all {
		if !one.matches(tool) && !(r.lost[i] && one.tool == tool.Name && isStray(tool)) {
			continue
		}
		if one.deny {
			return errNotAllowed
		}
		if r.lost[i] {
			return fmt.Errorf("rejected by policy: the rule %s %s was made for another tool, which no longer exists",
				one.flag, one.name)
		}
	}
	return nil
}

// isStray reports whether a tool is neither ours nor a server's: a front end brought it, or it
// does not exist, and so has no schema.
func isStray(tool agent.Spec) bool { return tool.FrontEnd || tool.Schema == nil }

// approval returns the mode of a tool: that of the last rule that names its server, else of the
// last that names the tool, else its own.
func (r *rules) approval(tool agent.Spec) agent.Approval {
	mode, bound := tool.Approval, false
	for _, one := range r.all {
		if !one.deny && one.matches(tool) && (one.server != "" || !bound) {
			mode, bound = one.mode, one.server != ""
		}
	}
	return mode
}

// update finds out which rules match none of the tools that there are, and logs each of them
// once. A rule of a server that has not listed its tools yet may still match one.
func (r *rules) update(tools []agent.Spec, servers []mcp.State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, one := range r.all {
		r.lost[i] = !slices.ContainsFunc(tools, one.matches) && !one.waits(servers)
		if r.lost[i] && !r.said[i] {
			r.said[i] = true
			r.log.Warn("a rule matches no tool; calls under its name are rejected", "flag", one.flag, "tool", one.name)
		}
	}
}

// waits reports whether the rule may match a tool of a server that has not listed its tools yet.
func (r rule) waits(servers []mcp.State) bool {
	return slices.ContainsFunc(servers, func(s mcp.State) bool {
		return !s.Listed && (r.server == "" || r.server == s.Server)
	})
}
