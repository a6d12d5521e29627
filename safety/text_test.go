package safety

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety/internal/rule"
)

func TestATextMarshalsAsAJSONString(t *testing.T) {
	encoded, err := json.Marshal(map[string]any{"t": Literal(`say "hi"`), "zero": Text{}})
	require.NoError(t, err)
	assert.JSONEq(t, `{"t":"say \"hi\"","zero":""}`, string(encoded))
	var plain strings.Builder
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	require.NoError(t, enc.Encode(Literal("a <b> & c")))
	assert.Equal(t, "\"a <b> & c\"\n", plain.String(), "the encoder decides about HTML")
	assert.True(t, Text{}.Empty())
	assert.False(t, Literal("x").Empty())
}

func TestAJSONValueMarshalsUnchanged(t *testing.T) {
	value, _ := NewLayer().CleanJSON(json.RawMessage(`{"n": 1.0}`))
	encoded, err := json.Marshal([]JSON{value, {}})
	require.NoError(t, err)
	assert.Equal(t, `[{"n":1.0},null]`, string(encoded))
	assert.True(t, JSON{}.Null())
	assert.False(t, value.Null())
}

func TestVerdictsAndActionsHaveNames(t *testing.T) {
	assert.Equal(t, []string{"passed", "redacted", "blocked"}, []string{Passed.String(), Redacted.String(),
		Blocked.String()})
	var a rule.Action
	require.NoError(t, a.UnmarshalText([]byte("Sanitize")))
	assert.Equal(t, rule.Sanitize, a)
	require.Error(t, a.UnmarshalText([]byte("drop")))
}
