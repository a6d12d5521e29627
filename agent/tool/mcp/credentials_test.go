package mcp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCredentialsOfAConfigurationAreFoundByTheirNames(t *testing.T) {
	config, err := Load(strings.NewReader(`{"mcpServers": {
		"git": {"command": "git-server", "args": ["--api-key", "argument-0001", "--secret=argument-0002",
			"${GIT_TOKEN}", "--root", "folder-0001", "--verbose"],
			"env": {"GIT_PASSWORD": "parrot-7", "LOG_LEVEL": "debug-0001", "AUTH_ENABLED": "true",
				"KEY_FILE": "/etc/key-0001", "DATABASE_URL": "postgres://app:pa-55@db/app", "KEYBOARD": "azerty"}},
		"web": {"url": "https://example.com/mcp", "headers": {"Authorization": "Bearer header-0001",
			"Accept": "application/json-0001"}}
	}}`), func(name string) string { return map[string]string{"GIT_TOKEN": "expanded-0001"}[name] })
	require.NoError(t, err)
	assert.Equal(t, []string{"Bearer header-0001", "argument-0001", "argument-0002", "expanded-0001", "header-0001",
		"pa-55", "parrot-7"}, config.Credentials())
}
