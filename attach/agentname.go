package attach

import (
	"regexp"
	"strings"
)

// noName are the characters that the name of an agent may not have.
var noName = regexp.MustCompile(`[^a-z0-9]+`)

// maxAgent bounds the name of an agent, in bytes.
const maxAgent = 32

// AgentName makes the name of an agent of what an MCP client calls itself: small letters, digits and dashes. The
// client's own name has to be cleaned before, since nobody would find a secret in what this returns.
func AgentName(said string) string {
	// A stranger's name may have any length, and most of it would be cut anyway.
	if len(said) > 1024 {
		said = said[:1024]
	}
	name := strings.Trim(noName.ReplaceAllString(strings.ToLower(said), "-"), "-")
	if name == "" {
		return "mcp-client"
	}
	if name[0] >= '0' && name[0] <= '9' {
		name = "mcp-" + name
	}
	return strings.TrimRight(name[:min(len(name), maxAgent)], "-")
}
