package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestResultsAreCompact(t *testing.T) {
	size := int64(7)
	for want, given := range map[string]*sdk.CallToolResult{
		`{}`: {},
		`{"content":[{"type":"text","text":"a < b & c"}]}`:                                                       text("a < b & c"),
		`{"content":[{"type":"text","text":"a\ufffdb"}]}`:                                                        text("a\xffb"),
		`{"content":[{"type":"image","mime":"image/png","bytes":3,"note":"the bytes themselves are left out"}]}`: content(&sdk.ImageContent{MIMEType: "image/png", Data: []byte("abc")}),
		`{"content":[{"type":"audio","mime":"audio/wav","bytes":3,"note":"the bytes themselves are left out"}]}`: content(&sdk.AudioContent{MIMEType: "audio/wav", Data: []byte("abc")}),
		`{"content":[{"type":"resource","text":"t","uri":"u:1","mime":"text/plain"}]}`:                           content(&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "u:1", MIMEType: "text/plain", Text: "t"}}),
		`{"content":[{"type":"resource","uri":"u:2","bytes":2,"note":"the bytes themselves are left out"}]}`:     content(&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "u:2", Blob: []byte("xy")}}),
		`{"content":[{"type":"resource","note":"it has no contents"}]}`:                                          content(&sdk.EmbeddedResource{}),
		`{"content":[{"type":"resource_link","uri":"u:3","name":"n","title":"T","description":"d","bytes":7}]}`:  content(&sdk.ResourceLink{URI: "u:3", Name: "n", Title: "T", Description: "d", Size: &size}),
		`{"content":[{"type":"unknown","note":"content of a kind that is not supported"}]}`:                      content(nil),
		`{"structured":{"a":1}}`: {StructuredContent: map[string]any{"a": 1.0}, Content: text(` {"a": 1}`).Content},
		`{"structured":{"a":1},"content":[{"type":"text","text":"one"}]}`: {StructuredContent: map[string]any{"a": 1.0}, Content: text("one").Content},
	} {
		got, err := digest(given, maxResult)
		require.NoError(t, err)
		assert.JSONEq(t, want, string(got))
		assert.LessOrEqual(t, len(got), len(want)+2, "%s is compact", got)
	}
}

func TestLargeNumbersStayExact(t *testing.T) {
	const id = `{"id":12345678901234567890}`
	var decoded any
	require.NoError(t, json.Unmarshal([]byte(id), &decoded))
	got, err := digest(&sdk.CallToolResult{StructuredContent: decoded, Content: text(id).Content}, maxResult)
	require.NoError(t, err)
	assert.Equal(t, `{"structured":`+id+`}`, string(got))
}

func content(c sdk.Content) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{c}}
}

func TestAToolsOwnErrorIsAnError(t *testing.T) {
	for want, given := range map[string]*sdk.CallToolResult{
		"no such city":                       {IsError: true, Content: text(" no such city\n").Content},
		"one\ntwo":                           {IsError: true, Content: append(text("one").Content, text("two").Content...)},
		"the tool failed without saying why": {IsError: true, Content: content(&sdk.ImageContent{}).Content},
	} {
		_, err := digest(given, maxResult)
		assert.EqualError(t, err, want)
	}
	_, err := digest(&sdk.CallToolResult{IsError: true, Content: text(strings.Repeat("so long ", 1<<20)).Content}, maxResult)
	assert.LessOrEqual(t, len(err.Error()), maxError)
}

func TestALargeResultIsCut(t *testing.T) {
	huge := strings.Repeat("many \"words\" ", 1<<18)
	in := &sdk.CallToolResult{Content: append(text(huge).Content, text("and this").Content...)}
	got, err := digest(in, maxResult)
	require.NoError(t, err)
	assert.LessOrEqual(t, len(got), maxResult)
	assert.Greater(t, len(got), maxResult*3/4, "as much as fits")
	var out result
	require.NoError(t, json.Unmarshal(got, &out))
	assert.Contains(t, out.Truncated, "ask for less")
	assert.Regexp(t, `(many|"words")$`, out.Content[0].Text, "cut between words")

	got, err = digest(&sdk.CallToolResult{StructuredContent: map[string]any{"a": huge}, Content: text("in short").Content}, maxResult)
	require.NoError(t, err)
	assert.JSONEq(t, `{"content":[{"type":"text","text":"in short"}],"truncated":"the result was cut to 1048576 bytes; ask for less"}`, string(got))
}

func FuzzDigest(f *testing.F) {
	f.Add("some text", "more", "u:1", 300)
	f.Add(strings.Repeat("\x00\x01", 500), "\xff\xfe", "", 400)
	f.Fuzz(func(t *testing.T, a, b, uri string, limit int) {
		limit = 300 + max(limit, -limit, 0)%5000
		got, err := digest(&sdk.CallToolResult{
			StructuredContent: map[string]any{"b": b},
			Content: []sdk.Content{
				&sdk.TextContent{Text: a}, &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: uri, Text: b}},
				&sdk.TextContent{Text: b + a},
			},
		}, limit)
		require.NoError(t, err)
		assert.True(t, json.Valid(got))
		assert.LessOrEqual(t, len(got), limit)
	})
}
