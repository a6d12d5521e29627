package ask_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/web/ask"
	"candor/web/client"
)

// TestALineThatIsNoMessageEndsNothing holds that it is answered by the rules of JSON-RPC, without its text, and that
// what comes behind it is answered, too.
func TestALineThatIsNoMessageEndsNothing(t *testing.T) {
	c, err := client.New("http://127.0.0.1:1", "any")
	require.NoError(t, err)
	server := ask.New("1", func(http.Header) (*client.Client, error) { return c, nil }, nil, strings.TrimSpace)
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	var running sync.WaitGroup
	running.Go(func() {
		defer out.Close()
		defer in.Close() // what is written to a connection that has ended fails
		assert.NoError(t, server.Run(t.Context(), in, out))
	})
	t.Cleanup(running.Wait)
	t.Cleanup(func() { toServer.Close() })
	answers := bufio.NewScanner(fromServer)
	answer := func(line string) (id any, code float64) {
		t.Helper()
		_, err := io.WriteString(toServer, line+"\n")
		require.NoError(t, err)
		require.True(t, answers.Scan())
		assert.NotContains(t, answers.Text(), "blue-parrot")
		var got struct {
			ID    any
			Error struct{ Code float64 }
		}
		require.NoError(t, json.Unmarshal(answers.Bytes(), &got))
		assert.Contains(t, answers.Text(), `"id":`)
		return got.ID, got.Error.Code
	}

	for line, want := range map[string]float64{
		"blue-parrot": -32700, `{"id":7`: -32700, `{} {}`: -32700,
		`[{"jsonrpc":"2.0","id":7,"method":"ping"}]`: -32600, `[]`: -32600,
		`"blue-parrot"`: -32600, `{"id":{},"method":"ping"}`: -32600,
		"\r\n \n" + `{"jsonrpc":"2.0"}`: -32600,
		strings.Repeat("x", 2<<20):      -32600,
	} {
		id, code := answer(line)
		assert.Equal(t, want, code, "%.60q", line)
		assert.Nil(t, id)
	}
	id, code := answer(`{"jsonrpc":"1.0","id":7,"method":"ping"}`)
	assert.Equal(t, []any{7.0, -32600.0}, []any{id, code}, "whose request it is can be read")
	id, code = answer(`{"jsonrpc":"2.0","id":8,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\r")
	assert.Equal(t, []any{8.0, 0.0}, []any{id, code})
	_, code = answer("blue-parrot")
	assert.InDelta(t, -32700, code, 0)
	id, code = answer(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)
	assert.Equal(t, []any{9.0, 0.0}, []any{id, code})
}
