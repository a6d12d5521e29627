package mew

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"candor/safety"

	"github.com/stretchr/testify/require"
)

// kinds returns the kinds of messages, in order.
func kinds(all []envelope) []string {
	var out []string
	for _, e := range all {
		out = append(out, e.Kind)
	}
	return out
}

// of returns the messages of a kind.
func of(all []envelope, kind string) []envelope {
	return slices.DeleteFunc(slices.Clone(all), func(e envelope) bool { return e.Kind != kind })
}

// member returns a member of a message's payload, by its path, as text.
func field(t *testing.T, e envelope, path string) any {
	t.Helper()
	var v any
	require.NoError(t, json.Unmarshal(e.Payload, &v))
	for name := range strings.SplitSeq(path, ".") {
		if list, ok := v.([]any); ok && len(list) > 0 {
			v = list[0]
		}
		inner, _ := v.(map[string]any)
		v = inner[name]
	}
	return v
}

// transcript writes messages one a line, with their ids replaced by what they are, so that two
// runs give the same text.
func transcript(all []envelope) string {
	names := map[string]string{}
	count := map[string]int{}
	for _, e := range all {
		count[e.Kind]++
		names[e.ID] = fmt.Sprintf("%s-%d", e.Kind[strings.LastIndex(e.Kind, "/")+1:], count[e.Kind])
	}
	var b strings.Builder
	for _, e := range all {
		e.TS, e.Protocol = "", ""
		raw, _ := safety.Marshal(e)
		line := string(raw)
		for id, name := range names {
			line = strings.ReplaceAll(line, id, name)
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}
