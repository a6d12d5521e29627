package agui_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// anInput returns a RunAgentInput with some members changed.
func anInput(changes m) string {
	in := m{
		"threadId": "theirs", "runId": "r1", "protocolVersion": "1.0", "tools": []m{}, "context": []m{},
		"messages": []m{{"id": "m1", "role": "user", "content": "hello"}},
	}
	for name, value := range changes {
		in[name] = value
	}
	raw, _ := json.Marshal(in)
	return string(raw)
}

// messages is a change for anInput that replaces the messages.
func messages(list ...m) m { return m{"messages": list} }

// wire parses an AG-UI stream into its events and the ids of the server-sent events.
func wire(t *testing.T, body string) (events []m, ids []string) {
	t.Helper()
	for _, block := range strings.Split(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		for _, line := range strings.Split(block, "\n") {
			if id, ok := strings.CutPrefix(line, "id: "); ok {
				ids = append(ids, id)
			}
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				var e m
				require.NoError(t, json.Unmarshal([]byte(data), &e), data)
				events = append(events, e)
			}
		}
	}
	return events, ids
}

// typesOf lists the types of events.
func typesOf(events []m) (list []string) {
	for _, e := range events {
		list = append(list, e["type"].(string))
	}
	return list
}
