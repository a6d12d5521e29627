package opencode_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/attachtest"
	"candor/attach/opencode"
)

// payload returns what the plugin posts of a message with parts, in a session below root.
func payload(t *testing.T, session, root string, message object, more object, parts ...any) []byte {
	t.Helper()
	data := message["data"].(object)
	data["id"] = message["id"]
	all := object{"session": object{"id": session, "version": "1", "time": object{"created": began}}, "root": root,
		"turn": "u", "message": data, "parts": parts}
	for name, value := range more {
		all[name] = value
	}
	raw, err := json.Marshal(all)
	require.NoError(t, err)
	return raw
}

func TestWhatThePluginTells(t *testing.T) {
	text := object{"type": "text", "text": "Words", "time": object{"start": began, "end": began + 1}}
	for name, c := range map[string]struct {
		raw  []byte
		want string
	}{
		"a prompt": {payload(t, "s", "s", messageRow("u", "s", 1, object{"role": "user"}), nil,
			object{"type": "text", "text": "do"}), "about; asked do"},
		"a text in its place": {payload(t, "s", "s", answer("a", "s", "u", "", 2), nil, nil, text),
			"about; said Words"},
		"a call that begins": {payload(t, "s", "s", answer("a", "s", "u", "", 2), nil,
			callOf("x", "c", "running", nil)), "about; called x"},
		"a call that ends": {payload(t, "s", "s", answer("a", "s", "u", "", 2), nil, callOf("x", "c", "completed",
			object{"output": "ok"})), `about; called x; returned "ok"`},
		"an answer that is over": {payload(t, "s", "s", answer("a", "s", "u", "stop", 2), nil, text,
			object{"type": "step-finish", "tokens": object{"input": 3}}), "about; said Words; used; ended Words"},
		"a sub-agent's answer": {payload(t, "k", "s", answer("a", "k", "u2", "stop", 2), nil, text),
			"said Words; ended Words"},
		"a sub-agent's prompt": {payload(t, "k", "s", messageRow("u2", "k", 1, object{"role": "user"}), nil,
			object{"type": "text", "text": "do"}), ""},
		"a copy in a fork": {payload(t, "s", "s", answer("a", "s", "u", "stop", -5), nil, text), ""},
	} {
		t.Run(name, func(t *testing.T) {
			list, err := opencode.Hook(c.raw)
			require.NoError(t, err)
			assert.Equal(t, c.want, words(list))
			for _, s := range list {
				assert.Equal(t, attach.Hooks, s.Channel)
				assert.Equal(t, "s", s.Session)
				assert.Equal(t, strings.HasPrefix(name, "a sub-agent"), s.Sub == "k")
				if s.Said != nil && name == "a text in its place" {
					assert.Equal(t, 1, s.Index)
				}
			}
		})
	}
}

// TestWhatThePluginCutIsSaidToBeABeginning holds that a result is not taken for the whole one.
func TestWhatThePluginCutIsSaidToBeABeginning(t *testing.T) {
	list, err := opencode.Hook(payload(t, "s", "s", answer("a", "s", "u", "", 2), object{"cut": true},
		callOf("x", "c", "completed", nil)))
	require.NoError(t, err)
	assert.True(t, list[len(list)-1].Returned.Partial)
}

func TestWhatThePluginDoesNotPostIsRefused(t *testing.T) {
	good := answer("a", "s", "u", "", 2)
	for name, raw := range map[string][]byte{
		"nothing": nil, "no JSON": []byte("{"), "a list": []byte("[]"), "an empty object": []byte("{}"),
		"no root":                payload(t, "s", "", good, nil),
		"a session of two words": payload(t, "a b", "s", good, nil),
		"a turn of two words":    payload(t, "s", "s", good, object{"turn": "a b"}),
		"no role":                payload(t, "s", "s", messageRow("a", "s", 1, object{}), nil),
		"a part that is none":    payload(t, "s", "s", good, nil, 7),
		"too many parts":         payload(t, "s", "s", good, nil, make([]any, 10_001)...),
		"too much":               bytes.Repeat([]byte(" "), 16<<20+1),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := opencode.Hook(raw)
			require.Error(t, err)
			assert.NotContains(t, err.Error(), "a b")
		})
	}
}

// TestTheRecordedPluginTellsTheSameAsTheDatabase compares the two channels of one run of the real program.
func TestTheRecordedPluginTellsTheSameAsTheDatabase(t *testing.T) {
	file, _ := read(t, newStore(t, recorded(t)...).path)
	raw, err := os.ReadFile("testdata/hooks.jsonl")
	require.NoError(t, err)
	posted := map[string]bool{}
	for line := range bytes.Lines(raw) {
		list, err := opencode.Hook(line)
		require.NoError(t, err)
		for i := range list {
			list[i].Channel = attach.File
		}
		for _, one := range attachtest.Lines(t, list) {
			posted[plain(t, one)] = true
		}
	}
	compared := 0
	for _, one := range attachtest.Lines(t, file) {
		if !strings.Contains(one, `"about"`) {
			assert.True(t, posted[plain(t, one)], one)
			compared++
		}
	}
	assert.Greater(t, compared, 40)
}

// plain returns JSON with one way of escapes.
func plain(t *testing.T, line string) string {
	t.Helper()
	var value any
	require.NoError(t, json.Unmarshal([]byte(line), &value))
	raw, err := json.Marshal(value)
	require.NoError(t, err)
	return string(raw)
}

func TestThePluginIsOneFileThatComesAndGoes(t *testing.T) {
	plugin := opencode.Plugin{}
	file, err := plugin.Attach(nil, `http://127.0.0.1:8080/"`)
	require.NoError(t, err)
	assert.Contains(t, string(file), `const server = "http://127.0.0.1:8080/\""`, "an address is a text, never code")
	assert.NotContains(t, string(file), `"SERVER"`)
	server, err := plugin.AttachedTo(file)
	require.NoError(t, err)
	assert.Equal(t, `http://127.0.0.1:8080/"`, server)
	file, err = plugin.Attach(file, "http://127.0.0.1:9090/")
	require.NoError(t, err)
	server, err = plugin.AttachedTo(file)
	require.NoError(t, err)
	assert.Equal(t, "http://127.0.0.1:9090", server)
	left, err := plugin.Detach(file)
	require.NoError(t, err)
	assert.Empty(t, left)
	server, err = plugin.AttachedTo(nil)
	require.NoError(t, err)
	assert.Empty(t, server)
}

func TestAFileOfSomebodyElseIsLeftAlone(t *testing.T) {
	const other = "export const Mine = async () => ({})\nconst server = 7\n"
	_, err := opencode.Plugin{}.Attach([]byte(other), "http://127.0.0.1:8080")
	require.ErrorContains(t, err, "is not Candor's plugin")
	_, err = opencode.Plugin{}.Detach([]byte(other))
	require.ErrorContains(t, err, "was not changed")
}
