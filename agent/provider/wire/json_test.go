package wire_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent/provider/wire"
)

// member is a struct as the subpackages have them.
type member struct {
	Text  wire.Text `json:"text"`
	Count wire.Int  `json:"count"`
	Plain string    `json:"plain"`
	Inner struct {
		Text wire.Text `json:"text"`
	} `json:"inner"`
}

func TestScalarsOfOtherTypesAreAccepted(t *testing.T) {
	for _, tt := range []struct {
		name, data string
		text       wire.Text
		count      wire.Int
	}{
		{"as documented", `{"text":"a\u00e9\n","count":3}`, "aé\n", 3},
		{"null leaves the zero value", `{"text":null,"count":null}`, "", 0},
		{"a number as text", `{"text":429}`, "429", 0},
		{"an object as text", `{"text":{"a":1}}`, `{"a":1}`, 0},
		{"an integer with a fraction", `{"count":12.0}`, "", 12},
		{"an integer in a string", `{"count":"12"}`, "", 12},
		{"words where a number belongs", `{"count":"many"}`, "", 0},
		{"an object where a number belongs", `{"count":{}}`, "", 0},
		{"an integer with an exponent", `{"count":-1e3}`, "", -1000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got member
			require.NoError(t, wire.Decode([]byte(tt.data), &got))
			assert.Equal(t, tt.text, got.Text)
			assert.Equal(t, tt.count, got.Count)
		})
	}
}

func TestDecodeKeepsWhatItUnderstands(t *testing.T) {
	var got member
	require.NoError(t, wire.Decode([]byte(`{"plain":[1],"inner":7,"unknown":{},"text":"kept"}`), &got))
	assert.Equal(t, member{Text: "kept"}, got)
	require.NoError(t, wire.Decode([]byte("null"), &got))
	assert.Equal(t, member{Text: "kept"}, got)
}

func TestDecodeFailsOnWhatIsNoObject(t *testing.T) {
	for _, data := range []string{`7`, `[]`, `"text"`, `{"text":`, ``, "{\"text\":\"cut off\n"} {
		var got member
		assert.Error(t, wire.Decode([]byte(data), &got), data)
	}
}

func TestEncodeEscapesNoHTML(t *testing.T) {
	raw, err := wire.Encode(map[string]string{"a": "<b> & \"c\""})
	require.NoError(t, err)
	assert.Equal(t, `{"a":"<b> & \"c\""}`, string(raw))
	_, err = wire.Encode(func() {})
	assert.Error(t, err)
}

func TestIdentifiersAreMadeAcceptable(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"an acceptable name stays", "file_search-2", "file_search-2"},
		{"other characters become underscores", "a/b é", "a_b__"},
		{"an empty name becomes the fallback", "", "unnamed"},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, wire.Identifier(tt.in, "unnamed")) })
	}
	long := wire.Identifier("0123456789012345678901234567890123456789012345678901234567890123456789", "")
	assert.Len(t, long, 64)
}

func TestArgumentsAreAnObject(t *testing.T) {
	assert.Equal(t, `{ "a" : 1 }`, string(wire.Object(json.RawMessage(`{ "a" : 1 }`))))
	for _, broken := range []string{"", "null", "[1]", `"{}"`, `{"a":`} {
		assert.Equal(t, "{}", string(wire.Object(json.RawMessage(broken))), broken)
	}
}

func TestMembersKeepTheirBytes(t *testing.T) {
	type schema struct {
		Type       string          `json:"type"`
		Properties json.RawMessage `json:"properties"`
	}
	got, err := wire.Members(schema{"object", json.RawMessage(`{"z":{},"a":{}}`)})
	require.NoError(t, err)
	assert.Equal(t, map[string]json.RawMessage{
		"type": json.RawMessage(`"object"`), "properties": json.RawMessage(`{"z":{},"a":{}}`),
	}, got)
	_, err = wire.Members(make(chan int))
	require.Error(t, err)
	_, err = wire.Members([]int{1})
	assert.Error(t, err, "a list has no members")
}
