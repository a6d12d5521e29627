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

// fourSpaces is a file as many editors write it, with a hook of somebody else.
const fourSpaces = `{
    "model": "x",
    "hooks": {
        "PreToolUse": [
            { "matcher": "Bash", "hooks": [ {"type": "command", "command": "say go"} ] }
        ],
        "Stop": []
    },
    "a": 1
}
`

// thinking returns hooks that have the program ask for summaries of thoughts.
func thinking(h settings.Hooks) settings.Hooks {
	h.Thinks = true
	return h
}

func TestASwitchIsOursOnlyIfWeTurnedItOn(t *testing.T) {
	hooks := thinking(claudes.Reporting())
	attach := func(before string) string {
		after, err := hooks.Attach([]byte(before), address)
		require.NoError(t, err)
		return string(after)
	}
	assert.Contains(t, attach(`{"a":1}`), "\"showThinkingSummaries\":  true}")
	for _, theirs := range []string{`{"showThinkingSummaries": true}`,
		"{\n  \"showThinkingSummaries\":true, \"b\": 2}"} {
		after := attach(theirs)
		assert.NotContains(t, after, ":  true")
		back, err := hooks.Detach([]byte(after))
		require.NoError(t, err)
		assert.Equal(t, theirs, string(back))
	}
	for _, off := range []string{`{"showThinkingSummaries": false}`, `{"showThinkingSummaries": null}`} {
		_, err := hooks.Attach([]byte(off), address)
		assert.ErrorContains(t, err, "remove it first")
	}
	// What a person wrote behind it stays, also if our hooks are gone.
	attached := attach(`{"a":1}`)
	back, err := hooks.Detach([]byte(strings.Replace(attached, ":  true", ":  true, \"b\": 2", 1)))
	require.NoError(t, err)
	assert.JSONEq(t, `{"a":1,"b":2}`, string(back))
	back, err = hooks.Detach([]byte("{\"showThinkingSummaries\":  true}"))
	require.NoError(t, err)
	assert.Equal(t, "{}", string(back))
}

// TestWhatWasThereComesBackByteForByte holds for each program, also after the hooks were changed, that nothing of how a
// file was written is lost, and that empty parts of it stay.
func TestWhatWasThereComesBackByteForByte(t *testing.T) {
	codexs, geminis := codex.Commands("/opt/candor"), gemini.Commands("/opt/candor")
	qwens := gemini.QwenCommands("/opt/candor")
	programs := map[string][2]settings.Hooks{
		"claude":           {claudes.Reporting(), claudes.Reminding(claudes.Approving([]string{"Bash"}))},
		"claude, thinking": {claudes.Reporting(), thinking(claudes.Reporting())},
		"codex":            {codexs.Reporting(), codexs.Reminding(codexs.Approving([]string{"Bash"}))},
		"gemini":           {geminis.Reporting(), geminis.Reminding(geminis.Approving([]string{"replace"}))},
		"qwen":             {qwens.Reporting(), qwens.Reminding(qwens.Approving([]string{"edit"}))},
	}
	for _, before := range []string{
		fourSpaces,
		strings.ReplaceAll(fourSpaces, "    ", "\t"),
		strings.ReplaceAll(fourSpaces, "\n", "\r\n"),
		`{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"say go"}]}]}}`,
		`{"hooks":{"BeforeTool":[ {"matcher":"x","hooks":[]} , {"matcher":"y","hooks":[]} ] , "Stop":[ ]},"b":2}`,
		"{\n  \"hooks\": {}\n}\n", "{\n  \"hooks\": {\n  }\n}\n", `{"hooks":{ }, "a":1}`,
		"{\n  \"hooks\": {\n    \"PreToolUse\":[],\n    \"BeforeTool\": [\n    ]\n  }\n}\n",
		"{\n  \"hooks\": {\n    \"SessionStart\": [],\n    \"Unknown\": {\"a\":[]}\n  }\n}\n",
		"{}", "{ }\n", "{\n}\n", "\n  {}\n", " {\"a\":1}", "{\n\"a\":1\n}",
		"", " ", "\n", " \n\t\n",
	} {
		for name, hooks := range programs {
			t.Run(name+" "+before, func(t *testing.T) {
				attached, err := hooks[0].Attach([]byte(before), address)
				require.NoError(t, err)
				changed, err := hooks[1].Attach(attached, "http://127.0.0.1:9090")
				require.NoError(t, err)
				back, err := hooks[0].Attach(changed, address)
				require.NoError(t, err)
				assert.Equal(t, string(attached), string(back))
				for _, with := range [][]byte{attached, changed} {
					detached, err := hooks[0].Detach(with)
					require.NoError(t, err)
					assert.Equal(t, before, string(detached), "%s", with)
					assert.NotNil(t, detached, "the file was there")
				}
			})
		}
	}
}

// TestAFileThatWasNotThereIsRemoved tells it from one that was empty.
func TestAFileThatWasNotThereIsRemoved(t *testing.T) {
	attached, err := claudes.Reporting().Attach(nil, address)
	require.NoError(t, err)
	detached, err := claudes.Reporting().Detach(attached)
	require.NoError(t, err)
	assert.Nil(t, detached)
}

// TestHooksAreIndentedAsTheFileIs holds that no file ends up with two ways of indentation, or of ending lines.
func TestHooksAreIndentedAsTheFileIs(t *testing.T) {
	attached, err := claudes.Reporting().Attach([]byte(fourSpaces), address)
	require.NoError(t, err)
	assert.Contains(t, string(attached), "\n            {\n                \"matcher\": \"*\",\n")
	assert.Contains(t, string(attached),
		"\n        \"UserPromptSubmit\": [\n            {\n                \"hooks\": [\n")
	attached, err = claudes.Reporting().Attach([]byte("{\r\n\t\"a\": 1\r\n}\r\n"), address)
	require.NoError(t, err)
	assert.Contains(t, string(attached), ",\r\n\t\"hooks\": {\r\n\t\t\"UserPromptSubmit\": [\r\n\t\t\t{\r\n")
	assert.Equal(t, strings.Count(string(attached), "\n"), strings.Count(string(attached), "\r\n"))
}

// TestWhatIsWrongWithSettingsHasItsPlaceAndCause holds that the words say where and why, and have none of the content.
func TestWhatIsWrongWithSettingsHasItsPlaceAndCause(t *testing.T) {
	for bad, want := range map[string]string{
		`{"key":1,}`: "line 1, column 10: this character cannot stand here, looking for beginning of " +
			"object key string",
		"{\n  \"é\": \"key\" 'x'\n}": "line 2, column 14: this character cannot stand here, after object " +
			"key:value pair",
		"{\n  // key\n}":                        "line 2, column 3: a comment, which is no part of JSON",
		"{} /* key */":                          "line 1, column 4: a comment",
		"\uFEFF{\"key\":1}":                     "line 1, column 1: a byte order mark",
		`{"key":1`:                              "line 1, column 9: the JSON ends too early",
		"key":                                   "line 1, column 1: this character cannot stand here",
		`{"hooks":null}`:                        "line 1, column 10: hooks is no object of lists by event",
		` ["key"]`:                              "line 1, column 2: the settings are no JSON object",
		"{\"key\":1,\n\"key\":2}":               "line 2, column 1: this name is there twice",
		`{"hooks":{"Stop":[],"Stop":[]}}`:       "line 1, column 21: this name is there twice",
		`{"hooks":{"Stop":null}}`:               "line 1, column 18: the hooks of an event are no list",
		"{\"a\":1,\n\"hooks\":{\n\"Stop\":{}}}": "line 3, column 8: the hooks of an event are no list",
	} {
		_, err := claudes.Reporting().Attach([]byte(bad), address)
		require.ErrorIs(t, err, settings.ErrSettings, bad)
		assert.Contains(t, err.Error(), "correct the file first: "+want, bad)
		assert.NotContains(t, strings.ReplaceAll(err.Error(), "object key", ""), "key", bad)
	}
}

// TestNothingIsUndoneInSettingsWithoutOurHooks holds it for files that cannot be read, and that one which may have
// hooks of ours is refused.
func TestNothingIsUndoneInSettingsWithoutOurHooks(t *testing.T) {
	for _, bad := range []string{`{"a":1,}`, "\uFEFF{}", `[]`, `{"hooks":null}`, `{"a":1,"a":2}`, fourSpaces} {
		after, err := claudes.Reporting().Detach([]byte(bad))
		require.NoError(t, err, bad)
		assert.Equal(t, bad, string(after))
	}
	attached, err := claudes.Reporting().Attach(nil, address)
	require.NoError(t, err)
	for _, text := range []string{string(attached), strings.ReplaceAll(string(attached), "/", `\/`)} {
		_, err = claudes.Reporting().Detach([]byte("// mine\n" + text))
		require.ErrorIs(t, err, settings.ErrSettings)
	}
}
