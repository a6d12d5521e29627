package settings_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach/claude"
	"candor/attach/codex"
	"candor/attach/gemini"
	"candor/attach/settings"
)

const address = "http://127.0.0.1:8080"

// claudes are the hooks of Claude Code, and reports is what each has that reports.
var claudes = claude.Commands("/opt/candor")

const reports = `"command": "'/opt/candor' hook claude --server 'http://127.0.0.1:8080'"`

func TestSettingsKeepEverythingThatIsThere(t *testing.T) {
	for name, before := range map[string]string{
		"no file":        "",
		"an empty one":   "{}\n",
		"spaces":         " { \n\n }",
		"one line":       `{"model":"x","a":[1,2]}`,
		"tabs":           "{\n\t\"a\" : {\"b\":\t1},\n\n\t\"model\": \"x\"\n}",
		"other settings": "{\n  \"model\": \"x\",\n  \"a\": 1.50,\n  \"text\": \"<b> \\u00e9\"\n}\n",
		"other hooks": `{
  "hooks": {
    "Stop": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "say done"
          }
        ]
      }
    ],
    "Unknown": 7
  },
  "model": "x"
}
`,
	} {
		t.Run(name, func(t *testing.T) {
			attached, err := claudes.Reporting().Attach([]byte(before), address+"/")
			require.NoError(t, err)
			server, err := claudes.Reporting().AttachedTo(attached)
			require.NoError(t, err)
			assert.Equal(t, address, server)
			assert.Equal(t, 11, strings.Count(string(attached), reports))
			assert.Equal(t, 4, strings.Count(string(attached), `"matcher": "*"`))
			assert.NotContains(t, string(attached), "TOKEN")
			if strings.Contains(before, "say done") {
				assert.Contains(t, string(attached), "say done")
			}

			again, err := claudes.Reporting().Attach(attached, address)
			require.NoError(t, err)
			assert.Equal(t, string(attached), string(again), "attaching twice changes nothing")
			moved, err := claudes.Reporting().Attach(attached, "http://127.0.0.1:9090")
			require.NoError(t, err)
			assert.NotContains(t, string(moved), ":8080")

			detached, err := claudes.Reporting().Detach(moved)
			require.NoError(t, err)
			assert.Equal(t, before, string(detached))
			server, err = claudes.Reporting().AttachedTo(detached)
			require.NoError(t, err)
			assert.Empty(t, server)
		})
	}
}

func TestWhatAPersonWroteBehindOurHooksStays(t *testing.T) {
	for before, more := range map[string]string{
		"":           ",\n\t\"model\": \"x\"",
		`{"a": [ ]}`: `, "model":"x"`,
	} {
		attached, err := claudes.Reporting().Attach([]byte(before), address)
		require.NoError(t, err)
		at := strings.LastIndex(string(attached), "}")
		written := strings.TrimRight(string(attached[:at]), "\n") + more + string(attached[at:])
		detached, err := claudes.Reporting().Detach([]byte(written))
		require.NoError(t, err)
		assert.Contains(t, string(detached), `"model"`)
		assert.NotContains(t, string(detached), "hooks")
		assert.True(t, json.Valid(detached), "%s", detached)
	}
}

func TestAHookThatWaitsStandsBesideTheOnesThatReport(t *testing.T) {
	with := claudes.Approving([]string{"Bash", "mcp__.*"})
	attached, err := with.Attach(nil, address)
	require.NoError(t, err)
	assert.Equal(t, 11, strings.Count(string(attached), reports))
	assert.Equal(t, 1, strings.Count(string(attached), " --approve "))
	assert.Contains(t, string(attached), `"matcher": "^(Bash|mcp__.*)$"`)
	assert.Equal(t, 1, strings.Count(string(attached), `"timeout": 600`), "nothing else waits that long")

	server, err := with.AttachedTo(attached)
	require.NoError(t, err)
	assert.Equal(t, address, server)
	without, err := claudes.Reporting().Attach(attached, address)
	require.NoError(t, err)
	assert.NotContains(t, string(without), "--approve", "attaching again without it takes it away")
	detached, err := claudes.Reporting().Detach(attached)
	require.NoError(t, err)
	assert.Empty(t, detached, "nothing is left of a file that was not there")
}

func TestHooksThatAskForReasonsAreOurs(t *testing.T) {
	codexs, geminis := codex.Commands("/opt/candor"), gemini.Commands("/opt/candor")
	for name, c := range map[string]struct {
		plain, with settings.Hooks
		marks       int
	}{
		"Claude Code":              {claudes.Reporting(), claudes.Reminding(claudes.Reporting()), 2},
		"Claude Code, and waiting": {claudes.Reporting(), claudes.Reminding(claudes.Approving([]string{"Bash"})), 2},
		"Codex":                    {codexs.Reporting(), codexs.Reminding(codexs.Reporting()), 2},
		"Codex, and waiting":       {codexs.Reporting(), codexs.Reminding(codexs.Approving([]string{"Bash"})), 2},
		"Gemini CLI":               {geminis.Reporting(), geminis.Reminding(geminis.Reporting()), 1},
		"Gemini CLI, and waiting": {geminis.Reporting(),
			geminis.Reminding(geminis.Approving([]string{"replace"})), 1},
	} {
		t.Run(name, func(t *testing.T) {
			attached, err := c.with.Attach(nil, address)
			require.NoError(t, err)
			text := string(attached)
			assert.Equal(t, c.marks,
				strings.Count(text, "--ask-reasons"))
			server, err := c.plain.AttachedTo(attached)
			require.NoError(t, err)
			assert.Equal(t, address, server)
			waits, reasons := c.plain.Asks(attached)
			assert.Equal(t, []bool{strings.Contains(name, "waiting"), true}, []bool{waits, reasons})
			without, err := c.plain.Attach(attached, address)
			require.NoError(t, err)
			waits, reasons = c.plain.Asks(without)
			assert.False(t, waits || reasons)
			assert.NotContains(t, string(without), "reasons", "attaching again without it takes it away")
			assert.NotContains(t, string(without), "--approve")
			detached, err := c.plain.Detach(attached)
			require.NoError(t, err)
			assert.Empty(t, detached, "nothing is left of a file that was not there")
		})
	}
}

func TestSettingsThatCannotBeReadAreLeftAlone(t *testing.T) {
	for name, bad := range map[string]string{
		"no JSON":                  `{"hooks":`,
		"a list":                   `[]`,
		"hooks of another shape":   `{"hooks":[]}`,
		"a hook of another shape":  `{"hooks":{"Stop":{}}}`,
		"a member twice":           `{"model":"a","model":"b"}`,
		"a comment":                "{} // mine",
		"something behind the end": `{} {}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := claudes.Reporting().Attach([]byte(bad), address)
			require.ErrorContains(t, err, "correct the file first")
		})
	}
}

// TestHooksThatPostByThemselvesAreReplaced holds that hooks which Claude Code posts itself, with the token, are known
// as ours whatever they ask for, so that attaching again and undoing take them away, and others stay.
func TestHooksThatPostByThemselvesAreReplaced(t *testing.T) {
	const post = `{"hooks":[{"type":"http","url":"http://127.0.0.1:9000/api/hooks/claude%s",` +
		`"headers":{"Authorization":"Bearer $CANDOR_TOKEN"}}]}`
	for _, behind := range []string{"", "/ask", "/reasons"} {
		before := `{"hooks":{"Stop":[` + fmt.Sprintf(post, "/mine") + `,` + fmt.Sprintf(post, behind) + `]}}`
		server, err := claudes.Reporting().AttachedTo([]byte(before))
		require.NoError(t, err)
		assert.Equal(t, "http://127.0.0.1:9000", server)
		attached, err := claudes.Reporting().Attach([]byte(before), address)
		require.NoError(t, err)
		assert.Equal(t, 1, strings.Count(string(attached), "TOKEN"), "that of somebody else")
		detached, err := claudes.Reporting().Detach([]byte(before))
		require.NoError(t, err)
		assert.Equal(t, `{"hooks":{"Stop":[`+fmt.Sprintf(post, "/mine")+`]}}`, string(detached))
		_, err = claudes.Reporting().Detach([]byte("// mine\n" + before))
		require.ErrorIs(t, err, settings.ErrSettings)
	}
}
