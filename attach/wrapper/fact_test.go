package wrapper

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
)

// kept returns what is recorded of a result.
func kept(t *testing.T, result string) *attach.Returned {
	t.Helper()
	raw := line(attach.Sighting{Returned: &attach.Returned{Result: json.RawMessage(result)}})
	assert.Less(t, len(raw), maxBatch)
	var s attach.Sighting
	require.NoError(t, json.Unmarshal(raw, &s), "%.200s", raw)
	return s.Returned
}

func TestResultsAreBoundedAndPicturesAreLeftOut(t *testing.T) {
	picture := strings.Repeat("iVBORw0KGgo/", 1000) + "=="
	got := kept(t, `{"content":[{"type":"image","data":"`+picture+`","mimeType":"image/png"},`+
		`{"type":"text","text":"a\"b"}]}`)
	assert.JSONEq(t, `{"content":[{"type":"image","data":"(12002 bytes in base64, left out)","mimeType":"image/png"},`+
		`{"type":"text","text":"a\"b"}]}`, string(got.Result))
	assert.False(t, got.Partial)

	long := strings.Repeat("a word <b> \\u00e9 \\\\ ", 20_000)
	got = kept(t, `{"content":[{"type":"text","text":"`+long+`"}],"n":1}`)
	assert.True(t, got.Partial)
	assert.LessOrEqual(t, len(got.Result), maxText)
	var shape struct {
		Content []struct{ Type, Text string }
		N       int
	}
	require.NoError(t, json.Unmarshal(got.Result, &shape))
	assert.Equal(t, 1, shape.N)
	assert.True(t, strings.HasPrefix(shape.Content[0].Text, `a word <b> é \ a word`))
	assert.True(t, strings.HasSuffix(shape.Content[0].Text, "…"))

	got = kept(t, "["+strings.Repeat(`{"<":"\u0000"},`, 50_000)+"1]")
	assert.True(t, got.Partial)
	assert.Equal(t, `"`, string(got.Result[:1]), "only the beginning of a value with too many parts")

	got = kept(t, `"`+strings.Repeat("\xff ", 10)+`"`)
	assert.True(t, json.Valid(got.Result))
}

func TestTextsOfFactsAreBounded(t *testing.T) {
	long := strings.Repeat("<é", 200_000)
	for name, s := range map[string]attach.Sighting{
		"a call": {Called: &attach.Called{Tool: long, Reason: long, Params: json.RawMessage(`{"a":"` + long + `"}`)}},
		"an end": {Returned: &attach.Returned{Error: long}},
		"a name": {About: &attach.About{Version: long, Title: long}},
	} {
		raw := line(s)
		assert.Less(t, len(raw), maxBatch, name)
		assert.True(t, json.Valid(raw), name)
	}
	assert.Nil(t, line(attach.Sighting{Called: &attach.Called{Params: json.RawMessage(`{`)}}))
}
