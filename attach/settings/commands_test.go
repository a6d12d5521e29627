package settings_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach/codex"
	"candor/attach/gemini"
	"candor/attach/settings"
)

// TestSettingsRunACommandAndKeepWhatIsThere attaches, for paths that a shell would take apart, and detaches with candor
// in another folder: an entry is told by its arguments, wherever candor stood then.
func TestSettingsRunACommandAndKeepWhatIsThere(t *testing.T) {
	const before = "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          {\n" +
		"            \"type\": \"command\",\n            \"command\": \"say done\"\n          }\n        ]\n" +
		"      }\n    ]\n  },\n  \"model\": {\n    \"name\": \"x\"\n  }\n}\n"
	for name, c := range map[string]struct {
		commands func(candor string) settings.Commands
		events   int
		matcher  string
	}{
		"codex":  {codex.Commands, 7, `"matcher": "*"`},
		"gemini": {gemini.Commands, 5, `"matcher": ".*"`},
		"qwen":   {gemini.QwenCommands, 10, `"matcher": "*"`},
	} {
		for candor, quoted := range map[string]string{
			"/opt/candor":              `'/opt/candor'`,
			"/home/ann's files/candor": `'/home/ann'\\''s files/candor'`,
		} {
			t.Run(name+" "+candor, func(t *testing.T) {
				hooks := c.commands(candor).Reporting()
				after, err := hooks.Attach([]byte(before), address+"/")
				require.NoError(t, err)
				command := `"command": "` + quoted + " hook " + name + " --server '" + address + `'"`
				assert.Equal(t, c.events, strings.Count(string(after), command), "%s", after)
				assert.GreaterOrEqual(t, strings.Count(string(after), c.matcher), 2)
				assert.Contains(t, string(after), "say done")
				server, err := hooks.AttachedTo(after)
				require.NoError(t, err)
				assert.Equal(t, address, server)
				detached, err := c.commands("/elsewhere/candor").Reporting().Detach(after)
				require.NoError(t, err)
				assert.Equal(t, before, string(detached))
			})
		}
	}
}

func TestCommandsOfOthersAreNotOurs(t *testing.T) {
	hooks := gemini.Commands("/opt/candor").Reporting()
	for _, others := range []string{
		`{"hooks":[{"type":"command","command":"say done"}]}`, `7`,
		`{"hooks":[{"type":"command","command":"x hook codex --server y"}]}`,
		`{"hooks":[{"type":"command","command":"x hook gemini --server y"},{"type":"command","command":"z"}]}`,
	} {
		assert.Empty(t, hooks.Ours([]byte(others)), others)
	}
}

// TestACommandThatWaitsStandsBesideTheOnesThatReport holds for each program, with its own unit of time, that one hook
// waits and no other.
func TestACommandThatWaitsStandsBesideTheOnesThatReport(t *testing.T) {
	for name, c := range map[string]struct {
		commands     settings.Commands
		events, asks int
		short, long  string
	}{
		"codex":  {codex.Commands("/opt/candor"), 7, 2, `"timeout": 10`, `"timeout": 600`},
		"gemini": {gemini.Commands("/opt/candor"), 5, 1, `"timeout": 10000`, `"timeout": 600000`},
		"qwen":   {gemini.QwenCommands("/opt/candor"), 10, 1, `"timeout": 10`, `"timeout": 600`},
	} {
		t.Run(name, func(t *testing.T) {
			attached, err := c.commands.Approving([]string{"Bash", "mcp__.*"}).Attach(nil, address)
			require.NoError(t, err)
			text := string(attached)
			assert.Equal(t, c.events, strings.Count(text, " hook "+name+" --server '"+address+"'\""))
			assert.Equal(t, c.asks, strings.Count(text, " hook "+name+" --approve --server '"+address+"'\""))
			assert.Contains(t, text, `"matcher": "^(Bash|mcp__.*)$"`)
			assert.Equal(t, c.events+c.asks-1, strings.Count(text, c.short+"\n"))
			assert.Equal(t, 1, strings.Count(text, c.long+"\n"), "nothing else waits that long")
			server, err := c.commands.Reporting().AttachedTo(attached)
			require.NoError(t, err)
			assert.Equal(t, address, server)
			detached, err := c.commands.Reporting().Detach(attached)
			require.NoError(t, err)
			assert.Empty(t, detached)
		})
	}
}
