package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// linkSize is the size of the linked resource in conversions.
var linkSize = int64(7)

const leftOutNote = `"note":"the bytes themselves are left out"`

// conversions are answers of servers, and what the model sees of them.
var conversions = []struct {
	name  string
	given *sdk.CallToolResult
	want  string
}{
	{"no content", &sdk.CallToolResult{}, `{}`},
	{"text is not escaped for HTML", textAnswer("a < b & c"), `{"content":[{"type":"text","text":"a < b & c"}]}`},
	{"invalid UTF-8 is replaced", textAnswer("a\xffb"), `{"content":[{"type":"text","text":"a\ufffdb"}]}`},
	{
		"an image is reduced to its size",
		answerWith(&sdk.ImageContent{MIMEType: "image/png", Data: []byte("abc")}),
		`{"content":[{"type":"image","mime":"image/png","bytes":3,` + leftOutNote + `}]}`,
	},
	{
		"audio is reduced to its size", answerWith(&sdk.AudioContent{MIMEType: "audio/wav", Data: []byte("abc")}),
		`{"content":[{"type":"audio","mime":"audio/wav","bytes":3,` + leftOutNote + `}]}`,
	},
	{
		"a text resource", resource(&sdk.ResourceContents{URI: "u:1", MIMEType: "text/plain", Text: "t"}),
		`{"content":[{"type":"resource","text":"t","uri":"u:1","mime":"text/plain"}]}`,
	},
	{
		"a binary resource", resource(&sdk.ResourceContents{URI: "u:2", Blob: []byte("xy")}),
		`{"content":[{"type":"resource","uri":"u:2","bytes":2,` + leftOutNote + `}]}`,
	},
	{
		"a resource without contents", resource(nil),
		`{"content":[{"type":"resource","note":"it has no contents"}]}`,
	},
	{
		"a resource link",
		answerWith(&sdk.ResourceLink{URI: "u:3", Name: "n", Title: "T", Description: "d", Size: &linkSize}),
		`{"content":[{"type":"resource_link","uri":"u:3","name":"n","title":"T","description":"d","bytes":7}]}`,
	},
	{
		"unknown content", answerWith(nil),
		`{"content":[{"type":"unknown","note":"content of a kind that is not supported"}]}`,
	},
	{
		"text that repeats the structured result",
		&sdk.CallToolResult{StructuredContent: map[string]any{"a": 1.0}, Content: textAnswer(` {"a": 1}`).Content},
		`{"structured":{"a":1}}`,
	},
	{
		"text beside the structured result",
		&sdk.CallToolResult{StructuredContent: map[string]any{"a": 1.0}, Content: textAnswer("one").Content},
		`{"structured":{"a":1},"content":[{"type":"text","text":"one"}]}`,
	},
}

func TestResultsAreCompact(t *testing.T) {
	for _, tt := range conversions {
		t.Run(tt.name, func(t *testing.T) {
			got, err := convert(tt.given, maxResult)
			require.NoError(t, err)
			assert.JSONEq(t, tt.want, string(got))
			assert.LessOrEqual(t, len(got), len(tt.want)+2, "%s is compact", got)
		})
	}
}

func TestLargeNumbersStayExact(t *testing.T) {
	const id = `{"id":12345678901234567890}`
	var decoded any
	require.NoError(t, json.Unmarshal([]byte(id), &decoded))
	got, err := convert(&sdk.CallToolResult{StructuredContent: decoded, Content: textAnswer(id).Content}, maxResult)
	require.NoError(t, err)
	assert.Equal(t, `{"structured":`+id+`}`, string(got))
}

// resource returns an answer with an embedded resource.
func resource(r *sdk.ResourceContents) *sdk.CallToolResult {
	return answerWith(&sdk.EmbeddedResource{Resource: r})
}

// answerWith returns an answer with one piece of content.
func answerWith(c sdk.Content) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{c}}
}

func TestAToolsOwnErrorIsAnError(t *testing.T) {
	for want, given := range map[string]*sdk.CallToolResult{
		"no such city": {IsError: true, Content: textAnswer(" no such city\n").Content},
		"one\ntwo": {
			IsError: true, Content: append(textAnswer("one").Content, textAnswer("two").Content...),
		},
		"the tool failed without saying why": {IsError: true, Content: answerWith(&sdk.ImageContent{}).Content},
	} {
		_, err := convert(given, maxResult)
		assert.EqualError(t, err, want)
	}
	long := textAnswer(strings.Repeat("so long ", 1<<20)).Content
	_, err := convert(&sdk.CallToolResult{IsError: true, Content: long}, maxResult)
	assert.LessOrEqual(t, len(err.Error()), maxError)
}

func TestALargeResultIsCut(t *testing.T) {
	huge := strings.Repeat("many \"words\" ", 1<<18)
	in := &sdk.CallToolResult{Content: append(textAnswer(huge).Content, textAnswer("and this").Content...)}
	got, err := convert(in, maxResult)
	require.NoError(t, err)
	assert.LessOrEqual(t, len(got), maxResult)
	assert.Greater(t, len(got), maxResult*3/4, "it keeps as much as fits")
	var out result
	require.NoError(t, json.Unmarshal(got, &out))
	assert.Contains(t, out.Truncated, "ask for less")
	assert.Regexp(t, `(many|"words")$`, out.Content[0].Text, "cut between words")

	got, err = convert(&sdk.CallToolResult{
		StructuredContent: map[string]any{"a": huge}, Content: textAnswer("in short").Content,
	}, maxResult)
	require.NoError(t, err)
	assert.JSONEq(t, `{"content":[{"type":"text","text":"in short"}],
		"truncated":"the result was cut to 1048576 bytes; ask for less"}`, string(got))
}

func FuzzConvert(f *testing.F) {
	f.Add("some text", "more", "u:1", 300)
	f.Add(strings.Repeat("\x00\x01", 500), "\xff\xfe", "", 400)
	f.Fuzz(func(t *testing.T, a, b, uri string, limit int) {
		limit = 300 + max(limit, -limit, 0)%5000
		got, err := convert(&sdk.CallToolResult{
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
