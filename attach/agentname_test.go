package attach_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/attach"
)

func TestNamesOfAgents(t *testing.T) {
	for said, name := range map[string]string{
		"claude-ai": "claude-ai", "Cursor": "cursor", "": "mcp-client", "日本": "mcp-client", "--x--": "x",
		"7 Up": "mcp-7-up", "Visual Studio Code": "visual-studio-code", "a\x1b[2J<b>": "a-2j-b",
		strings.Repeat("ab-", 20): "ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-ab", strings.Repeat("É", 2000): "mcp-client",
	} {
		assert.Equal(t, name, attach.AgentName(said), "%q", said)
	}
}
