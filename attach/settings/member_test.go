package settings_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach/settings"
)

func TestAMemberIsAddedAndTakenBackByteForByte(t *testing.T) {
	for name, before := range map[string]string{
		"among others":         "{\n  \"hooks\": {}, \"a\": [1]\n}\n",
		"on one line":          `{"a":1}`,
		"in an empty object":   `{}`,
		"in one with a break":  "\n{\n}\n",
		"with tabs and spaces": "{ \t\"a\": true }",
	} {
		after, err := settings.WithMember([]byte(before), "thinks")
		require.NoError(t, err, name)
		var members map[string]any
		require.NoError(t, json.Unmarshal(after, &members), "%s", after)
		assert.Equal(t, true, members["thinks"], name)
		again, err := settings.WithMember(after, "thinks")
		require.NoError(t, err, name)
		assert.Equal(t, string(after), string(again), name)
		assert.Equal(t, before, string(settings.WithoutMember(after, "thinks")), name)
	}
}

func TestAMemberOfAPersonStays(t *testing.T) {
	theirs := []byte(`{"thinks": true}`)
	after, err := settings.WithMember(theirs, "thinks")
	require.NoError(t, err)
	assert.Equal(t, theirs, after)
	assert.Equal(t, theirs, settings.WithoutMember(after, "thinks"))
	_, err = settings.WithMember([]byte("{\n  \"thinks\": false\n}"), "thinks")
	require.ErrorContains(t, err, "line 2")
	require.ErrorContains(t, err, "thinks is set to something else: remove that first")
}
